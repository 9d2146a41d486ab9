package settings

import (
	"slices"
	"strconv"
	"strings"

	"github.com/calfdb/calf/sql/pgerr"
)

// Show is the value of a setting as SHOW and current_setting give it. mayReadAll is the right to see superuser-only settings.
func (s *Session) Show(name string, mayReadAll bool) (string, error) {
	d := s.lookup(name)
	if d == nil {
		return "", errUnknown(name)
	}
	if d.Is(SuperuserOnly) && !mayReadAll {
		return "", pgerr.New(pgerr.InsufficientPrivilege, "must be superuser or have privileges of pg_read_all_settings to examine \"%s\"", d.Name)
	}
	return d.Show(s.cur[d.handle].v), nil
}

// CanonicalName is a setting's name as SHOW heads its column; an unknown name is returned as it is.
func (s *Session) CanonicalName(name string) string {
	if d := s.lookup(name); d != nil {
		return d.Name
	}
	return name
}

// Row is one row of pg_settings and of SHOW ALL.
type Row struct {
	Def            *Def
	Show           string // with unit
	Raw            string // without
	Source         Source
	BootRaw        string
	ResetRaw       string
	File           string
	Line           int
	PendingRestart bool
}

// All lists the settings that the user may see, sorted by name.
func (s *Session) All(mayReadAll bool) []Row {
	rows := make([]Row, 0, len(sorted))
	for _, d := range sorted {
		if d.Is(NoShowAll) || d.Is(SuperuserOnly) && !mayReadAll {
			continue
		}
		cur := s.cur[d.handle]
		rows = append(rows, Row{Def: d, Show: d.Show(cur.v), Raw: d.Raw(cur.v), Source: cur.source, BootRaw: d.plain(d.boot),
			ResetRaw: d.plain(s.reset(d.handle).v), File: cur.file, Line: cur.line, PendingRestart: s.srv.pendingRestart(d.handle)})
	}
	return rows
}

// ReportAll calls emit for every reported setting, sorted by name: the ParameterStatus messages of the start.
func (s *Session) ReportAll(emit func(name, value string)) {
	for _, d := range sorted {
		if d.Is(Report) {
			v := d.Show(s.cur[d.handle].v)
			s.report.last[d.handle] = v
			emit(d.Name, v)
		}
	}
	s.report.pending, s.report.dirty = false, s.report.dirty[:0]
}

// ReportChanged calls emit for the reported settings whose value is not what the client knows, sorted by name. It costs nothing when none
// was touched. Call it before ReadyForQuery.
func (s *Session) ReportChanged(emit func(name, value string)) {
	if !s.report.pending {
		return
	}
	dirty := s.report.dirty
	slices.SortFunc(dirty, func(a, b Handle) int {
		return strings.Compare(strings.ToLower(s.def(a).Name), strings.ToLower(s.def(b).Name))
	})
	for _, h := range slices.Compact(dirty) {
		d := s.def(h)
		if v := d.Show(s.cur[h].v); v != s.report.last[h] {
			s.report.last[h] = v
			emit(d.Name, v)
		}
	}
	s.report.pending, s.report.dirty = false, dirty[:0]
}

// Limits are min_val and max_val of pg_settings: "" for kinds that have none.
func (d *Def) Limits() (min, max string) {
	switch d.Kind {
	case Int:
		return strconv.FormatInt(int64(d.Min), 10), strconv.FormatInt(int64(d.Max), 10)
	case Real:
		return formatG(d.Min), formatG(d.Max)
	}
	return "", ""
}

// BootIsNull says whether the built-in default is no string at all, not even an empty one.
func (d *Def) BootIsNull() bool { return nullBoot[d.Name] }

var nullBoot = map[string]bool{"config_file": true, "data_directory": true, "external_pid_file": true, "hba_file": true, "ident_file": true,
	"timezone_abbreviations": true}
