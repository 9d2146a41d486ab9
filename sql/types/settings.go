package types

// Settings are the session settings that values depend on, kept as plain values so that printing a row costs no look-up. The session
// sets them when a setting is assigned.
type Settings struct {
	DateStyle        DateStyle
	DateOrder        DateOrder
	IntervalStyle    IntervalStyle
	TimeZone         *TimeZone // nil = UTC
	ExtraFloatDigits int       // default 1
	ByteaHex         bool      // bytea_output = hex
	XMLContent       bool      // xmloption = content
	XMLBinaryHex     bool      // xmlbinary = hex
	ArrayNulls       bool      // array_nulls
	QuoteAllIdents   bool      // quote_all_identifiers
	CTypeC           bool      // the database's lc_ctype is C: its default collation knows the letters of ASCII only
	LCMonetary       string
	LCTime           string
	LCNumeric        string
	TSConfig         OID // default_text_search_config
}

// DateStyle is the first half of the DateStyle setting.
type DateStyle uint8

const (
	DateISO DateStyle = iota
	DateSQL
	DatePostgres
	DateGerman
)

// DateOrder is the second half of the DateStyle setting.
type DateOrder uint8

const (
	DateMDY DateOrder = iota
	DateDMY
	DateYMD
)

// IntervalStyle is the setting of that name.
type IntervalStyle uint8

const (
	IntervalPostgres IntervalStyle = iota
	IntervalPostgresVerbose
	IntervalSQLStandard
	IntervalISO8601
)

// DefaultSettings are PostgreSQL's built-in defaults, with time zone UTC.
var DefaultSettings = Settings{
	ExtraFloatDigits: 1,
	ByteaHex:         true,
	XMLContent:       true,
	ArrayNulls:       true,
	LCMonetary:       "C",
	LCTime:           "C",
	LCNumeric:        "C",
}

func (e *Env) settings() *Settings {
	if e == nil || e.Settings == nil {
		return &DefaultSettings
	}
	return e.Settings
}

// SettingsOrDefault gives the session's settings, or PostgreSQL's defaults where there is no session.
func (e *Env) SettingsOrDefault() *Settings { return e.settings() }

// DefaultISO gives a copy of the default settings, whose dates are in ISO style.
func DefaultISO() *Settings {
	s := DefaultSettings
	return &s
}
