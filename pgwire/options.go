package pgwire

import (
	"strings"

	"github.com/calfdb/calf/sql/pgerr"
)

// splitOptions cuts the "options" start-up parameter into words: blanks separate, a backslash takes the next character literally.
func splitOptions(s string) []string {
	var words []string
	var word strings.Builder
	in := false
	for i := 0; i < len(s); i++ {
		switch ch := s[i]; {
		case ch == '\\' && i+1 < len(s):
			i++
			word.WriteByte(s[i])
			in = true
		case ch == '\\':
		case isBlank(ch):
			if in {
				words = append(words, word.String())
				word.Reset()
			}
			in = false
		default:
			word.WriteByte(ch)
			in = true
		}
	}
	if in {
		words = append(words, word.String())
	}
	return words
}

func isBlank(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

// shortOptions are PostgreSQL's one-letter backend switches that are names of settings. A switch with a value takes it as the rest of
// the word or the next word.
var shortOptions = map[byte]Setting{
	'e': {"datestyle", "euro"},
	'F': {"fsync", "false"},
	'O': {"allow_system_table_mods", "true"},
	'P': {"ignore_system_indexes", "true"},
	's': {"log_statement_stats", "true"},
}

var shortOptionsWithValue = map[byte]string{
	'B': "shared_buffers", 'd': "client_min_messages", 'h': "listen_addresses", 'k': "unix_socket_directories", 'N': "max_connections",
	'p': "port", 'S': "work_mem", 'W': "post_auth_delay",
}

// ParseOptions reads command-line style settings (`-c a=b`, `-ca=b`, `--a=b`, and PostgreSQL's short switches).
func ParseOptions(s string) ([]Setting, error) {
	var out []Setting
	words := splitOptions(s)
	for i := 0; i < len(words); i++ {
		word := words[i]
		switch {
		case strings.HasPrefix(word, "--") && len(word) > 2:
			st, err := splitSetting("--", word[2:])
			if err != nil {
				return nil, err
			}
			out = append(out, st)
		case len(word) >= 2 && word[0] == '-' && word[1] != '-':
			st, used, err := shortOption(word, words[i+1:])
			if err != nil {
				return nil, err
			}
			i += used
			out = append(out, st)
		default:
			return nil, errBadOption(word)
		}
	}
	return out, nil
}

// shortOption reads one `-x` switch; used counts the words of rest that it took.
func shortOption(word string, rest []string) (st Setting, used int, err error) {
	if st, ok := shortOptions[word[1]]; ok && len(word) == 2 {
		return st, 0, nil
	}
	name, named := shortOptionsWithValue[word[1]]
	if word[1] != 'c' && !named {
		return Setting{}, 0, errBadOption(word)
	}
	value := word[2:]
	if value == "" {
		if len(rest) == 0 {
			return Setting{}, 0, errBadOption(word)
		}
		value, used = rest[0], 1
	}
	if named {
		return Setting{name, value}, used, nil
	}
	st, err = splitSetting("-c ", value)
	return st, used, err
}

// splitSetting cuts name=value; dashes in the name stand for underscores.
func splitSetting(prefix, s string) (Setting, error) {
	name, value, ok := strings.Cut(s, "=")
	if !ok {
		return Setting{}, pgerr.Fatal(pgerr.SyntaxError, "%s%s requires a value", prefix, s)
	}
	return Setting{strings.ReplaceAll(name, "-", "_"), value}, nil
}

func errBadOption(word string) error {
	return pgerr.Fatal(pgerr.SyntaxError, "invalid command-line argument for server process: %s", word).
		WithHint("Try \"%s --help\" for more information.", "postgres")
}
