package ddl

import (
	"fmt"
	"strconv"
	"strings"

	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/sql/pgerr"
)

// storageOption is a storage parameter: its kind of value and its range.
type storageOption struct {
	kind     byte // 'i' integer, 'f' float, 'b' boolean, 'e' enumeration
	min, max float64
	values   []string
}

// tableOptions are the storage parameters of tables.
var tableOptions = map[string]storageOption{
	"fillfactor": {'i', 10, 100, nil}, "toast_tuple_target": {'i', 128, 8160, nil}, "parallel_workers": {'i', 0, 1024, nil},
	"autovacuum_enabled": {kind: 'b'}, "user_catalog_table": {kind: 'b'}, "vacuum_truncate": {kind: 'b'},
	"vacuum_index_cleanup":        {kind: 'e', values: []string{"auto", "on", "off", "true", "false", "yes", "no", "1", "0"}},
	"autovacuum_vacuum_threshold": {'i', 0, 2147483647, nil}, "autovacuum_vacuum_insert_threshold": {'i', -1, 2147483647, nil},
	"autovacuum_analyze_threshold": {'i', 0, 2147483647, nil}, "autovacuum_vacuum_scale_factor": {'f', 0, 100, nil},
	"autovacuum_vacuum_insert_scale_factor": {'f', 0, 100, nil}, "autovacuum_analyze_scale_factor": {'f', 0, 100, nil},
	"autovacuum_vacuum_cost_delay": {'f', 0, 100, nil}, "autovacuum_vacuum_cost_limit": {'i', 1, 10000, nil},
	"autovacuum_freeze_min_age": {'i', 0, 1000000000, nil}, "autovacuum_freeze_max_age": {'i', 100000, 2000000000, nil},
	"autovacuum_freeze_table_age": {'i', 0, 2000000000, nil}, "autovacuum_multixact_freeze_min_age": {'i', 0, 1000000000, nil},
	"autovacuum_multixact_freeze_max_age": {'i', 10000, 2000000000, nil}, "autovacuum_multixact_freeze_table_age": {'i', 0, 2000000000, nil},
	"log_autovacuum_min_duration": {'i', -1, 2147483647, nil},
}

// btreeOptions are those of btree indexes, hashOptions of hash ones.
var btreeOptions = map[string]storageOption{
	"fillfactor": {'i', 10, 100, nil}, "deduplicate_items": {kind: 'b'}, "vacuum_cleanup_index_scale_factor": {'f', 0, 1e10, nil},
}
var hashOptions = map[string]storageOption{"fillfactor": {'i', 10, 100, nil}}

var viewOptions = map[string]storageOption{
	"security_barrier": {kind: 'b'}, "security_invoker": {kind: 'b'}, "check_option": {kind: 'e', values: []string{"local", "cascaded"}},
}

// mergeOptions applies SET or RESET of storage parameters to the present ones. Options of the TOAST table are checked and not kept: wide values
// are in the table's own storage.
func mergeOptions(old []string, defs []*pg_query.Node, known map[string]storageOption, reset bool) ([]string, error) {
	list := append([]string(nil), old...)
	for _, n := range defs {
		d := n.GetDefElem()
		name := strings.ToLower(d.Defname)
		if d.Defnamespace != "" && d.Defnamespace != "toast" {
			return nil, pgerr.New(pgerr.InvalidParameterValue, "unrecognized parameter namespace \"%s\"", d.Defnamespace)
		}
		if name == "oids" && d.Defnamespace == "" {
			if v, err := defBool(d); err != nil || v {
				return nil, pgerr.New(pgerr.FeatureNotSupported, "tables declared WITH OIDS are not supported")
			}
			continue
		}
		o, ok := known[name]
		if !ok {
			return nil, pgerr.New(pgerr.InvalidParameterValue, "unrecognized parameter \"%s\"", name)
		}
		value := ""
		if !reset {
			var err error
			if value, err = o.check(name, d); err != nil {
				return nil, err
			}
		}
		if d.Defnamespace == "toast" {
			continue
		}
		kept := list[:0]
		for _, have := range list {
			if k, _, _ := strings.Cut(have, "="); k != name {
				kept = append(kept, have)
			}
		}
		list = kept
		if !reset {
			list = append(list, name+"="+value)
		}
	}
	return list, nil
}

// check verifies a value and gives it as it is kept.
func (o storageOption) check(name string, d *pg_query.DefElem) (string, error) {
	text := "true"
	if d.Arg != nil {
		text = defText(d.Arg)
	}
	bad := func(kind string) error {
		return pgerr.New(pgerr.InvalidParameterValue, "invalid value for %s option \"%s\": %s", kind, name, text)
	}
	switch o.kind {
	case 'b':
		if _, ok := parseBool(text); !ok {
			return "", bad("boolean")
		}
	case 'i':
		v, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return "", bad("integer")
		}
		if float64(v) < o.min || float64(v) > o.max {
			return "", pgerr.New(pgerr.InvalidParameterValue, "value %s out of bounds for option \"%s\"", text, name).
				WithDetail("Valid values are between \"%d\" and \"%d\".", int64(o.min), int64(o.max))
		}
	case 'f':
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return "", bad("floating point")
		}
		if v < o.min || v > o.max {
			return "", pgerr.New(pgerr.InvalidParameterValue, "value %s out of bounds for option \"%s\"", text, name).
				WithDetail("Valid values are between \"%f\" and \"%f\".", o.min, o.max)
		}
	case 'e':
		for _, v := range o.values {
			if strings.EqualFold(v, text) {
				return text, nil
			}
		}
		return "", pgerr.New(pgerr.InvalidParameterValue, "invalid value for enum option \"%s\": %s", name, text)
	}
	return text, nil
}

// parseBool reads a boolean as settings do: a unique prefix of true, false, yes, no, or on, off, 1, 0.
func parseBool(s string) (value, ok bool) {
	s = strings.ToLower(s)
	if s == "" {
		return false, false
	}
	switch {
	case strings.HasPrefix("true", s), strings.HasPrefix("yes", s), s == "on", s == "1":
		return true, true
	case strings.HasPrefix("false", s), strings.HasPrefix("no", s), s == "of", s == "off", s == "0":
		return false, true
	}
	return false, false
}

// defText gives an option's argument as text.
func defText(n *pg_query.Node) string {
	switch x := n.Node.(type) {
	case *pg_query.Node_String_:
		return x.String_.Sval
	case *pg_query.Node_Integer:
		return strconv.Itoa(int(x.Integer.Ival))
	case *pg_query.Node_Float:
		return x.Float.Fval
	case *pg_query.Node_Boolean:
		return strconv.FormatBool(x.Boolean.Boolval)
	case *pg_query.Node_TypeName:
		return joinName(strs(x.TypeName.Names))
	case *pg_query.Node_List:
		return joinName(strs(x.List.Items))
	case *pg_query.Node_AStar:
		return "*"
	}
	return fmt.Sprintf("%T", n.Node)
}

// defBool gives a boolean option; without an argument it is true.
func defBool(d *pg_query.DefElem) (bool, error) {
	if d.Arg == nil {
		return true, nil
	}
	if i, ok := d.Arg.Node.(*pg_query.Node_Integer); ok && i.Integer.Ival > 1 {
		return false, pgerr.New(pgerr.SyntaxError, "%s requires a Boolean value", d.Defname)
	}
	switch strings.ToLower(defText(d.Arg)) {
	case "true", "on", "1":
		return true, nil
	case "false", "off", "0":
		return false, nil
	}
	return false, pgerr.New(pgerr.SyntaxError, "%s requires a Boolean value", d.Defname)
}

// defInt gives an integer option.
func defInt(d *pg_query.DefElem) (int64, error) {
	if d.Arg == nil {
		return 0, pgerr.New(pgerr.SyntaxError, "%s requires a numeric value", d.Defname)
	}
	v, err := strconv.ParseInt(defText(d.Arg), 10, 64)
	if err != nil {
		return 0, pgerr.New(pgerr.SyntaxError, "%s requires a numeric value", d.Defname)
	}
	return v, nil
}
