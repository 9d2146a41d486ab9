package target

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// BinaryVariable names the environment variable with the calf program that tests run; `make test` builds it once and sets it.
const BinaryVariable = "CALF_BINARY"

// BuildCalf gives the calf program for a test: that of CALF_BINARY, else one that it builds in dir. go test notes that the program was looked at, so
// a cached result is not that of an older program in the module's tree.
func BuildCalf(dir string) (string, error) {
	if bin := os.Getenv(BinaryVariable); bin != "" {
		_, err := os.Stat(bin)
		return bin, err
	}
	bin := filepath.Join(dir, "calf")
	if out, err := exec.Command("go", "build", "-o", bin, "github.com/calfdb/calf/cmd/calf").CombinedOutput(); err != nil {
		return "", fmt.Errorf("building calf: %w\n%s", err, out)
	}
	return bin, nil
}
