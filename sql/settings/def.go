package settings

import (
	_ "embed"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Kind is the type of a setting's value.
type Kind uint8

const (
	Bool Kind = iota
	Int
	Real
	String
	Enum
)

// String is the name in pg_settings.vartype.
func (k Kind) String() string { return [...]string{"bool", "integer", "real", "string", "enum"}[k] }

// Context says who may change a setting, and when.
type Context uint8

const (
	Internal   Context = iota // nobody
	Postmaster                // at server start
	Sighup                    // in the configuration file
	SuBackend                 // at connection start, superusers
	Backend                   // at connection start
	Suset                     // superusers
	Userset                   // everybody
)

var contextNames = [...]string{"internal", "postmaster", "sighup", "superuser-backend", "backend", "superuser", "user"}

// String is the name in pg_settings.context.
func (c Context) String() string { return contextNames[c] }

// Flag is a property of a setting.
type Flag uint16

const (
	Report         Flag = 1 << iota // changes are announced to the client
	ListInput                       // SET takes a comma-separated list
	ListQuote                       // elements of the list are quoted identifiers
	IsName                          // truncated to the length of a name
	NoShowAll                       // hidden from SHOW ALL and pg_settings
	NoResetAll                      // kept by RESET ALL
	NotInSample                     // not in postgresql.conf.sample
	DisallowInFile                  // refused in postgresql.conf
	DisallowInAuto                  // refused by ALTER SYSTEM
	SuperuserOnly                   // shown to superusers only
	Explain                         // shown by EXPLAIN (SETTINGS)
	NotWhileSecRest
	RuntimeComputed
	CustomPlaceholder // a.b set by a client, not defined by anybody
)

var flagNames = map[string]Flag{
	"REPORT": Report, "LIST_INPUT": ListInput, "LIST_QUOTE": ListQuote, "IS_NAME": IsName, "NO_SHOW_ALL": NoShowAll,
	"NO_RESET_ALL": NoResetAll, "NOT_IN_SAMPLE": NotInSample, "DISALLOW_IN_FILE": DisallowInFile,
	"DISALLOW_IN_AUTO_FILE": DisallowInAuto, "SUPERUSER_ONLY": SuperuserOnly, "EXPLAIN": Explain,
	"NOT_WHILE_SEC_REST": NotWhileSecRest, "RUNTIME_COMPUTED": RuntimeComputed, "ALLOW_IN_PARALLEL": 0,
}

// Def describes one setting.
type Def struct {
	Name     string // as SHOW prints it; looked up without regard to case
	Kind     Kind
	Context  Context
	Unit     string // "", or a base unit: B kB 8kB MB ms s min
	Boot     string // built-in default, as SET would take it
	Min, Max float64
	Enum     []string          // the values that are listed
	Alias    map[string]string // further spellings: what they stand for
	Flags    Flag
	Category string
	Short    string
	Extra    string

	handle  Handle
	boot    Value
	base    *unit // of Unit; nil = none
	check   CheckFunc
	display func(Value) string
}

// Handle is the index of a setting in the registry; it stays valid for the life of the process.
type Handle int32

// Handle gives d's index.
func (d *Def) Handle() Handle { return d.handle }

// Is says whether d has all of these flags.
func (d *Def) Is(f Flag) bool { return d.Flags&f == f }

//go:embed pg15.tsv
var pg15 string

// registry holds all definitions; it is complete when init functions have run, and read-only afterwards.
var registry struct {
	defs   []*Def
	byName map[string]Handle // lower case
}

// sorted lists the definitions by name without regard to case: the order of SHOW ALL and of reports.
var sorted []*Def

// oldNames are names of former versions that are still taken.
var oldNames = map[string]string{"sort_mem": "work_mem", "vacuum_mem": "maintenance_work_mem"}

// readFacts fills the registry with PostgreSQL's settings. It runs as a package variable's initialiser, before any init function and before
// the handles below are looked up.
func readFacts() bool {
	registry.byName = make(map[string]Handle, 400)
	for _, line := range strings.Split(strings.TrimRight(pg15, "\n"), "\n") {
		d, err := parseFacts(strings.Split(line, "\t"))
		if err == nil {
			err = define(d)
		}
		if err != nil {
			panic(fmt.Sprintf("settings: facts of %.40q: %v", line, err))
		}
	}
	return true
}

var factsRead = readFacts()

func parseFacts(f []string) (*Def, error) {
	if len(f) != 13 {
		return nil, fmt.Errorf("%d fields", len(f))
	}
	d := &Def{Name: f[0], Unit: f[3], Boot: f[4], Category: f[10], Short: f[11], Extra: f[12]}
	kind := slices.Index([]string{"bool", "integer", "real", "string", "enum"}, f[1])
	context := slices.Index(contextNames[:], f[2])
	if kind < 0 || context < 0 {
		return nil, fmt.Errorf("type %q, context %q", f[1], f[2])
	}
	d.Kind, d.Context = Kind(kind), Context(context)
	var err error
	if d.Kind == Int || d.Kind == Real {
		if d.Min, err = strconv.ParseFloat(f[5], 64); err != nil {
			return nil, err
		}
		if d.Max, err = strconv.ParseFloat(f[6], 64); err != nil {
			return nil, err
		}
	}
	if d.Kind == Enum {
		d.Enum = strings.Split(f[7], ",")
		d.Alias = map[string]string{}
		for _, a := range split(f[8]) {
			name, target, ok := strings.Cut(a, "=")
			if !ok { // hidden:NAME is a value of its own
				name = strings.TrimPrefix(a, "hidden:")
				target = name
			}
			d.Alias[name] = target
		}
	}
	for _, name := range split(f[9]) {
		flag, ok := flagNames[name]
		if !ok {
			return nil, fmt.Errorf("flag %q", name)
		}
		d.Flags |= flag
	}
	return d, nil
}

func split(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(s, ",")
}

// Define adds a setting: calf's own (`calf.*`) and those of languages. For init functions and package variables only.
func Define(d Def) Handle {
	_ = factsRead
	if d.Kind == Int && d.Min == 0 && d.Max == 0 {
		d.Max = math.MaxInt32
	}
	if err := define(&d); err != nil {
		panic(fmt.Sprintf("settings: defining %s: %v", d.Name, err))
	}
	return d.handle
}

func define(d *Def) error {
	key := strings.ToLower(d.Name)
	if _, dup := registry.byName[key]; dup {
		return fmt.Errorf("defined twice")
	}
	if d.Unit != "" {
		if d.base = baseUnit(d.Unit); d.base == nil {
			return fmt.Errorf("unit %q", d.Unit)
		}
	}
	v, err := d.parse(d.Boot)
	if err != nil {
		return fmt.Errorf("default %q: %w", d.Boot, err)
	}
	d.boot = v
	d.handle = Handle(len(registry.defs))
	registry.defs = append(registry.defs, d)
	registry.byName[key] = d.handle
	i, _ := slices.BinarySearchFunc(sorted, key, func(x *Def, k string) int { return strings.Compare(strings.ToLower(x.Name), k) })
	sorted = slices.Insert(sorted, i, d)
	return nil
}

// Lookup finds a definition by name (any case, former names too); nil when there is none.
func Lookup(name string) *Def {
	_ = factsRead // orders the initialisation of package variables
	key := strings.ToLower(name)
	h, ok := registry.byName[key]
	if !ok {
		if h, ok = registry.byName[oldNames[key]]; !ok {
			return nil
		}
	}
	return registry.defs[h]
}

// MustLookup is the handle of a setting that exists.
func MustLookup(name string) Handle {
	d := Lookup(name)
	if d == nil {
		panic("settings: no setting " + name)
	}
	return d.handle
}

// Defs lists all definitions, by name without regard to case.
func Defs() []*Def { return sorted }

// Def gives the definition of a handle of the registry (not of a custom setting of a session).
func (h Handle) Def() *Def { return registry.defs[h] }
