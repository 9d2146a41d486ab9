package main

import (
	"crypto/tls"
	"fmt"
	"path/filepath"
	"sync"

	"github.com/rs/zerolog"

	"github.com/calfdb/calf/pgwire"
	"github.com/calfdb/calf/pgwire/hba"
	"github.com/calfdb/calf/sql/settings"
)

// config is what the files and the command line say, and what a reload replaces. Any goroutine.
type config struct {
	dir  string
	conf *settings.Server
	log  zerolog.Logger

	mu    sync.RWMutex
	rules hba.Rules
	tls   *tls.Config // nil while ssl is off
}

// loadConfig reads everything for a start: any error prevents it.
func loadConfig(f *serveFlags, log zerolog.Logger) (*config, error) {
	c := &config{dir: f.data, conf: settings.NewServer(), log: log}
	for _, kv := range [][2]string{{"data_directory", f.data}, {"config_file", filepath.Join(f.data, settings.ConfFileName)},
		{"hba_file", filepath.Join(f.data, hba.FileName)}, {"ident_file", filepath.Join(f.data, "pg_ident.conf")}} {
		if err := c.conf.SetDynamic(kv[0], kv[1], true); err != nil {
			return nil, err
		}
	}
	if err := c.conf.SetDynamic("unix_socket_directories", defaultSocketDir(), false); err != nil {
		return nil, err
	}
	for _, kv := range f.argv {
		if err := c.conf.SetArgv(kv[0], kv[1]); err != nil {
			return nil, err
		}
	}
	entries, err := settings.ReadFiles(f.data)
	if err != nil {
		return nil, err
	}
	if errs := c.conf.Apply(entries); len(errs) > 0 {
		return nil, fmt.Errorf("configuration file contains errors: %w", errs[0])
	}
	if c.rules, err = hba.Load(c.hbaPath()); err != nil {
		return nil, err
	}
	c.tls, err = c.loadTLS()
	return c, err
}

func (c *config) hbaPath() string { return filepath.Join(c.dir, hba.FileName) }

func (c *config) loadTLS() (*tls.Config, error) {
	if !c.conf.Bool(settings.SSL) {
		return nil, nil
	}
	return pgwire.LoadTLS(pgwire.TLSFiles{
		Dir: c.dir, Cert: c.conf.Str(settings.SSLCertFile), Key: c.conf.Str(settings.SSLKeyFile),
		MinProto: c.conf.Str(settings.SSLMinProtocol), MaxTLS: c.conf.Str(settings.SSLMaxProtocol), MakeOwn: true,
	})
}

// reload reads the files again. What is wrong is logged and what was stays.
func (c *config) reload() {
	c.log.Info().Msg("received SIGHUP, reloading configuration files")
	entries, err := settings.ReadFiles(c.dir)
	if err != nil {
		c.log.Error().Err(err).Msg("configuration file contains errors; no changes were applied")
	} else {
		for _, err := range c.conf.Apply(entries) {
			c.log.Warn().Msg(err.Error())
		}
	}
	rules, err := hba.Load(c.hbaPath())
	if err != nil {
		c.log.Error().Err(err).Msg("pg_hba.conf was not reloaded")
	}
	conf, tlsErr := c.loadTLS()
	if tlsErr != nil {
		c.log.Error().Err(tlsErr).Msg("SSL configuration was not reloaded")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err == nil {
		c.rules = rules
	}
	if tlsErr == nil {
		c.tls = conf
	}
}

func (c *config) hba() hba.Rules {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.rules
}

func (c *config) tlsConfig() *tls.Config {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.tls
}
