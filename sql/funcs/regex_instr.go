package funcs

import (
	"unicode/utf8"

	"github.com/calfdb/calf/sql/types"
)

// regexp_instr and regexp_substr: the place and the text of the nth match, or of one of its groups.

func init() {
	for _, s := range []string{"", "_no_start", "_no_n", "_no_endoption", "_no_flags", "_no_subexpr"} {
		types.RegisterFunc("regexp_instr"+s, regexInstr)
	}
	for _, s := range []string{"", "_no_start", "_no_n", "_no_flags", "_no_subexpr"} {
		types.RegisterFunc("regexp_substr"+s, regexSubstrNth)
	}
}

// intArg reads an optional integer argument that must not be below least.
func intArg(c *types.Call, i int, name string, deflt, least int32) (int32, error) {
	if len(c.Args) <= i {
		return deflt, nil
	}
	v := c.Args[i].Int4()
	if v < least {
		return 0, badParam(name, v)
	}
	return v, nil
}

// searchOffset is the byte at which the search from character start (1 is the first) begins: past the end there is not even an empty match.
func searchOffset(s string, start int) int {
	if start-1 > utf8.RuneCountInString(s) {
		return len(s) + 1
	}
	return charOffset(s, start-1)
}

func regexInstr(c *types.Call) (types.Datum, error) {
	from, to, err := nthMatch(c, 5, "regexp_instr()")
	if err != nil || from < 0 {
		return types.Int4(0), err
	}
	if len(c.Args) > 4 && c.Args[4].Int4() == 1 {
		from = to
	}
	return types.Int4(int32(utf8.RuneCountInString(c.Args[0].Str()[:from])) + 1), nil
}

func regexSubstrNth(c *types.Call) (types.Datum, error) {
	from, to, err := nthMatch(c, 4, "regexp_substr()")
	if err != nil || from < 0 {
		return types.Null, err
	}
	return types.Text(c.Args[0].Str()[from:to]), nil
}

// nthMatch finds the nth match (argument 3) from character start (argument 2) on; flags and the number of the group stand at flagsAt and
// after it; regexp_instr's endoption is argument 4. from is -1 when there is no such match or the group took no part.
func nthMatch(c *types.Call, flagsAt int, fn string) (from, to int, err error) {
	start, err := intArg(c, 2, "start", 1, 1)
	if err != nil {
		return -1, -1, err
	}
	n, err := intArg(c, 3, "n", 1, 1)
	if err != nil {
		return -1, -1, err
	}
	if flagsAt > 4 && len(c.Args) > 4 {
		if v := c.Args[4].Int4(); v != 0 && v != 1 {
			return -1, -1, badParam("endoption", v)
		}
	}
	group, err := intArg(c, flagsAt+1, "subexpr", 0, 0)
	if err != nil {
		return -1, -1, err
	}
	f, err := optionalFlags(c, flagsAt, fn)
	if err != nil {
		return -1, -1, err
	}
	re, err := compileRegex(c, c.Args[1].Str(), f)
	if err != nil || int(group) > re.Groups() {
		return -1, -1, err
	}
	s := c.Args[0].Str()
	all, err := re.FindAll(s, searchOffset(s, int(start)), c.Env.Poll)
	if err != nil || int(n) > len(all) {
		return -1, -1, err
	}
	m := all[n-1]
	return m[2*group], m[2*group+1], nil
}
