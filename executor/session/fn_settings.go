package session

import (
	"strings"

	"github.com/calfdb/calf/executor"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/settings"
	"github.com/calfdb/calf/sql/types"
)

// Functions about settings: current_setting, set_config, pg_settings' source, pg_reload_conf.
func init() {
	types.RegisterFunc("show_config_by_name", currentSetting)
	types.RegisterFunc("show_config_by_name_missing_ok", currentSetting)
	types.RegisterFunc("set_config_by_name", setConfig)
	types.RegisterFunc("pg_reload_conf", reloadConf)
	types.RegisterFunc("pg_settings_get_flags", settingFlags)
	types.RegisterSRF("show_all_settings", showAllSettings)
}

// sessionOf is the session that calls a function.
func sessionOf(c *types.Call) (*Session, error) {
	if b, ok := c.Ctx.(*executor.Backend); ok {
		if s, ok := b.Session.(*Session); ok {
			return s, nil
		}
	}
	return nil, pgerr.Internal("the function was called outside a session")
}

func currentSetting(c *types.Call) (types.Datum, error) {
	s, err := sessionOf(c)
	if err != nil {
		return types.Null, err
	}
	v, err := s.gucs.Show(c.Args[0].Str(), s.mayReadAllSettings())
	if err != nil {
		missingOK := len(c.Args) > 1 && c.Args[1].Bool()
		if missingOK && pgerr.CodeOf(err) == pgerr.UndefinedObject {
			return types.Null, nil
		}
		return types.Null, err
	}
	return types.Text(v), nil
}

// mayReadAllSettings is the right to see settings that are shown to superusers only.
func (s *Session) mayReadAllSettings() bool {
	const readAllSettings = 3374 // the predefined role pg_read_all_settings
	ok, err := s.view.HasPrivsOfRole(s.view.User(), readAllSettings)
	return err == nil && ok
}

// setConfig is set_config(name, value, is_local); a null value resets.
func setConfig(c *types.Call) (types.Datum, error) {
	s, err := sessionOf(c)
	if err != nil {
		return types.Null, err
	}
	if c.Args[0].IsNull() {
		return types.Null, pgerr.New(pgerr.NullValueNotAllowed, "SET requires parameter name")
	}
	name := strings.Clone(c.Args[0].Str())
	action := settings.ActionSet
	if !c.Args[2].IsNull() && c.Args[2].Bool() {
		action = settings.ActionLocal
	}
	if c.Args[1].IsNull() {
		err = s.resetVariable(name, action)
	} else {
		err = s.setVariable(name, strings.Clone(c.Args[1].Str()), action)
	}
	if err != nil {
		return types.Null, err
	}
	v, err := s.gucs.Show(name, true)
	return types.Text(v), err
}

func reloadConf(c *types.Call) (types.Datum, error) {
	s, err := sessionOf(c)
	if err != nil {
		return types.Null, err
	}
	if s.server.o.Reload == nil {
		return types.Bool(false), nil
	}
	s.server.o.Reload()
	return types.Bool(true), nil
}

func settingFlags(c *types.Call) (types.Datum, error) {
	d := settings.Lookup(c.Args[0].Str())
	if d == nil {
		return types.Null, nil
	}
	var flags []types.Datum
	for _, f := range []struct {
		flag settings.Flag
		name string
	}{{settings.Explain, "EXPLAIN"}, {settings.NoResetAll, "NO_RESET_ALL"}, {settings.NoShowAll, "NO_SHOW_ALL"},
		{settings.NotInSample, "NOT_IN_SAMPLE"}, {settings.RuntimeComputed, "RUNTIME_COMPUTED"}} {
		if d.Is(f.flag) {
			flags = append(flags, types.Text(f.name))
		}
	}
	return textArray(c, flags)
}

func textArray(c *types.Call, values []types.Datum) (types.Datum, error) {
	if len(values) == 0 {
		return types.EmptyArray(types.TextOID), nil
	}
	elem, err := c.Env.TypeByOID(types.TextOID)
	if err != nil {
		return types.Null, err
	}
	return types.MakeArray(elem, values), nil
}

// settingRows gives the rows of pg_settings.
type settingRows struct {
	c    *types.Call
	rows []settings.Row
	all  bool // superuser-only columns too
}

func showAllSettings(c *types.Call) (types.Iterator, error) {
	s, err := sessionOf(c)
	if err != nil {
		return nil, err
	}
	all := s.mayReadAllSettings()
	return &settingRows{c, s.gucs.All(all), all}, nil
}

func (r *settingRows) Next(out []types.Datum) (bool, error) {
	if len(r.rows) == 0 {
		return false, nil
	}
	row := r.rows[0]
	r.rows = r.rows[1:]
	d := row.Def
	min, max := d.Limits()
	var values []types.Datum
	for _, e := range d.Enum {
		values = append(values, types.Text(e))
	}
	enum := types.Null
	if d.Kind == settings.Enum {
		var err error
		if enum, err = textArray(r.c, values); err != nil {
			return false, err
		}
	}
	boot, reset := types.Text(row.BootRaw), types.Text(row.ResetRaw)
	if d.Kind == settings.String && d.BootIsNull() {
		boot = types.Null
	}
	file, line := types.Null, types.Null
	if row.File != "" && r.all {
		file, line = types.Text(row.File), types.Int4(int32(row.Line))
	}
	copy(out, []types.Datum{
		types.Text(d.Name), types.Text(row.Raw), textOrNull(d.Unit), types.Text(d.Category), types.Text(d.Short), textOrNull(d.Extra),
		types.Text(d.Context.String()), types.Text(d.Kind.String()), types.Text(row.Source.String()), textOrNull(min), textOrNull(max),
		enum, boot, reset, file, line, types.Bool(row.PendingRestart),
	})
	return true, nil
}

func textOrNull(s string) types.Datum {
	if s == "" {
		return types.Null
	}
	return types.Text(s)
}
