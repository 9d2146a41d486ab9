package session

import (
	"strconv"
	"strings"

	"github.com/calfdb/calf/pgwire"
	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/settings"
	"github.com/calfdb/calf/sql/types"
)

// Checks of settings that need to know encodings and time zones.
func init() {
	settings.RegisterCheck("client_encoding", checkClientEncoding)
	settings.RegisterCheck("TimeZone", checkTimeZone)
	settings.RegisterCheck("log_timezone", checkTimeZone)
	settings.RegisterCheck("standard_conforming_strings", checkStandardStrings)
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

// checkStandardStrings: the parser reads backslashes in plain literals as they are.
func checkStandardStrings(_ *settings.Session, _ *settings.Def, v *settings.Value, _ settings.Source) error {
	if v.I == 0 {
		return pgerr.NotSupported("standard_conforming_strings = off")
	}
	return nil
}

func checkTimeZone(_ *settings.Session, d *settings.Def, v *settings.Value, _ settings.Source) error {
	text := v.Str
	if len(text) > 8 && strings.EqualFold(text[:8], "interval") {
		var e error
		if text, e = zoneOfInterval(d, text); e != nil {
			return e
		}
	}
	z, err := types.ParseTimeZone(text)
	if err != nil || text == "" {
		return settings.Reject(d, v.Str, "")
	}
	v.Str, v.Extra = z.Name, z
	return nil
}

// zoneOfInterval turns INTERVAL 'hours' into hours east of Greenwich, as ParseTimeZone takes them.
func zoneOfInterval(d *settings.Def, text string) (string, error) {
	quoted := strings.TrimSpace(text[len("interval"):])
	inner := strings.TrimSuffix(strings.TrimPrefix(quoted, "'"), "'")
	if len(quoted) != len(inner)+2 {
		return "", settings.Reject(d, text, "")
	}
	iv, err := types.ParseInterval(nil, inner, -1)
	switch {
	case err != nil:
		return "", err
	case iv.Months != 0:
		return "", settings.Reject(d, text, "Cannot specify months in time zone interval.")
	case iv.Days != 0:
		return "", settings.Reject(d, text, "Cannot specify days in time zone interval.")
	}
	return strconv.FormatFloat(float64(iv.Usec)/3600e6, 'f', -1, 64), nil
}
