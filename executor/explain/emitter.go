package explain

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// emitter writes one format. A group is a set of properties (labeled) or a list (not labeled).
type emitter interface {
	begin()
	end()
	openGroup(kind, label string, labeled bool)
	closeGroup(kind, label string, labeled bool)
	text(label, value string)
	list(label string, values []string)
	number(label, value string) // an unquoted value
	float(label, unit string, v float64, digits int)
	boolean(label string, v bool)
	trigger(t Trigger, verbose, timing bool)
	isText() bool
	String() string
}

func newEmitter(f Format) emitter {
	if f == Text {
		return &textEmitter{}
	}
	return &treeEmitter{format: f}
}

// textEmitter is the format for people. The node lines are written by the printer through the extra methods.
type textEmitter struct {
	b      strings.Builder
	indent int
}

func (t *textEmitter) begin()                          {}
func (t *textEmitter) end()                            {}
func (t *textEmitter) openGroup(string, string, bool)  {}
func (t *textEmitter) closeGroup(string, string, bool) {}
func (t *textEmitter) isText() bool                    { return true }
func (t *textEmitter) String() string                  { return t.b.String() }
func (t *textEmitter) pad()                            { t.b.WriteString(strings.Repeat("  ", t.indent)) }

func (t *textEmitter) text(label, value string) {
	t.pad()
	fmt.Fprintf(&t.b, "%s: %s\n", label, value)
}

func (t *textEmitter) list(label string, values []string) { t.text(label, strings.Join(values, ", ")) }
func (t *textEmitter) number(label, value string)         { t.text(label, value) }

func (t *textEmitter) float(label, unit string, v float64, digits int) {
	s := strconv.FormatFloat(v, 'f', digits, 64)
	if unit != "" {
		s += " " + unit
	}
	t.text(label, s)
}

func (t *textEmitter) boolean(label string, v bool) { t.text(label, strconv.FormatBool(v)) }

func (t *textEmitter) trigger(g Trigger, verbose, timing bool) {
	if g.Calls == 0 {
		return
	}
	s := "Trigger"
	if verbose || g.Constraint == "" {
		s += " " + g.Name
	}
	if g.Constraint != "" {
		s += " for constraint " + g.Constraint
	}
	if g.Relation != "" {
		s += " on " + g.Relation
	}
	if timing {
		s += fmt.Sprintf(": time=%.3f", g.MS)
	} else {
		s += ":"
	}
	fmt.Fprintf(&t.b, "%s calls=%.0f\n", s, g.Calls)
}

// treeEmitter collects groups and prints them as JSON, YAML or XML at the end.
type treeEmitter struct {
	format Format
	stack  []*group
	root   *group
}

type group struct {
	kind, label string
	labeled     bool // properties, else list
	items       []item
}

type item struct {
	label string
	text  string // quoted value
	raw   string // unquoted value
	list  []string
	group *group
	kind  byte // 't', 'r', 'l', 'g'
}

func (e *treeEmitter) begin() {
	e.root = &group{kind: "explain"}
	e.stack = []*group{e.root}
}

func (e *treeEmitter) end()         {}
func (e *treeEmitter) isText() bool { return false }

func (e *treeEmitter) add(it item) {
	top := e.stack[len(e.stack)-1]
	top.items = append(top.items, it)
}

func (e *treeEmitter) openGroup(kind, label string, labeled bool) {
	g := &group{kind: kind, label: label, labeled: labeled}
	e.add(item{label: label, group: g, kind: 'g'})
	e.stack = append(e.stack, g)
}

func (e *treeEmitter) closeGroup(string, string, bool) { e.stack = e.stack[:len(e.stack)-1] }
func (e *treeEmitter) text(label, value string)        { e.add(item{label: label, text: value, kind: 't'}) }
func (e *treeEmitter) list(label string, values []string) {
	e.add(item{label: label, list: values, kind: 'l'})
}
func (e *treeEmitter) number(label, value string)   { e.add(item{label: label, raw: value, kind: 'r'}) }
func (e *treeEmitter) boolean(label string, v bool) { e.number(label, strconv.FormatBool(v)) }

func (e *treeEmitter) float(label, _ string, v float64, digits int) {
	e.number(label, strconv.FormatFloat(v, 'f', digits, 64))
}

func (e *treeEmitter) trigger(t Trigger, _, timing bool) {
	if t.Calls == 0 {
		return
	}
	e.openGroup("Trigger", "", true)
	e.text("Trigger Name", t.Name)
	if t.Constraint != "" {
		e.text("Constraint Name", t.Constraint)
	}
	e.text("Relation", t.Relation)
	if timing {
		e.float("Time", "ms", t.MS, 3)
	}
	e.float("Calls", "", t.Calls, 0)
	e.closeGroup("Trigger", "", true)
}

func (e *treeEmitter) String() string {
	var b strings.Builder
	switch e.format {
	case JSON:
		writeJSON(&b, e.root, 0)
	case YAML:
		writeYAML(&b, e.root, 0, false)
		return strings.TrimPrefix(b.String(), "\n")
	default:
		b.WriteString("<explain xmlns=\"http://www.postgresql.org/2009/explain\">")
		for _, it := range e.root.items {
			writeXML(&b, it, 1)
		}
		b.WriteString("\n</explain>")
	}
	return b.String()
}

func quoteJSON(s string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		return "\"\""
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func writeJSON(b *strings.Builder, g *group, depth int) {
	open, shut := "[", "]"
	if g.labeled {
		open, shut = "{", "}"
	}
	b.WriteString(open)
	pad := strings.Repeat("  ", depth+1)
	for i, it := range g.items {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString("\n" + pad)
		if g.labeled && it.label != "" {
			b.WriteString(quoteJSON(it.label) + ": ")
		}
		switch it.kind {
		case 't':
			b.WriteString(quoteJSON(it.text))
		case 'r':
			b.WriteString(it.raw)
		case 'l':
			b.WriteByte('[')
			for k, s := range it.list {
				if k > 0 {
					b.WriteString(", ")
				}
				b.WriteString(quoteJSON(s))
			}
			b.WriteByte(']')
		case 'g':
			writeJSON(b, it.group, depth+1)
		}
	}
	b.WriteString("\n" + strings.Repeat("  ", depth) + shut)
}

// writeYAML: PostgreSQL quotes every text value.
func writeYAML(b *strings.Builder, g *group, depth int, first bool) {
	for i, it := range g.items {
		if !(first && i == 0) {
			b.WriteString("\n" + strings.Repeat("  ", depth))
		}
		if !g.labeled {
			b.WriteString("- ")
		}
		if it.label != "" && g.labeled {
			b.WriteString(it.label + ": ")
		}
		switch it.kind {
		case 't':
			b.WriteString(quoteJSON(it.text))
		case 'r':
			b.WriteString(it.raw)
		case 'l':
			if !g.labeled {
				b.WriteString("[" + strings.Join(mapStrings(it.list, quoteJSON), ", ") + "]")
				break
			}
			for _, s := range it.list {
				b.WriteString("\n" + strings.Repeat("  ", depth+1) + "- " + quoteJSON(s))
			}
		case 'g':
			writeYAML(b, it.group, depth+1, !g.labeled)
		}
	}
}

func mapStrings(list []string, f func(string) string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = f(s)
	}
	return out
}

func writeXML(b *strings.Builder, it item, depth int) {
	pad := "\n" + strings.Repeat("  ", depth)
	tag := xmlTag(it.label)
	switch it.kind {
	case 't', 'r':
		fmt.Fprintf(b, "%s<%s>%s</%s>", pad, tag, xmlText(it.text+it.raw), tag)
	case 'l':
		fmt.Fprintf(b, "%s<%s>", pad, tag)
		for _, s := range it.list {
			fmt.Fprintf(b, "%s  <Item>%s</Item>", pad, xmlText(s))
		}
		fmt.Fprintf(b, "%s</%s>", pad, tag)
	case 'g':
		tag = xmlTag(it.group.kind)
		fmt.Fprintf(b, "%s<%s>", pad, tag)
		for _, x := range it.group.items {
			writeXML(b, x, depth+1)
		}
		fmt.Fprintf(b, "%s</%s>", pad, tag)
	}
}

func xmlTag(s string) string { return strings.ReplaceAll(s, " ", "-") }

var xmlEscaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "\r", "&#x0d;")

func xmlText(s string) string { return xmlEscaper.Replace(s) }
