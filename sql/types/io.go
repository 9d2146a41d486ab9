package types

import (
	"unicode/utf8"

	"github.com/calfdb/calf/sql/pgerr"
)

// IO is a type's input and output, resolved once: what a row printer or a parameter decoder keeps per column. It is good for one Env
// and as long as the type's definition does not change.
type IO struct {
	Info *TypeInfo

	in   inFunc
	out  outFunc
	recv recvFunc
	send outFunc

	elem *IO // element of an array, base of a domain, subtype of a range
}

type (
	// inFunc parses s; the result may alias s.
	inFunc func(env *Env, io *IO, s string, typmod int32) (Datum, error)
	// outFunc appends the text or binary form.
	outFunc func(env *Env, io *IO, dst []byte, d Datum) ([]byte, error)
	// recvFunc decodes the binary form; the result may alias b.
	recvFunc func(env *Env, io *IO, b []byte, typmod int32) (Datum, error)
)

var (
	inFuncs   = map[string]inFunc{}
	outFuncs  = map[string]outFunc{}
	recvFuncs = map[string]recvFunc{}
	sendFuncs = map[string]outFunc{}
)

// registerIO names the four functions of a type by source name; "" where there is none. Each is also registered as an SQL function.
func registerIO(inName string, in inFunc, outName string, out outFunc, recvName string, recv recvFunc, sendName string, send outFunc) {
	if inName != "" {
		inFuncs[inName] = in
		RegisterFunc(inName, func(c *Call) (Datum, error) { return callInput(c, in) })
	}
	if outName != "" {
		outFuncs[outName] = out
		RegisterFunc(outName, func(c *Call) (Datum, error) { return callOutput(c, out) })
	}
	if recvName != "" {
		recvFuncs[recvName] = recv
		RegisterFunc(recvName, func(c *Call) (Datum, error) { return Null, pgerr.NotSupported("calling %s from SQL", recvName) })
	}
	if sendName != "" {
		sendFuncs[sendName] = send
		RegisterFunc(sendName, func(c *Call) (Datum, error) { return callOutput(c, send) })
	}
}

// callInput serves an input function called from SQL: (cstring [, typioparam [, typmod]]).
func callInput(c *Call, in inFunc) (Datum, error) {
	typmod := int32(-1)
	if len(c.Args) >= 3 {
		typmod = c.Args[2].Int4()
	}
	io, err := calledIO(c)
	if err != nil {
		return Null, err
	}
	return in(c.Env, io, c.Args[0].Str(), typmod)
}

// calledIO gives the type that an input function called from SQL reads: what it returns, or, where that is a pseudo-type as of array_in, enum_in and
// range_in, what typioparam names: the element of an array, else the type itself.
func calledIO(c *Call) (*IO, error) {
	info, err := c.Env.TypeByOID(c.RetType)
	if err != nil {
		return nil, err
	}
	if info.Kind != 'p' || len(c.Args) < 2 {
		return IOFor(c.Env, c.RetType)
	}
	io, err := IOFor(c.Env, c.Args[1].Oid())
	if err != nil || c.RetType != AnyarrayOID {
		return io, err
	}
	return &IO{Info: info, elem: io}, nil
}

// callOutput serves an output or send function called from SQL.
func callOutput(c *Call, out outFunc) (Datum, error) {
	typ := OID(0)
	if len(c.ArgTypes) > 0 {
		typ = c.ArgTypes[0]
	}
	io, err := IOFor(c.Env, typ)
	if err != nil {
		return Null, err
	}
	b, err := out(c.Env, io, nil, c.Args[0])
	return Bytes(b), err
}

var builtinIO = map[OID]*IO{}

// IOFor resolves a type's input and output.
func IOFor(env *Env, typ OID) (*IO, error) {
	if io, ok := builtinIO[typ]; ok {
		return io, nil
	}
	return newIO(env, typ, 0)
}

const ioDepthMax = 64 // domains over arrays over composites ...

func newIO(env *Env, typ OID, depth int) (*IO, error) {
	if depth > ioDepthMax {
		return nil, pgerr.New(pgerr.StatementTooComplex, "stack depth limit exceeded")
	}
	info, err := env.TypeByOID(typ)
	if err != nil {
		return nil, err
	}
	io := &IO{Info: info, in: inFuncs[info.Input], out: outFuncs[info.Output], recv: recvFuncs[info.Receive], send: sendFuncs[info.Send]}
	inner := OID(0)
	switch {
	case info.Kind == 'd':
		inner = info.BaseType
	case info.Elem != 0:
		inner = info.Elem
	case info.Kind == 'r' || info.Kind == 'm':
		r, err := env.rangeInfo(typ)
		if err != nil {
			return nil, err
		}
		inner = r.Subtype
	}
	if inner != 0 {
		if io.elem, err = newIO(env, inner, depth+1); err != nil {
			return nil, err
		}
	}
	if info.Kind == 'd' {
		io.in, io.recv = domainIn, domainRecv
		io.out = func(env *Env, io *IO, dst []byte, d Datum) ([]byte, error) { return io.elem.AppendText(env, dst, d) }
		io.send = func(env *Env, io *IO, dst []byte, d Datum) ([]byte, error) { return io.elem.AppendBinary(env, dst, d) }
	}
	return io, nil
}

// Elem gives the IO of an array's elements, a domain's base type or a range's subtype; nil when there is none.
func (io *IO) Elem() *IO { return io.elem }

// Input parses the text form. The result may alias s.
func (io *IO) Input(env *Env, s string, typmod int32) (Datum, error) {
	if io.in == nil {
		return Null, MissingFunc(io.Info.Input)
	}
	return io.in(env, io, s, typmod)
}

// AppendText appends the text form of d, which is not null.
func (io *IO) AppendText(env *Env, dst []byte, d Datum) ([]byte, error) {
	if io.out == nil {
		return dst, MissingFunc(io.Info.Output)
	}
	return io.out(env, io, dst, d)
}

// Receive decodes the binary form. The result may alias b.
func (io *IO) Receive(env *Env, b []byte, typmod int32) (Datum, error) {
	if io.recv == nil {
		return Null, io.CheckReceive(env)
	}
	return io.recv(env, io, b, typmod)
}

// CheckReceive gives the error of a type that has no binary input.
func (io *IO) CheckReceive(env *Env) error {
	switch {
	case io.recv != nil:
		return nil
	case io.Info.Receive == "":
		return pgerr.New(pgerr.UndefinedFunction, "no binary input function available for type %s", FormatType(env, io.Info.OID))
	}
	return MissingFunc(io.Info.Receive)
}

// CheckSend gives the error of a type that has no binary output.
func (io *IO) CheckSend(env *Env) error {
	switch {
	case io.send != nil:
		return nil
	case io.Info.Send == "":
		return pgerr.New(pgerr.UndefinedFunction, "no binary output function available for type %s", FormatType(env, io.Info.OID))
	}
	return MissingFunc(io.Info.Send)
}

// AppendBinary appends the binary form of d, which is not null.
func (io *IO) AppendBinary(env *Env, dst []byte, d Datum) ([]byte, error) {
	if io.send == nil {
		return dst, io.CheckSend(env)
	}
	return io.send(env, io, dst, d)
}

// Input parses the text form of a type. The result may alias s.
func Input(env *Env, typ OID, typmod int32, s string) (Datum, error) {
	io, err := IOFor(env, typ)
	if err != nil {
		return Null, err
	}
	return io.Input(env, s, typmod)
}

// AppendOutput appends the text form of d, which is not null.
func AppendOutput(env *Env, typ OID, dst []byte, d Datum) ([]byte, error) {
	io, err := IOFor(env, typ)
	if err != nil {
		return dst, err
	}
	return io.AppendText(env, dst, d)
}

// Output gives the text form of d as a string.
func Output(env *Env, typ OID, d Datum) (string, error) {
	b, err := AppendOutput(env, typ, nil, d)
	return string(b), err
}

// Receive decodes the binary form of a type. The result may alias b.
func Receive(env *Env, typ OID, typmod int32, b []byte) (Datum, error) {
	io, err := IOFor(env, typ)
	if err != nil {
		return Null, err
	}
	return io.Receive(env, b, typmod)
}

// AppendSend appends the binary form of d, which is not null.
func AppendSend(env *Env, typ OID, dst []byte, d Datum) ([]byte, error) {
	io, err := IOFor(env, typ)
	if err != nil {
		return dst, err
	}
	return io.AppendBinary(env, dst, d)
}

// badSyntax is the error of a text form that the type does not have.
func badSyntax(typeName, s string) error {
	return pgerr.New(pgerr.InvalidTextRepresentation, "invalid input syntax for type %s: \"%s\"", typeName, s)
}

// badBinary is the error of a message whose length is not what the type sends.
func badBinary() error {
	return pgerr.New(pgerr.InvalidBinaryRepresentation, "insufficient data left in message")
}

// wantLen checks the length of a fixed-size binary form.
func wantLen(b []byte, n int) error {
	if len(b) < n {
		return pgerr.New(pgerr.ProtocolViolation, "insufficient data left in message")
	}
	if len(b) > n {
		return pgerr.New(pgerr.InvalidBinaryRepresentation, "incorrect binary data format")
	}
	return nil
}

// CheckUTF8 checks that b is text of the server encoding: UTF-8 without NUL.
func CheckUTF8(b []byte) error {
	for i := 0; i < len(b); {
		if c := b[i]; c < utf8.RuneSelf {
			if c == 0 {
				return pgerr.New(pgerr.CharacterNotInRepertoire, "invalid byte sequence for encoding \"UTF8\": 0x00")
			}
			i++
			continue
		}
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n <= 1 {
			return badUTF8(b[i:])
		}
		i += n
	}
	return nil
}

// badUTF8 names the bytes that the first byte announces, as far as they are there.
func badUTF8(b []byte) error {
	n := 1
	switch c := b[0]; {
	case c&0xe0 == 0xc0:
		n = 2
	case c&0xf0 == 0xe0:
		n = 3
	case c&0xf8 == 0xf0:
		n = 4
	}
	n = min(n, len(b))
	var hex []byte
	for i, c := range b[:n] {
		if i > 0 {
			hex = append(hex, ' ')
		}
		hex = append(hex, '0', 'x', "0123456789abcdef"[c>>4], "0123456789abcdef"[c&15])
	}
	return pgerr.New(pgerr.CharacterNotInRepertoire, "invalid byte sequence for encoding \"UTF8\": %s", hex)
}
