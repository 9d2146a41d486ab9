package tsearch

import (
	"strings"

	"github.com/calfdb/calf/sql/pgerr"
	"github.com/calfdb/calf/sql/types"
)

// jsonParts are the parts of a JSON document that become words.
type jsonParts struct{ keys, strings, numbers, booleans bool }

const jsonPartsHint = "Possible values are: \"string\", \"numeric\", \"boolean\", \"key\", and \"all\"."

// jsonPartsOf reads a list like ["string", "key"], or one of these words. Words count by their beginning.
func jsonPartsOf(list []byte) (p jsonParts, err error) {
	v, err := types.ParseJSON(string(list), true)
	if err != nil {
		return p, err
	}
	words := v.Elems
	switch v.Kind {
	case types.JSONObject:
		return p, pgerr.New(pgerr.InvalidParameterValue, "wrong flag type, only arrays and scalars are allowed")
	case types.JSONArray:
	default:
		words = []types.JSON{v}
	}
	for _, w := range words {
		if w.Kind != types.JSONString {
			return p, pgerr.New(pgerr.InvalidParameterValue, "flag array element is not a string").WithHint(jsonPartsHint)
		}
		switch strings.ToLower(w.Text) {
		case "all":
			p = jsonParts{true, true, true, true}
		case "key":
			p.keys = true
		case "string":
			p.strings = true
		case "numeric":
			p.numbers = true
		case "boolean":
			p.booleans = true
		default:
			return p, pgerr.New(pgerr.InvalidParameterValue, "wrong flag in flag array: \"%s\"", w.Text).WithHint(jsonPartsHint)
		}
	}
	return p, nil
}

// ParseJSON makes a tsvector of the parts of a JSON document that a list names.
func (c *Config) ParseJSON(text string, list []byte) (types.Datum, error) {
	parts, err := jsonPartsOf(list)
	if err != nil {
		return types.Null, err
	}
	v, err := types.ParseJSON(text, true)
	if err != nil {
		return types.Null, err
	}
	var d Document
	add := func(want bool, text string) error {
		before := len(d.Words)
		if !want {
			return nil
		}
		err := c.Add(&d, text)
		if len(d.Words) > before {
			// The next value's first word is not next to this one's last.
			d.Break()
		}
		return err
	}
	var walk func(v *types.JSON) error
	walk = func(v *types.JSON) error {
		switch v.Kind {
		case types.JSONString:
			return add(parts.strings, v.Text)
		case types.JSONNumber:
			return add(parts.numbers, v.Text)
		case types.JSONBool:
			word := "false"
			if v.Bool {
				word = "true"
			}
			return add(parts.booleans, word)
		}
		for i := range v.Elems {
			if v.Kind == types.JSONObject {
				if err := add(parts.keys, v.Keys[i]); err != nil {
					return err
				}
			}
			if err := walk(&v.Elems[i]); err != nil {
				return err
			}
		}
		return nil
	}
	if err := walk(&v); err != nil {
		return types.Null, err
	}
	return d.Vector().Datum()
}

// headlines replaces the strings of a JSON value by their headlines.
func (c *Config) headlines(v *types.JSON, q *Query, options []Option) (err error) {
	if v.Kind == types.JSONString {
		v.Text, err = c.Headline(v.Text, q, options)
		return err
	}
	for i := range v.Elems {
		if err := c.headlines(&v.Elems[i], q, options); err != nil {
			return err
		}
	}
	return nil
}

// HeadlineJSONB is Headline of each string of a jsonb document.
func (c *Config) HeadlineJSONB(text string, q *Query, options []Option) (string, error) {
	v, err := types.ParseJSON(text, true)
	if err != nil {
		return "", err
	}
	if err := c.headlines(&v, q, options); err != nil {
		return "", err
	}
	return string(v.Append(nil)), nil
}

// HeadlineJSON is Headline of each string of a json document, which is written again without spaces.
func (c *Config) HeadlineJSON(text string, q *Query, options []Option) (string, error) {
	v, err := types.ParseJSON(text, true)
	if err != nil {
		return "", err
	}
	if err := c.headlines(&v, q, options); err != nil {
		return "", err
	}
	return string(appendCompact(nil, &v)), nil
}

func appendCompact(dst []byte, v *types.JSON) []byte {
	if v.Kind < types.JSONArray {
		return v.Append(dst)
	}
	brackets := "[]"
	if v.Kind == types.JSONObject {
		brackets = "{}"
	}
	dst = append(dst, brackets[0])
	for i := range v.Elems {
		if i > 0 {
			dst = append(dst, ',')
		}
		if v.Kind == types.JSONObject {
			dst = append(types.AppendJSONString(dst, v.Keys[i]), ':')
		}
		dst = appendCompact(dst, &v.Elems[i])
	}
	return append(dst, brackets[1])
}
