package isolation

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/calfdb/calf/regress/target"
)

// DefaultDatabase is the database that a suite makes for itself.
const DefaultDatabase = "isolation_regression"

// recreateLimit is how long the database may take to be dropped, sessions in it included, and made anew.
const recreateLimit = 60 * time.Second

// recreateDatabase makes an empty database with the settings that pg_regress gives one. Sessions that a broken spec left in it are ended.
func recreateDatabase(ctx context.Context, s *target.Server, db string) error {
	ctx, cancel := context.WithTimeout(ctx, recreateLimit)
	defer cancel()
	c, err := pgconn.Connect(ctx, s.ConnString("postgres"))
	if err != nil {
		return err
	}
	defer c.Close(ctx)
	quoted := `"` + db + `"`
	statements := []string{"DROP DATABASE IF EXISTS " + quoted + " WITH (FORCE)", "CREATE DATABASE " + quoted + " TEMPLATE=template0"}
	for _, setting := range []string{"lc_messages TO 'C'", "lc_monetary TO 'C'", "lc_numeric TO 'C'", "lc_time TO 'C'", "bytea_output TO 'hex'",
		"timezone_abbreviations TO 'Default'"} {
		statements = append(statements, "ALTER DATABASE "+quoted+" SET "+setting)
	}
	for _, sql := range statements {
		if _, err := c.Exec(ctx, sql).ReadAll(); err != nil {
			return fmt.Errorf("%s: %w", sql, err)
		}
	}
	return nil
}

// suiteParams are the start-up parameters that pg_regress gives its sessions through the environment.
func suiteParams(test string) map[string]string {
	return map[string]string{
		"application_name": "isolation/" + test, "timezone": "PST8PDT", "datestyle": "Postgres, MDY", "options": "-c intervalstyle=postgres_verbose",
	}
}
