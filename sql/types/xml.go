package types

import "github.com/calfdb/calf/sql/pgerr"

// xml is not built: its functions answer as those of a PostgreSQL without libxml do.

func errNoXML() error {
	return pgerr.New(pgerr.FeatureNotSupported, "unsupported XML feature").
		WithDetail("This functionality requires the server to be built with libxml support.")
}

func init() {
	in := func(*Env, *IO, string, int32) (Datum, error) { return Null, errNoXML() }
	recv := func(*Env, *IO, []byte, int32) (Datum, error) { return Null, errNoXML() }
	registerIO("xml_in", in, "xml_out", textOut, "xml_recv", recv, "xml_send", textOut)
	for _, n := range []string{"xmlcomment", "xmlconcat2", "xmlexists", "xmlvalidate", "xpath", "xpath_exists", "xml_is_well_formed",
		"xml_is_well_formed_content", "xml_is_well_formed_document", "texttoxml", "cursor_to_xml", "cursor_to_xmlschema", "database_to_xml",
		"database_to_xml_and_xmlschema", "database_to_xmlschema", "query_to_xml", "query_to_xml_and_xmlschema", "query_to_xmlschema",
		"schema_to_xml", "schema_to_xml_and_xmlschema", "schema_to_xmlschema", "table_to_xml", "table_to_xml_and_xmlschema",
		"table_to_xmlschema"} {
		RegisterFunc(n, func(*Call) (Datum, error) { return Null, errNoXML() })
	}
	RegisterFunc("xmltotext", identity)
}
