package session

import (
	"github.com/calfdb/calf/pgwire"
	"github.com/calfdb/calf/sql/settings"
	"github.com/calfdb/calf/sql/types"
)

// Checks of settings that need to know encodings and time zones.
func init() {
	settings.RegisterCheck("client_encoding", checkClientEncoding)
	settings.RegisterCheck("TimeZone", checkTimeZone)
	settings.RegisterCheck("log_timezone", checkTimeZone)
}

// otherEncodings exist in PostgreSQL, but text cannot be converted to and from them here.
var otherEncodings = map[string]bool{"EUC_TW": true, "EUC_JIS_2004": true, "SHIFT_JIS_2004": true, "JOHAB": true, "MULE_INTERNAL": true}

func checkClientEncoding(_ *settings.Session, d *settings.Def, v *settings.Value, _ settings.Source) error {
	name, ok := pgwire.EncodingName(v.Str)
	if ok {
		if v.Str != "UNICODE" {
			v.Str = name
		}
		return nil
	}
	if otherEncodings[v.Str] {
		return settings.Reject(d, v.Str, "Conversion between "+v.Str+" and UTF8 is not supported.")
	}
	return settings.Reject(d, v.Str, "")
}

func checkTimeZone(_ *settings.Session, d *settings.Def, v *settings.Value, _ settings.Source) error {
	z, err := types.ParseTimeZone(v.Str)
	if err != nil || v.Str == "" {
		return settings.Reject(d, v.Str, "")
	}
	v.Str, v.Extra = z.Name, z
	return nil
}
