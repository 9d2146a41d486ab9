package pgregress

import (
	"os"
	"sort"
	"strings"
)

// clientEnv is the environment of pg_regress's psql: fixed language, time zone, date and interval styles, and what the tests themselves ask for
// (PG_ABS_SRCDIR and the like). The server's address is added to it.
func (r *runner) clientEnv(base []string) []string {
	env := map[string]string{}
	for _, kv := range base {
		k, v, _ := strings.Cut(kv, "=")
		env[k] = v
	}
	unset := []string{"LANGUAGE", "LC_ALL", "PGCLIENTENCODING", "PGDATABASE"}
	if r.opt.NoLocale {
		unset = append(unset, "LC_COLLATE", "LC_CTYPE", "LC_MONETARY", "LC_NUMERIC", "LC_TIME", "LANG")
	}
	if r.srv.Owned() {
		unset = append(unset, privateUnset...)
	}
	for _, name := range unset {
		delete(env, name)
	}
	env["PGAPPNAME"] = "pg_regress"
	env["PG_ABS_SRCDIR"] = r.opt.InputDir
	env["PG_ABS_BUILDDIR"] = r.opt.OutputDir
	env["PG_LIBDIR"] = r.opt.DLPath
	env["PG_DLSUFFIX"] = ".so"
	env["LC_MESSAGES"] = "C"
	if r.opt.Encoding != "" {
		env["PGCLIENTENCODING"] = r.opt.Encoding
	}
	env["PGTZ"] = "America/Los_Angeles"
	env["PGDATESTYLE"] = "Postgres, MDY"
	env["PGOPTIONS"] += " -c intervalstyle=postgres_verbose"
	var out []string
	for k, v := range env {
		out = append(out, k+"="+v)
	}
	sort.Strings(out)
	return append(out, r.srv.Env()...)
}

// privateUnset would lead psql to another server than the private one, or change how it behaves.
var privateUnset = []string{"PGCHANNELBINDING", "PGCONNECT_TIMEOUT", "PGDATA", "PGGSSENCMODE", "PGGSSLIB", "PGHOSTADDR", "PGKRBSRVNAME", "PGPASSFILE",
	"PGPASSWORD", "PGREQUIREPEER", "PGREQUIRESSL", "PGSERVICE", "PGSERVICEFILE", "PGSSLCERT", "PGSSLCRL", "PGSSLCRLDIR", "PGSSLKEY",
	"PGSSLMAXPROTOCOLVERSION", "PGSSLMINPROTOCOLVERSION", "PGSSLMODE", "PGSSLROOTCERT", "PGSSLSNI", "PGTARGETSESSIONATTRS"}

// sessionEnv is the environment of one test's psql.
func (r *runner) sessionEnv(test string) []string {
	return append(r.clientEnv(os.Environ()), "PGAPPNAME=pg_regress/"+test)
}
