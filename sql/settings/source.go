package settings

// Source says where a value came from; a later one overrides an earlier one.
type Source uint8

const (
	SourceDefault Source = iota
	SourceDynamicDefault
	SourceEnvironment
	SourceFile
	SourceArgv
	SourceGlobal // ALTER ROLE ALL SET
	SourceDatabase
	SourceUser
	SourceDatabaseUser
	SourceClient
	SourceOverride
	SourceInteractive
	SourceTest
	SourceSession
)

var sourceNames = [...]string{"default", "default", "environment variable", "configuration file", "command line", "global", "database", "user",
	"database user", "client", "override", "interactive", "test", "session"}

// String is the name in pg_settings.source.
func (s Source) String() string { return sourceNames[s] }

// slot is a value and where it came from. line is of the configuration file.
type slot struct {
	v      Value
	source Source
	file   string
	line   int
}
