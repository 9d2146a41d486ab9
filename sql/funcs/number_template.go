package funcs

import (
	"strings"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

// numberTemplate is a template of to_char and to_number for numbers, with what its patterns say together.
type numberTemplate struct {
	nodes []templateNode

	pre, post          int // digits before and after the decimal point
	multi              int // digits after V
	zeroStart, zeroEnd int // from which digit on, and up to which, zeros are printed
	signAt             signPlace
	signPre            int // digits before S

	decimal, localeDecimal, zero, blank, fill  bool
	localeSign, bracket, minus, plus           bool
	roman, multiplied, scientific, needsLocale bool
}

// signPlace is where S stands.
type signPlace uint8

const (
	signNone signPlace = iota
	signBefore
	signAfter
)

func syntaxErr(msg string) *pgerr.Error { return pgerr.New(pgerr.SyntaxError, "%s", msg) }

func parseNumberTemplate(s string) (*numberTemplate, error) {
	t := &numberTemplate{}
	for s != "" {
		if k := findKeyword(s, numberKeywords); k != nil {
			t.nodes = append(t.nodes, templateNode{key: k})
			if err := t.note(k); err != nil {
				return nil, err
			}
			s = s[len(k.name):]
			continue
		}
		if s[0] == '"' {
			t.nodes, s = quotedNodes(t.nodes, s[1:])
			continue
		}
		n, err := literalNode(&s, false, false)
		if err != nil {
			return nil, err
		}
		t.nodes = append(t.nodes, n)
	}
	return t, nil
}

// numberTemplateOf is the template of a call's second argument, parsed once a call site. The copy is the caller's.
func numberTemplateOf(c *types.Call) (numberTemplate, error) {
	type cached struct {
		text string
		t    *numberTemplate
	}
	text := c.Args[1].Str()
	if k, ok := c.Cache.(*cached); ok && k.text == text {
		return *k.t, nil
	}
	text = strings.Clone(text)
	t, err := parseNumberTemplate(text)
	if err != nil {
		return numberTemplate{}, err
	}
	c.Cache = &cached{text, t}
	return *t, nil
}

// note takes account of one pattern.
func (t *numberTemplate) note(k *keyword) error {
	if t.scientific && k.id != "EEEE" {
		return syntaxErr("\"EEEE\" must be the last pattern used")
	}
	switch k.id {
	case "9", "0":
		return t.noteDigit(k.id)
	case "B":
		if t.pre == 0 && t.post == 0 && !t.zero {
			t.blank = true
		}
	case "D", ".":
		if k.id == "D" {
			t.localeDecimal, t.needsLocale = true, true
		}
		if t.decimal {
			return syntaxErr("multiple decimal points")
		}
		if t.multiplied {
			return syntaxErr("cannot use \"V\" and decimal point together")
		}
		t.decimal = true
	case "FM":
		t.fill = true
	case "S", "MI", "PL", "SG", "PR":
		return t.noteSign(k.id)
	case "RN":
		t.roman = true
	case "L", "G":
		t.needsLocale = true
	case "V":
		if t.decimal {
			return syntaxErr("cannot use \"V\" and decimal point together")
		}
		t.multiplied = true
	case "EEEE":
		if t.scientific {
			return syntaxErr("cannot use \"EEEE\" twice")
		}
		if t.blank || t.fill || t.localeSign || t.bracket || t.minus || t.plus || t.roman || t.multiplied {
			return syntaxErr("\"EEEE\" is incompatible with other formats").
				WithDetail("\"EEEE\" may only be used together with digit and decimal point patterns.")
		}
		t.scientific = true
	}
	return nil
}

func (t *numberTemplate) noteDigit(id string) error {
	if t.bracket {
		return syntaxErr("\"" + id + "\" must be ahead of \"PR\"")
	}
	if id == "9" && t.multiplied {
		t.multi++
		return nil
	}
	if id == "0" && !t.zero && !t.decimal {
		t.zero, t.zeroStart = true, t.pre+1
	}
	if t.decimal {
		t.post++
	} else {
		t.pre++
	}
	if id == "0" {
		t.zeroEnd = t.pre + t.post
	}
	return nil
}

func (t *numberTemplate) noteSign(id string) error {
	switch {
	case id == "S" && t.localeSign:
		return syntaxErr("cannot use \"S\" twice")
	case id == "S" && (t.plus || t.minus || t.bracket):
		return syntaxErr("cannot use \"S\" and \"PL\"/\"MI\"/\"SG\"/\"PR\" together")
	case id == "S" && !t.decimal:
		t.signAt, t.signPre, t.needsLocale, t.localeSign = signBefore, t.pre, true, true
	case id == "S" && t.signAt == signNone:
		t.signAt, t.needsLocale, t.localeSign = signAfter, true, true
	case id == "S":
	case id == "PR" && (t.localeSign || t.plus || t.minus):
		return syntaxErr("cannot use \"PR\" and \"S\"/\"PL\"/\"MI\"/\"SG\" together")
	case id == "PR":
		t.bracket = true
	case t.localeSign:
		return syntaxErr("cannot use \"S\" and \"" + id + "\" together")
	default:
		t.minus = t.minus || id != "PL"
		t.plus = t.plus || id != "MI"
	}
	return nil
}
