package executor

import (
	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/types"
)

// Language is a procedural language: what CREATE FUNCTION, calls, triggers and DO ask of it. A nil field means that it can't do that.
type Language struct {
	// Validate checks a function that was just made, when check_function_bodies is on.
	Validate func(c *Command, p *catalog.Proc) error
	// Function and SetFunction make the callable of a function at one call site; call tells the types of the arguments and of the result.
	Function    func(b *Backend, p *catalog.Proc, call *types.Call) (types.Func, error)
	SetFunction func(b *Backend, p *catalog.Proc, call *types.Call) (types.SRF, error)
	// Trigger makes the callable of a trigger function for one trigger.
	Trigger func(b *Backend, p *catalog.Proc, tg *catalog.Trigger) (TriggerFunc, error)
	// Inline runs the text of a DO command.
	Inline func(c *Command, body string) error
}

var languages = map[string]*Language{}

// RegisterLanguage names a language's implementation. For init functions.
func RegisterLanguage(name string, l *Language) { languages[name] = l }

// LookupLanguage finds a language by name, nil when there is no implementation.
func LookupLanguage(name string) *Language { return languages[name] }
