package pgregress

import (
	"fmt"
	"io"
	"regexp"
	"sort"
	"strings"
)

// Cause is a reason why statements differ: a normalised error text, or the kind of the difference.
type Cause struct {
	Text    string
	Count   int    // statements that differ so themselves
	Follow  int    // statements that differ only because one with this cause came before: it did not create the table they read, or the like
	Files   int    // files in which it counts
	Example string // file:line of the first
}

// attribution finds the cause of each statement that differs, and follows causes to the statements that could not work after them.
type attribution struct {
	causes map[string]*Cause
	files  map[string]map[string]bool
	made   map[string]string // object that was not created, or table whose rows are not as they should be -> the cause
}

func newAttribution() *attribution {
	return &attribution{causes: map[string]*Cause{}, files: map[string]map[string]bool{}, made: map[string]string{}}
}

// add attributes the differences of a test. Tests come in the order in which they ran.
func (a *attribution) add(f *FileResult) {
	last := "" // the cause of the last error in the file, which aborts its transaction
	for i := range f.Statements {
		s := &f.Statements[i]
		if s.Same {
			if m := createdName(s.Text); m != "" {
				delete(a.made, m)
			}
			continue
		}
		own, root := a.causeOf(f, s), ""
		switch {
		case strings.HasPrefix(own, abortedTransaction):
			root = last
		default:
			root = a.rootOf(s, own)
		}
		if root == "" || root == own {
			a.count(own, f.Name, s, false)
			root = own
		} else {
			a.count(root, f.Name, s, true)
		}
		last = root
		for _, name := range touchedNames(s.Text) {
			if _, known := a.made[name]; !known {
				a.made[name] = root
			}
		}
	}
}

const abortedTransaction = "ERROR:  current transaction is aborted"

func (a *attribution) count(cause, file string, s *Statement, follows bool) {
	c := a.causes[cause]
	if c == nil {
		c = &Cause{Text: cause, Example: fmt.Sprintf("%s:%d", file, s.Line)}
		a.causes[cause], a.files[cause] = c, map[string]bool{}
	}
	if follows {
		c.Follow++
	} else {
		c.Count++
	}
	a.files[cause][file] = true
}

// list gives the causes, the most costly first.
func (a *attribution) list() []Cause {
	out := make([]Cause, 0, len(a.causes))
	for text, c := range a.causes {
		c.Files = len(a.files[text])
		out = append(out, *c)
	}
	sort.Slice(out, func(i, j int) bool {
		if x, y := out[i].Count+out[i].Follow, out[j].Count+out[j].Follow; x != y {
			return x > y
		}
		return out[i].Text < out[j].Text
	})
	return out
}

// WriteCauses prints the first n causes.
func (r *Report) WriteCauses(w io.Writer, n int) error {
	fmt.Fprintf(w, "%6s %6s %6s %5s  %-24s %s\n", "total", "itself", "follow", "files", "first at", "cause")
	var err error
	for i, c := range r.Causes {
		if i == n {
			break
		}
		_, err = fmt.Fprintf(w, "%6d %6d %6d %5d  %-24s %s\n", c.Count+c.Follow, c.Count, c.Follow, c.Files, c.Example, shorten(c.Text, 150))
	}
	return err
}

// causeOf names the difference of one statement.
func (a *attribution) causeOf(f *FileResult, s *Statement) string {
	switch {
	case s.NeedsC:
		return "(a library of C functions)"
	case !s.Ran:
		return fmt.Sprintf("(not reached: %s at %s.sql:%d: %s)", orElse(f.End.String(), "psql went another way"), f.Name, f.EndLine, firstLine(f.EndText))
	case f.End != WholeFile && s.Line == f.EndLine:
		return fmt.Sprintf("(%s at %s.sql:%d: %s)", f.End, f.Name, f.EndLine, firstLine(f.EndText))
	}
	wanted := map[string]bool{}
	for _, l := range s.Expected {
		wanted[l] = true
	}
	for _, l := range s.Actual {
		if isError(l) && !wanted[l] {
			return normalise(l)
		}
	}
	return differenceOf(s)
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

func isError(line string) bool {
	return strings.HasPrefix(line, "ERROR:  ") || strings.HasPrefix(line, "FATAL:  ") || strings.HasPrefix(line, "psql:") || strings.HasPrefix(line, "invalid command")
}

// differenceOf names a difference in which no error is at fault.
func differenceOf(s *Statement) string {
	got := map[string]bool{}
	for _, l := range s.Actual {
		got[l] = true
	}
	for _, l := range s.Expected {
		if isError(l) && !got[l] {
			return "(no error) PostgreSQL: " + normalise(l)
		}
	}
	command := strings.ToUpper(firstWord(s.Text))
	switch {
	case command == "EXPLAIN":
		return "(another plan)"
	case strings.HasPrefix(command, `\`):
		return "(another output of " + strings.ToLower(command) + ")"
	}
	for _, l := range s.Expected {
		if !got[l] && messageLine.MatchString(l) {
			return "(no such message) PostgreSQL: " + normalise(l)
		}
	}
	wanted := map[string]bool{}
	for _, l := range s.Expected {
		wanted[l] = true
	}
	for _, l := range s.Actual {
		if !wanted[l] && messageLine.MatchString(l) {
			return "(a message too much) " + normalise(l)
		}
	}
	return "(another result of " + command + ")"
}

var messageLine = regexp.MustCompile(`^(NOTICE|WARNING|INFO|LOG|DEBUG|DETAIL|HINT|CONTEXT|LINE \d+|QUERY):`)

func firstWord(text string) string {
	w, _, _ := strings.Cut(firstLine(text), " ")
	return strings.TrimRight(w, ";(")
}

// normalise makes one text of messages that differ in names and numbers. What is missing keeps its name: a type, a function, a setting.
func normalise(line string) string {
	line = quotedName.ReplaceAllStringFunc(line, func(m string) string {
		sub := quotedName.FindStringSubmatch(m)
		if keepsName[strings.ToLower(sub[1])] {
			return m
		}
		return sub[1] + sub[2] + `"*"`
	})
	return number.ReplaceAllString(line, "${1}N")
}

var (
	quotedName = regexp.MustCompile(`(?:\b([a-z]+))?(\s?)"[^"]*"`)
	number     = regexp.MustCompile(`(^|[^A-Za-z_0-9])\d+`)
	keepsName  = setOf("type", "function", "operator", "language", "method", "parameter", "extension", "option", "near", "encoding", "collation", "setting", "statement")
)

var notThere = regexp.MustCompile(`(?:relation|table|view|sequence|index|schema|role|type|function|procedure|aggregate|column|domain|cursor|statement|trigger|database|collation|rule|policy|publication|server|operator class|operator family|text search \w+|materialized view|foreign table|foreign-data wrapper|constraint) "?([A-Za-z_0-9.]+)"?(?:\(.*\))? (?:of relation "([^"]+)" )?does not exist`)

// rootOf gives the cause that a statement's difference follows from, "" for none: what it lacks was not created, or what it reads is not as it
// should be, because of an earlier difference.
func (a *attribution) rootOf(s *Statement, own string) string {
	for _, l := range s.Actual {
		if m := notThere.FindStringSubmatch(l); m != nil {
			for _, name := range m[1:] {
				if root := a.made[baseName(name)]; root != "" && name != "" {
					return root
				}
			}
			return ""
		}
	}
	if !strings.HasPrefix(own, "(another ") && !strings.HasPrefix(own, "(no such ") && !strings.HasPrefix(own, "(no error") && !strings.Contains(own, "already exists") {
		return ""
	}
	for _, w := range words.FindAllString(strings.ToLower(s.Text), -1) {
		if root := a.made[w]; root != "" {
			return root
		}
	}
	return ""
}

var words = regexp.MustCompile(`[a-z_][a-z_0-9]*`)

var (
	creates = regexp.MustCompile(`(?is)^\s*create\s+(?:or\s+replace\s+)?(?:(?:global|local|temp|temporary|unlogged|unique|recursive|trusted|procedural|constraint|materialized|foreign|text|search|event|concurrently)\s+)*(?:table|view|function|procedure|aggregate|type|domain|index|sequence|schema|role|user|group|operator\s+class|operator\s+family|trigger|policy|rule|publication|server|collation|dictionary|configuration|extension|database|statistics|data\s+wrapper)\s+(?:if\s+not\s+exists\s+)?([a-z_0-9."]+)`)
	changes = regexp.MustCompile(`(?is)^\s*(?:explain\s.*?)?(?:insert\s+into|update(?:\s+only)?|delete\s+from|truncate(?:\s+table)?|alter\s+(?:table|view|function|type|domain|sequence|role|user|index|schema|materialized\s+view|foreign\s+table)|drop\s+(?:table|view|function|type|domain|sequence|role|schema|index)|copy|merge\s+into|prepare|declare|select\s.*?\sinto|refresh\s+materialized\s+view)\s+(?:(?:only|if\s+exists|table|temp|unlogged)\s+)*([a-z_0-9."]+)`)
)

// createdName is the object that a statement creates, "" for none.
func createdName(text string) string {
	if m := creates.FindStringSubmatch(withoutComments(text)); m != nil {
		return baseName(m[1])
	}
	return ""
}

// touchedNames are the objects that a statement creates or changes.
func touchedNames(text string) []string {
	text = withoutComments(text)
	var out []string
	for _, form := range []*regexp.Regexp{creates, changes} {
		if m := form.FindStringSubmatch(text); m != nil {
			out = append(out, baseName(m[1]))
		}
	}
	return out
}

func withoutComments(text string) string {
	var lines []string
	for _, l := range strings.Split(text, "\n") {
		if !strings.HasPrefix(strings.TrimSpace(l), "--") {
			lines = append(lines, l)
		}
	}
	return strings.Join(lines, "\n")
}

// baseName is the name without schema and quotes, in lower case.
func baseName(name string) string {
	name = strings.ToLower(strings.ReplaceAll(name, `"`, ""))
	return name[strings.LastIndexByte(name, '.')+1:]
}
