package main

import (
	"context"
	"time"

	"github.com/rs/zerolog"

	"github.com/calfdb/calf/executor/session"
	"github.com/calfdb/calf/pgwire"
	"github.com/calfdb/calf/sql/settings"
)

// engine is the database server behind the listeners.
type engine interface {
	// Startup opens the session of an authenticated client.
	Startup(ctx context.Context, c *pgwire.Conn, p *pgwire.StartupParams) (pgwire.Session, error)
	// Secret gives a role's stored password; ok is false when it cannot log in with one now.
	Secret(ctx context.Context, user string) (stored string, ok bool)
	// IsMember says whether a role is a member of another, directly or not; used by pg_hba.conf's +role.
	IsMember(user, role string) bool
	// Close stops background work and makes everything durable. No session is left.
	Close() error
}

// engineOptions is what an engine needs to open.
type engineOptions struct {
	DataDir   string
	Superuser string
	Settings  *settings.Server
	Log       zerolog.Logger
	// Reload re-reads the configuration files: pg_reload_conf().
	Reload func()
	// Conn finds a connection by process id, for pg_cancel_backend and pg_terminate_backend; nil when there is none.
	Conn func(pid int32) *pgwire.Conn
	// NewPID gives process ids to the engine's own sessions.
	NewPID func() int32
}

// openEngine opens a data directory, initialising an empty one.
var openEngine = func(o engineOptions) (engine, error) {
	return session.Open(session.Options{DataDir: o.DataDir, Superuser: o.Superuser, Settings: o.Settings, Log: o.Log, Reload: o.Reload, Conn: o.Conn, NewPID: o.NewPID})
}

// backend joins the engine and the access rules.
type backend struct {
	engine
	config *config
}

func (b *backend) Method(r *pgwire.AuthRequest) (pgwire.AuthMethod, error) {
	return b.config.hba().Method(r, b.engine.IsMember)
}

func (b *backend) Startup(ctx context.Context, c *pgwire.Conn, p *pgwire.StartupParams) (pgwire.Session, error) {
	started := time.Now()
	s, err := b.engine.Startup(ctx, c, p)
	if err == nil && b.config.conf.Bool(settings.LogConnections) {
		c.Log().Info().Dur("took", time.Since(started)).Msg("connection authorized")
	}
	return s, err
}
