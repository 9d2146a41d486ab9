package session

import (
	"testing"

	"github.com/calfdb/calf/sql/types"
)

// Linking is the test: a function that two packages register, or a setting with two checks, panics in an init function.
func TestBuiltInsAreRegisteredOnce(t *testing.T) {
	for _, name := range []string{"show_config_by_name", "current_schemas", "pg_sleep", "int4pl"} {
		if _, ok := types.LookupFunc(name); !ok {
			t.Errorf("%s is not registered", name)
		}
	}
}
