package tsearch

import (
	"strconv"
	"strings"

	"github.com/calfdb/calf/sql/pgerr"
)

// readAffixes reads an affix file: Ispell's format, or, where one of its commands shows up, that of MySpell and Hunspell.
func (d *ispell) readAffixes(name string) error {
	f, err := openFile(name, "affix", "affix")
	if err != nil {
		return err
	}
	r := ispellReader{d: d, f: f}
	for {
		line, ok, err := f.next()
		if err != nil || !ok {
			return err
		}
		hunspell, err := r.line(line)
		if err != nil {
			return err
		}
		if !hunspell {
			continue
		}
		if r.old {
			return f.bad("affix file contains both old-style and new-style commands")
		}
		d.compound, d.splits, d.affixes = map[string]int{}, false, nil
		return d.readHunspell(name)
	}
}

// ispellReader is where we are in a file of Ispell's format.
type ispellReader struct {
	d        *ispell
	f        *configFile
	old      bool // a command of this format was seen
	suffixes bool
	prefixes bool
	flag     string
	flags    int
}

// line reads one line; true says that it is of the other format.
func (r *ispellReader) line(line string) (hunspell bool, err error) {
	low := lower(line, r.d.ctypeC)
	if low == "" || low[0] == '#' {
		return false, nil
	}
	if strings.HasPrefix(low, "compoundwords") {
		if i := strings.IndexAny(line, "lL"); i >= 0 {
			rest := strings.TrimLeftFunc(line[i:], func(c rune) bool { return !isSpace(c) })
			if rest = strings.TrimLeftFunc(rest, isSpace); rest != "" && rest[0] < 0x80 {
				if err := r.d.addCompound(rest, compoundAny); err != nil {
					return false, err
				}
			}
			r.old = true
			return false, nil
		}
	}
	switch {
	case strings.HasPrefix(low, "suffixes"):
		r.suffixes, r.prefixes, r.old = true, false, true
		return false, nil
	case strings.HasPrefix(low, "prefixes"):
		r.suffixes, r.prefixes, r.old = false, true, true
		return false, nil
	case strings.HasPrefix(low, "flag"):
		return !r.flagLine(line[4:]), nil
	}
	for _, w := range []string{"COMPOUNDFLAG", "COMPOUNDMIN", "PFX", "SFX"} {
		if strings.HasPrefix(line, w) {
			return true, nil
		}
	}
	if !r.suffixes && !r.prefixes {
		return false, nil
	}
	mask, find, repl, ok, err := r.entry(low)
	if !ok || err != nil {
		return false, err
	}
	return false, r.d.addAffix(r.flag, r.flags, mask, find, repl, r.suffixes)
}

// flagLine reads "flag *A:"; false when it is no such line.
func (r *ispellReader) flagLine(s string) bool {
	r.flags = 0
	s = strings.TrimLeftFunc(s, isSpace)
	switch {
	case strings.HasPrefix(s, "*"):
		r.flags |= crossProduct
		s = s[1:]
	case strings.HasPrefix(s, "~"):
		r.flags |= compoundOnly
		s = s[1:]
	}
	s = strings.TrimPrefix(s, `\`)
	if s == "" || s[0] >= 0x80 {
		return false
	}
	r.flag, s = s[:1], s[1:]
	if s != "" && s[0] != '#' && s[0] != ':' && !isSpace(rune(s[0])) {
		return false
	}
	r.old = true
	return true
}

// entry reads "mask > -find,repl". False when the line has none.
func (r *ispellReader) entry(line string) (mask, find, repl string, ok bool, err error) {
	letters := func(s string, first bool) (string, error) {
		var b strings.Builder
		for i, c := range s {
			switch {
			case isSpace(c):
			case isAlpha(c) || first && i == 0 && c == '\'':
				b.WriteRune(c)
			default:
				return "", r.f.bad("syntax error")
			}
		}
		return b.String(), nil
	}
	before, after, has := strings.Cut(line, ">")
	if t := strings.TrimLeftFunc(before, isSpace); t == "" || t[0] == '#' || !has {
		return "", "", "", false, nil
	}
	mask = strings.Map(func(c rune) rune {
		if isSpace(c) {
			return -1
		}
		return c
	}, before)
	after = strings.TrimLeftFunc(after, isSpace)
	if strings.HasPrefix(after, "-") {
		var comma bool
		if find, after, comma = strings.Cut(after[1:], ","); !comma {
			find, _, _ = strings.Cut(find, "#")
		}
		if find, err = letters(find, false); err != nil {
			return "", "", "", false, err
		}
		if after = strings.TrimLeftFunc(after, isSpace); strings.HasPrefix(after, "-") {
			return mask, find, "", find != "", nil
		}
		after, _, _ = strings.Cut(after, "#")
		repl, err = letters(after, false)
	} else {
		after, _, _ = strings.Cut(after, "#")
		repl, err = letters(after, true)
	}
	return mask, find, repl, find != "" || repl != "", err
}

var hunspellCompounds = []struct {
	name  string
	value int
}{
	{"COMPOUNDFLAG", compoundAny}, {"COMPOUNDBEGIN", compoundBegin}, {"COMPOUNDLAST", compoundLast}, {"COMPOUNDEND", compoundLast},
	{"COMPOUNDMIDDLE", compoundMiddle}, {"ONLYINCOMPOUND", compoundOnly}, {"COMPOUNDPERMITFLAG", compoundPermit},
	{"COMPOUNDFORBIDFLAG", compoundForbid},
}

// readHunspell reads a file of MySpell's or Hunspell's format: once for the flags, once for the affixes.
func (d *ispell) readHunspell(name string) error {
	for _, line := range []func(*configFile, string) error{d.hunspellOption, d.hunspellAffix()} {
		f, err := openFile(name, "affix", "affix")
		if err != nil {
			return err
		}
		for {
			text, ok, err := f.next()
			if err != nil {
				return err
			}
			if !ok {
				break
			}
			if text == "" || text[0] == '#' || isSpace(rune(text[0])) {
				continue
			}
			if err := line(f, text); err != nil {
				return err
			}
		}
	}
	return nil
}

func (d *ispell) hunspellOption(f *configFile, text string) error {
	for _, c := range hunspellCompounds {
		if rest, ok := strings.CutPrefix(text, c.name); ok {
			return d.addCompound(rest, c.value)
		}
	}
	rest, ok := strings.CutPrefix(text, "FLAG")
	if rest = strings.TrimLeftFunc(rest, isSpace); !ok || rest == "" {
		return nil
	}
	switch {
	case strings.HasPrefix(rest, "long"):
		d.mode = flagLong
	case strings.HasPrefix(rest, "num"):
		d.mode = flagNum
	case !strings.HasPrefix(rest, "default"):
		return f.bad("Ispell dictionary supports only \"default\", \"long\", and \"num\" flag values")
	}
	return nil
}

// hunspellAffix reads AF, SFX and PFX lines: "SFX flag cross count" begins a group, "SFX flag find repl/FLAGS mask" is an affix.
func (d *ispell) hunspellAffix() func(f *configFile, text string) error {
	suffix, cross, aliases := false, 0, 0
	return func(f *configFile, text string) error {
		fields := strings.FieldsFunc(text, isSpace)
		for i, w := range fields {
			if w[0] == '#' {
				fields = fields[:i]
				break
			}
		}
		if len(fields) == 0 {
			return nil
		}
		kind := strings.ToLower(fields[0])
		if strings.HasPrefix(kind, "af") {
			flag := ""
			if len(fields) > 1 {
				flag = fields[1]
			}
			return d.addAlias(f, flag, &aliases)
		}
		if len(fields) < 4 || !strings.HasPrefix(kind, "sfx") && !strings.HasPrefix(kind, "pfx") {
			return nil
		}
		flag := fields[1]
		if len(flag) > 1 && d.mode == flagChar || len(flag) > 2 && d.mode == flagLong {
			return nil
		}
		if len(fields) == 4 {
			suffix, cross = strings.HasPrefix(kind, "sfx"), 0
			if c := fields[2][0]; c == 'y' || c == 'Y' {
				cross = crossProduct
			}
			return nil
		}
		find, repl, mask := lower(fields[2], d.ctypeC), fields[3], lower(fields[4], d.ctypeC)
		flags := cross
		repl, set, slash := strings.Cut(repl, "/")
		if slash {
			set, err := d.aliasOf(set)
			if err != nil {
				return err
			}
			compound, err := d.compoundOf(set)
			if err != nil {
				return err
			}
			flags |= compound
		}
		repl = lower(repl, d.ctypeC)
		if fields[2][0] == '0' {
			find = ""
		}
		if fields[3][0] == '0' {
			repl = ""
		}
		return d.addAffix(flag, flags, mask, find, repl, suffix)
	}
}

// addAlias reads an AF line: the first says how many there are, the others are sets of flags, numbered from 1.
func (d *ispell) addAlias(f *configFile, flag string, count *int) error {
	if !d.aliased {
		d.aliased = true
		if *count, _ = strconv.Atoi(flag); *count <= 0 {
			return f.bad("invalid number of flag vector aliases")
		}
		d.aliases = []string{""}
		d.allFlags[""] = true
		return nil
	}
	if len(d.aliases) > *count {
		return f.bad("number of aliases exceeds specified number %d", *count)
	}
	d.aliases = append(d.aliases, flag)
	d.allFlags[flag] = true
	return nil
}

// aliasOf gives the set of flags that an affix names.
func (d *ispell) aliasOf(s string) (string, error) {
	if !d.aliased || s == "" {
		return s, nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n > len(d.aliases) {
		return "", pgerr.New(pgerr.ConfigFileError, "invalid affix alias \"%s\"", s)
	}
	if n > 0 && n < len(d.aliases) {
		return d.aliases[n], nil
	}
	return "", nil
}
