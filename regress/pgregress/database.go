package pgregress

import (
	"context"
	"fmt"
	"os"
	"strings"
)

// prepareDatabase makes the tests' database anew, from template0 and with pg_regress's settings, and the roles and extensions asked for.
func (r *runner) prepareDatabase(ctx context.Context) error {
	if r.opt.UseExisting {
		return nil
	}
	db := quoteIdent(r.opt.DBName)
	commands := []string{"SET client_min_messages = warning", "DROP DATABASE IF EXISTS " + db}
	for _, role := range r.opt.Roles {
		commands = append(commands, "DROP ROLE IF EXISTS "+quoteIdent(role))
	}
	create := "CREATE DATABASE " + db + " TEMPLATE=template0"
	if r.opt.Encoding != "" {
		create += " ENCODING='" + strings.ReplaceAll(r.opt.Encoding, "'", "''") + "'"
	}
	if r.opt.NoLocale {
		create += " LC_COLLATE='C' LC_CTYPE='C'"
	}
	commands = append(commands, create)
	for _, setting := range []string{"lc_messages TO 'C'", "lc_monetary TO 'C'", "lc_numeric TO 'C'", "lc_time TO 'C'", "bytea_output TO 'hex'",
		"timezone_abbreviations TO 'Default'"} {
		commands = append(commands, "ALTER DATABASE "+db+" SET "+setting)
	}
	for _, role := range r.opt.Roles {
		commands = append(commands, "CREATE ROLE "+quoteIdent(role)+" WITH LOGIN", "GRANT ALL ON DATABASE "+db+" TO "+quoteIdent(role))
	}
	if err := r.psqlCommands(ctx, "postgres", commands); err != nil {
		return err
	}
	for _, ext := range r.opt.LoadExtensions {
		if err := r.psqlCommands(ctx, r.opt.DBName, []string{"CREATE EXTENSION IF NOT EXISTS " + quoteIdent(ext)}); err != nil {
			return err
		}
	}
	return nil
}

func (r *runner) psqlCommands(ctx context.Context, db string, commands []string) error {
	args := []string{"-q", "-v", "ON_ERROR_STOP=1"}
	for _, sql := range commands {
		args = append(args, "-c", sql)
	}
	c := r.srv.Psql(ctx, db, args...)
	c.Env = r.clientEnv(os.Environ())
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("preparing the database: %w\n%s", err, strings.TrimSpace(string(out)))
	}
	return nil
}

func quoteIdent(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
