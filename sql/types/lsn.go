package types

import (
	"fmt"
	"strconv"
	"strings"
)

func init() {
	registerIO("pg_lsn_in", lsnIn, "pg_lsn_out", lsnOut, "pg_lsn_recv", int8Recv, "pg_lsn_send", int8Send)
	registerUnsigned(six("pg_lsn_"))
	registerCompare("pg_lsn_cmp", compareUnsigned)
	registerLarger("pg_lsn_larger", "pg_lsn_smaller", compareUnsigned)
}

func lsnIn(_ *Env, _ *IO, s string, _ int32) (Datum, error) {
	hi, lo, ok := strings.Cut(s, "/")
	h, err1 := strconv.ParseUint(hi, 16, 32)
	l, err2 := strconv.ParseUint(lo, 16, 32)
	if !ok || err1 != nil || err2 != nil || len(hi) > 8 || len(lo) > 8 {
		return Null, badSyntax("pg_lsn", s)
	}
	return FromRaw(h<<32 | l), nil
}

func lsnOut(_ *Env, _ *IO, dst []byte, d Datum) ([]byte, error) {
	return fmt.Appendf(dst, "%X/%X", d.n>>32, uint32(d.n)), nil
}
