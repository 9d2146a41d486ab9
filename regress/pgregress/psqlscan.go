package pgregress

import (
	"regexp"
	"strings"
)

// unit is what psql reads up to the end of a line at which no statement is open: normally one statement, several when they share lines, or one
// backslash command, with the comments before it. psql -a echoes the lines of a unit one after the other, and then prints what it gave.
type unit struct {
	lines   []string // as psql echoes them: empty lines are there only within quotes and comments
	line    int      // in the file, from 1, of the first line that is not blank or comment
	sql     bool     // something goes to the server: SQL, or a backslash command that asks it something
	copyIns int      // number of COPY ... FROM STDIN: for each that the server takes, the lines up to \. are data and not echoed
}

// text is the unit as written.
func (u *unit) text() string { return strings.Join(u.lines, "\n") }

// psqlScanner cuts a file into units by psql's own lexical rules (fe_utils/psqlscan.l): quotes of all kinds, nested comments, parentheses, the
// bodies of CREATE FUNCTION ... BEGIN ATOMIC, and backslash commands. Values of psql variables are not substituted: a variable that holds
// half of a quote would mislead it.
type psqlScanner struct {
	lines []string
	next  int // index of the next line

	quote       byte   // state within a line's end: 0, ' (plain), e (with escapes), " (identifier), $ (dollar), c (comment)
	dollarTag   string // of quote $, with its dollars
	comment     int    // depth of nested comments
	parens      int
	begins      int       // depth of BEGIN ... END in a function's body
	words       [4]string // the first words of the statement
	wordCount   int
	pending     bool // the query buffer holds something
	plainEscape bool // standard_conforming_strings is off
}

func newPsqlScanner(src string) *psqlScanner {
	lines := strings.Split(src, "\n")
	if n := len(lines); lines[n-1] == "" {
		lines = lines[:n-1]
	}
	if len(lines) > 0 {
		lines[0] = strings.TrimPrefix(lines[0], "\ufeff")
	}
	return &psqlScanner{lines: lines}
}

// unit gives the next unit; nil at the end of the file.
func (s *psqlScanner) unit() *unit {
	u := &unit{}
	for s.next < len(s.lines) {
		line := s.lines[s.next]
		s.next++
		if line == "" && s.quote == 0 {
			continue
		}
		u.lines = append(u.lines, line)
		sql, command := s.scanLine(line)
		if (sql || command != "") && u.line == 0 {
			u.line = s.next
		}
		u.sql = u.sql || sql || (command != "" && !clientCommands[command])
		// A command may print in the middle of a statement, and so it ends a unit too.
		if (!s.pending || command != "") && s.quote == 0 && u.line > 0 {
			break
		}
	}
	if len(u.lines) == 0 {
		return nil
	}
	if u.line == 0 {
		u.line = s.next
	}
	text := u.text()
	u.copyIns = len(copyFromStdin.FindAllString(text, -1))
	if m := setStandardStrings.FindStringSubmatch(text); m != nil {
		s.plainEscape = strings.EqualFold(m[1], "off")
	}
	return u
}

// skipCopyData skips the lines of COPY data that follow, blocks times up to \. or to the end of the file.
func (s *psqlScanner) skipCopyData(blocks int) {
	for s.next < len(s.lines) && blocks > 0 {
		if s.lines[s.next] == `\.` {
			blocks--
		}
		s.next++
	}
}

var (
	copyFromStdin      = regexp.MustCompile(`(?i)(^|[\s;])\\?copy\s[^;]*\sfrom\s+(stdin|stdout|pstdin)\b`)
	setStandardStrings = regexp.MustCompile(`(?i)\bset\s+standard_conforming_strings\s*(?:to|=)\s*'?(on|off)`)
)

// clientCommands are backslash commands that print nothing of the server's: they cost and earn nothing.
var clientCommands = setOf("!", "a", "C", "cd", "echo", "elif", "else", "encoding", "endif", "f", "getenv", "H", "if", "p", "pset", "q", "qecho", "quit",
	"r", "reset", "set", "setenv", "t", "T", "timing", "unset", "warn", "x", "\\")

// sendCommands end the query buffer.
var sendCommands = setOf("g", "gx", "gdesc", "gset", "gexec", "crosstabview", "watch", "r", "reset")

// wholeLineCommands take the rest of the line as it is.
var wholeLineCommands = setOf("!", "copy", "ef", "ev", "sf", "sf+", "sv", "sv+", "h", "help")

func setOf(names ...string) map[string]bool {
	set := map[string]bool{}
	for _, n := range names {
		set[n] = true
	}
	return set
}

// scanLine reads a line; it says whether there is SQL in it, and the name of the last backslash command that asks the server something, else of the
// last one.
func (s *psqlScanner) scanLine(line string) (sql bool, command string) {
	sql = s.pending && s.quote != 'c'
	for i := 0; i < len(line); {
		if s.quote != 0 {
			i = s.skipQuoted(line, i)
			continue
		}
		c := line[i]
		switch {
		case c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v':
			i++
		case strings.HasPrefix(line[i:], "--"):
			return sql, command
		case strings.HasPrefix(line[i:], "/*"):
			s.quote, s.comment = 'c', 1
			i += 2
		case c == '\\' && i+1 < len(line) && (line[i+1] == ';' || line[i+1] == ':'):
			s.pending, sql = true, true
			s.wordCount = 0
			i += 2
		case c == '\\':
			var name string
			name, i = s.scanCommand(line, i+1)
			if command == "" || !clientCommands[name] {
				command = name
			}
		default:
			sql = true
			i = s.scanSQL(line, i)
		}
	}
	return sql, command
}

// scanSQL reads one token that is not a comment, and gives the place behind it.
func (s *psqlScanner) scanSQL(line string, i int) int {
	s.pending = true
	switch c := line[i]; {
	case c == '\'':
		s.quote = '\''
		if prefix := strings.ToLower(line[max(0, i-2):i]); s.plainEscape && prefix != "u&" || escapePrefix.MatchString(prefix) {
			s.quote = 'e'
		}
		return i + 1
	case c == '"':
		s.quote = '"'
		return i + 1
	case c == '$':
		if tag := dollarTag.FindString(line[i:]); tag != "" {
			s.quote, s.dollarTag = '$', tag
			return i + len(tag)
		}
	case c == '(':
		s.parens++
	case c == ')':
		s.parens = max(0, s.parens-1)
	case c == ';':
		if s.parens == 0 && s.begins == 0 {
			s.pending, s.wordCount = false, 0
		}
	case isIdentStart(c):
		end := i + 1
		for end < len(line) && (isIdent(line[end]) || line[end] == '$') {
			end++
		}
		s.word(strings.ToLower(line[i:end]))
		return end
	case c >= '0' && c <= '9': // 1e5 or $1 hold no word
		for i < len(line) && isIdent(line[i]) {
			i++
		}
		return i
	}
	return i + 1
}

var escapePrefix = regexp.MustCompile(`(^|[^a-z0-9_\x80-\xff])e$`)

var dollarTag = regexp.MustCompile(`^\$([A-Za-z_\x80-\xff][A-Za-z_0-9\x80-\xff]*)?\$`)

func isIdentStart(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= 0x80
}

func isIdent(c byte) bool { return isIdentStart(c) || c >= '0' && c <= '9' }

// word follows the BEGIN ... END blocks of functions, as psql does: only after CREATE [OR REPLACE] {FUNCTION|PROCEDURE}.
func (s *psqlScanner) word(w string) {
	if s.wordCount == 0 {
		s.words = [4]string{}
	}
	if s.wordCount < len(s.words) {
		s.words[s.wordCount] = w
	}
	s.wordCount++
	if s.parens > 0 || !createsRoutine(s.words) {
		return
	}
	switch {
	case w == "begin", w == "case" && s.begins > 0:
		s.begins++
	case w == "end":
		s.begins = max(0, s.begins-1)
	}
}

func createsRoutine(words [4]string) bool {
	kind := words[1]
	if words[1] == "or" && words[2] == "replace" {
		kind = words[3]
	}
	return words[0] == "create" && (kind == "function" || kind == "procedure")
}

// skipQuoted goes on from i within a quote or comment, to its end or that of the line.
func (s *psqlScanner) skipQuoted(line string, i int) int {
	switch s.quote {
	case '$':
		if end := strings.Index(line[i:], s.dollarTag); end >= 0 {
			s.quote = 0
			return i + end + len(s.dollarTag)
		}
		return len(line)
	case 'c':
		return s.skipComment(line, i)
	case 'e':
		if line[i] == '\\' {
			return min(i+2, len(line))
		}
	}
	end := s.quote
	if end == 'e' {
		end = '\''
	}
	if line[i] != end {
		return i + 1
	}
	if i+1 < len(line) && line[i+1] == end { // doubled: a quote within the quote
		return i + 2
	}
	s.quote = 0
	return i + 1
}

func (s *psqlScanner) skipComment(line string, i int) int {
	switch {
	case strings.HasPrefix(line[i:], "/*"):
		s.comment++
		return i + 2
	case strings.HasPrefix(line[i:], "*/"):
		s.comment--
		if s.comment == 0 {
			s.quote = 0
		}
		return i + 2
	}
	return i + 1
}

// scanCommand reads a backslash command whose name begins at i, with its arguments, which another backslash ends.
func (s *psqlScanner) scanCommand(line string, i int) (name string, next int) {
	start := i
	for i < len(line) && line[i] != ' ' && line[i] != '\t' && line[i] != '\\' {
		i++
	}
	if i == start && i < len(line) && line[i] == '\\' { // \\ only ends the arguments of the command before it
		return "\\", i + 1
	}
	name = line[start:i]
	if sendCommands[name] {
		s.pending, s.parens, s.begins, s.wordCount = false, 0, 0, 0
	}
	if wholeLineCommands[name] {
		return name, len(line)
	}
	for i < len(line) && line[i] != '\\' {
		i = skipArgument(line, i)
	}
	return name, i
}

// skipArgument goes over a character or a whole quote of a backslash command's arguments.
func skipArgument(line string, i int) int {
	quote := line[i]
	if quote != '\'' && quote != '"' && quote != '`' {
		return i + 1
	}
	for i++; i < len(line); i++ {
		if line[i] == '\\' && quote == '\'' {
			i++
		} else if line[i] == quote {
			return i + 1
		}
	}
	return len(line)
}
