package types

import "github.com/calfdb/calf/sql/pgerr"

// builtinRanges are the rows of pg_range.
var builtinRanges = []RangeInfo{
	{Int4rangeOID, Int4multirangeOID, Int4OID, 0, "int4range_canonical", "int4range_subdiff"},
	{NumrangeOID, NummultirangeOID, NumericOID, 0, "", "numrange_subdiff"},
	{TsrangeOID, TsmultirangeOID, TimestampOID, 0, "", "tsrange_subdiff"},
	{TstzrangeOID, TstzmultirangeOID, TimestamptzOID, 0, "", "tstzrange_subdiff"},
	{DaterangeOID, DatemultirangeOID, DateOID, 0, "daterange_canonical", "daterange_subdiff"},
	{Int8rangeOID, Int8multirangeOID, Int8OID, 0, "int8range_canonical", "int8range_subdiff"},
}

// rangeInfo finds a range type by its own OID or its multirange's.
func (e *Env) rangeInfo(oid OID) (*RangeInfo, error) {
	for i := range builtinRanges {
		if r := &builtinRanges[i]; r.Range == oid || r.Multirange == oid {
			return r, nil
		}
	}
	if e != nil && e.Catalog != nil {
		if r, ok := e.Catalog.RangeByOID(oid); ok {
			return r, nil
		}
	}
	return nil, pgerr.New(pgerr.DatatypeMismatch, "type %d is not a range type", oid)
}
