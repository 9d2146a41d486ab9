package types

// Helpers with which a type's file registers its functions.

// registerOrder registers the six comparison operators' functions, named eq, ne, lt, le, gt, ge after the prefix.
func registerOrder(prefix string, cmp CompareFunc) {
	registerOrderNamed([6]string{prefix + "eq", prefix + "ne", prefix + "lt", prefix + "le", prefix + "gt", prefix + "ge"}, cmp)
}

// registerOrderNamed registers the functions of =, <>, <, <=, >, >= in this order; "" leaves one out.
func registerOrderNamed(names [6]string, cmp CompareFunc) {
	tests := [6]func(int) bool{
		func(x int) bool { return x == 0 }, func(x int) bool { return x != 0 }, func(x int) bool { return x < 0 },
		func(x int) bool { return x <= 0 }, func(x int) bool { return x > 0 }, func(x int) bool { return x >= 0 },
	}
	for i, n := range names {
		if test := tests[i]; n != "" {
			RegisterFunc(n, func(c *Call) (Datum, error) { return Bool(test(cmp(c.Args[0], c.Args[1]))), nil })
		}
	}
}

// registerBits registers the six comparisons for types ordered by their bits taken as signed integers: all integers, dates and times.
func registerSigned(names [6]string) {
	fs := [6]Func{
		func(c *Call) (Datum, error) { return Bool(int64(c.Args[0].n) == int64(c.Args[1].n)), nil },
		func(c *Call) (Datum, error) { return Bool(int64(c.Args[0].n) != int64(c.Args[1].n)), nil },
		func(c *Call) (Datum, error) { return Bool(int64(c.Args[0].n) < int64(c.Args[1].n)), nil },
		func(c *Call) (Datum, error) { return Bool(int64(c.Args[0].n) <= int64(c.Args[1].n)), nil },
		func(c *Call) (Datum, error) { return Bool(int64(c.Args[0].n) > int64(c.Args[1].n)), nil },
		func(c *Call) (Datum, error) { return Bool(int64(c.Args[0].n) >= int64(c.Args[1].n)), nil },
	}
	for i, n := range names {
		if n != "" {
			RegisterFunc(n, fs[i])
		}
	}
}

// registerUnsigned does the same for bits taken as unsigned integers: oid, "char", bool, xid8, pg_lsn.
func registerUnsigned(names [6]string) {
	fs := [6]Func{
		func(c *Call) (Datum, error) { return Bool(c.Args[0].n == c.Args[1].n), nil },
		func(c *Call) (Datum, error) { return Bool(c.Args[0].n != c.Args[1].n), nil },
		func(c *Call) (Datum, error) { return Bool(c.Args[0].n < c.Args[1].n), nil },
		func(c *Call) (Datum, error) { return Bool(c.Args[0].n <= c.Args[1].n), nil },
		func(c *Call) (Datum, error) { return Bool(c.Args[0].n > c.Args[1].n), nil },
		func(c *Call) (Datum, error) { return Bool(c.Args[0].n >= c.Args[1].n), nil },
	}
	for i, n := range names {
		if n != "" {
			RegisterFunc(n, fs[i])
		}
	}
}

// six names the comparison functions: prefix + eq, ne, lt, le, gt, ge.
func six(prefix string) [6]string {
	return [6]string{prefix + "eq", prefix + "ne", prefix + "lt", prefix + "le", prefix + "gt", prefix + "ge"}
}

// registerLarger registers the functions behind max and min.
func registerLarger(larger, smaller string, cmp CompareFunc) {
	RegisterFunc(larger, func(c *Call) (Datum, error) {
		if cmp(c.Args[0], c.Args[1]) > 0 {
			return c.Args[0], nil
		}
		return c.Args[1], nil
	})
	RegisterFunc(smaller, func(c *Call) (Datum, error) {
		if cmp(c.Args[0], c.Args[1]) < 0 {
			return c.Args[0], nil
		}
		return c.Args[1], nil
	})
}

func compareSigned(a, b Datum) int {
	switch x, y := int64(a.n), int64(b.n); {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

func compareUnsigned(a, b Datum) int {
	switch {
	case a.n < b.n:
		return -1
	case a.n > b.n:
		return 1
	}
	return 0
}

// identity is the function of casts that change nothing.
func identity(c *Call) (Datum, error) { return c.Args[0], nil }

// TypeIO is the input and output of a type that a package above this one implements. In may keep s, Recv may keep b.
type TypeIO struct {
	In   func(env *Env, s string) (Datum, error)
	Out  func(env *Env, dst []byte, d Datum) ([]byte, error)
	Recv func(env *Env, b []byte) (Datum, error)
	Send func(env *Env, dst []byte, d Datum) ([]byte, error)
}

// RegisterIO registers a type's input and output under its name with in, out, recv and send behind it. It is for init functions.
func RegisterIO(name string, t TypeIO) {
	registerIO(name+"in", func(env *Env, _ *IO, s string, _ int32) (Datum, error) { return t.In(env, s) },
		name+"out", func(env *Env, _ *IO, dst []byte, d Datum) ([]byte, error) { return t.Out(env, dst, d) },
		name+"recv", func(env *Env, _ *IO, b []byte, _ int32) (Datum, error) { return t.Recv(env, b) },
		name+"send", func(env *Env, _ *IO, dst []byte, d Datum) ([]byte, error) { return t.Send(env, dst, d) })
}

// RegisterComparisons registers the functions of a type's comparison operators and its btree support function: prefix + eq, ne, lt, le, gt, ge, cmp.
func RegisterComparisons(prefix string, cmp CompareFunc) {
	registerOrder(prefix, cmp)
	registerCompare(prefix+"cmp", cmp)
}
