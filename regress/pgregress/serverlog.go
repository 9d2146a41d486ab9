package pgregress

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
)

func logSize(path string) int64 {
	if info, err := os.Stat(path); err == nil {
		return info.Size()
	}
	return 0
}

// crashReason finds in the part of a server's log from an offset on why the server, or the session, ended.
func crashReason(path string, from int64) string {
	b, err := os.ReadFile(path)
	if err != nil || int64(len(b)) < from {
		return ""
	}
	for _, line := range strings.Split(string(b[from:]), "\n") {
		if reason := sessionPanic(line); reason != "" {
			return reason
		}
		if crashLine.MatchString(line) {
			return strings.TrimSpace(line)
		}
	}
	return ""
}

// crashLine is what the Go runtime prints when a program ends, or PostgreSQL logs when a process of its ended.
var crashLine = regexp.MustCompile(`^(panic: |fatal error: |SIGSEGV|runtime: goroutine stack exceeds|SIGQUIT: quit)|terminated by signal|PANIC: `)

// sessionPanic reads calf's log line of a panic that ended a session: its message, and where in calf it was.
func sessionPanic(line string) string {
	if !strings.Contains(line, `"stack":`) {
		return ""
	}
	var entry struct{ Message, Stack string }
	if json.Unmarshal([]byte(line), &entry) != nil {
		return ""
	}
	if place := panicPlace(entry.Stack); place != "" {
		return entry.Message + " at " + place
	}
	return entry.Message
}

// panicPlace is the innermost file and line of the program, below the runtime and the libraries, in a stack of Go.
func panicPlace(stack string) string {
	_, stack, _ = strings.Cut(stack, "\npanic(")
	for _, line := range strings.Split(stack, "\n") {
		if m := calfFrame.FindStringSubmatch(line); m != nil && !strings.Contains(line, "/go/") {
			return m[1]
		}
	}
	return ""
}

var calfFrame = regexp.MustCompile(`^\t.*?((?:sql|executor|storage|index|lock|plancache|pgwire|cmd)/[^ ]*\.go:\d+)`)
