package types

import "github.com/calfdb/calf/sql/pgerr"

// Pseudo-types and the internal forms of statistics have no text that makes a value: their input, and for most their output, says so.

func init() {
	const accept, display = "cannot accept a value of type %s", "cannot display a value of type %s"
	refuse := func(format, name string) error { return pgerr.New(pgerr.FeatureNotSupported, format, name) }
	noInput := func(prosrc, name string) {
		inFuncs[prosrc] = func(*Env, *IO, string, int32) (Datum, error) { return Null, refuse(accept, name) }
		RegisterFunc(prosrc, func(*Call) (Datum, error) { return Null, refuse(accept, name) })
	}
	noOutput := func(prosrc, name string) {
		outFuncs[prosrc] = func(_ *Env, _ *IO, dst []byte, _ Datum) ([]byte, error) { return dst, refuse(display, name) }
		RegisterFunc(prosrc, func(*Call) (Datum, error) { return Null, refuse(display, name) })
	}
	for _, n := range []string{"any", "anyelement", "anynonarray", "anycompatible", "anycompatiblenonarray", "event_trigger", "fdw_handler",
		"index_am_handler", "internal", "language_handler", "pg_ddl_command", "table_am_handler", "trigger", "tsm_handler"} {
		noInput(n+"_in", n)
		noOutput(n+"_out", n)
	}
	for _, n := range []string{"anyarray", "anycompatiblearray", "anyenum", "anyrange", "anycompatiblerange", "anymultirange",
		"anycompatiblemultirange"} {
		noInput(n+"_in", n)
	}
	for _, n := range []string{"pg_node_tree", "pg_ndistinct", "pg_dependencies", "pg_mcv_list", "pg_brin_bloom_summary",
		"pg_brin_minmax_multi_summary"} {
		in := map[string]string{"pg_brin_bloom_summary": "brin_bloom_summary_in", "pg_brin_minmax_multi_summary": "brin_minmax_multi_summary_in"}[n]
		if in == "" {
			in = n + "_in"
		}
		noInput(in, n)
	}
	for prosrc, text := range map[string]string{"shell_in": "cannot accept a value of a shell type", "shell_out": "cannot display a value of a shell type"} {
		RegisterFunc(prosrc, func(*Call) (Datum, error) { return Null, pgerr.New(pgerr.FeatureNotSupported, "%s", text) })
	}
	registerPolymorphicOutput()
}

// registerPolymorphicOutput: a value of a polymorphic type is printed as what it is.
func registerPolymorphicOutput() {
	for prosrc, real := range map[string]string{"anycompatiblearray_out": "array_out", "anyenum_out": "enum_out", "anyrange_out": "range_out",
		"anycompatiblerange_out": "range_out", "anymultirange_out": "multirange_out", "anycompatiblemultirange_out": "multirange_out"} {
		outFuncs[prosrc] = func(env *Env, io *IO, dst []byte, d Datum) ([]byte, error) { return outFuncs[real](env, io, dst, d) }
		RegisterFunc(prosrc, func(c *Call) (Datum, error) { return callOutput(c, outFuncs[real]) })
	}
	sendFuncs["anycompatiblearray_send"] = func(env *Env, io *IO, dst []byte, d Datum) ([]byte, error) {
		return sendFuncs["array_send"](env, io, dst, d)
	}
	RegisterFunc("anycompatiblearray_send", func(c *Call) (Datum, error) { return callOutput(c, sendFuncs["array_send"]) })
}
