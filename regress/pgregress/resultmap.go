package pgregress

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// resultMap names expected files of this platform, by "test:type" (the type of a file is the end of its name: out).
type resultMap map[string]string

// readResultMap reads the file resultmap of an input directory, which need not exist. Of several lines that fit, the last counts.
func readResultMap(dir, platform string) (resultMap, error) {
	b, err := os.ReadFile(filepath.Join(dir, "resultmap"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	m := resultMap{}
	for _, line := range strings.Split(strings.TrimRight(string(b), "\n"), "\n") {
		line = strings.TrimRight(line, " \t\r")
		test, rest, ok1 := strings.Cut(line, ":")
		kind, rest, ok2 := strings.Cut(rest, ":")
		pattern, file, ok3 := strings.Cut(rest, "=")
		if !ok1 || !ok2 || !ok3 {
			return nil, fmt.Errorf("incorrectly formatted resultmap entry: %s", line)
		}
		if matchesPlatform(platform, pattern) {
			m[test+":"+kind] = file
		}
	}
	return m, nil
}

// matchesPlatform matches the start of s with a pattern in which . and .* are special.
func matchesPlatform(s, pattern string) bool {
	switch {
	case pattern == "":
		return true
	case strings.HasPrefix(pattern, ".*"):
		for i := range len(s) + 1 {
			if matchesPlatform(s[i:], pattern[2:]) {
				return true
			}
		}
		return false
	case s == "" || pattern[0] != '.' && pattern[0] != s[0]:
		return false
	}
	return matchesPlatform(s[1:], pattern[1:])
}

// hostPlatform is the name of this platform as config.guess gives it.
func hostPlatform() string {
	cpu := map[string]string{"amd64": "x86_64", "arm64": "aarch64", "386": "i686", "ppc64le": "powerpc64le"}[runtime.GOARCH]
	if cpu == "" {
		cpu = runtime.GOARCH
	}
	switch runtime.GOOS {
	case "linux":
		return cpu + "-pc-linux-gnu"
	case "darwin":
		return cpu + "-apple-darwin"
	}
	return cpu + "-unknown-" + runtime.GOOS
}
