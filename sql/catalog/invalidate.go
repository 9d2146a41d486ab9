package catalog

import "github.com/calfdb/calf/sql/types"

// keysOf gives the cache entries that a catalog row bears on.
func (v *View) keysOf(t *Table, row types.Row) ([]Key, error) {
	oid := func(col int) OID { return row[col].Oid() }
	switch t.OID {
	case PgClassOID:
		return v.keysOfClass(row)
	case PgAttributeOID:
		return v.keysOfRelation(oid(AttributeAttrelid), 0)
	case PgIndexOID:
		return []Key{{Kind: RelationKey, A: oid(IndexIndexrelid)}, {Kind: RelationKey, A: oid(IndexIndrelid)}}, nil
	case PgAttrdefOID:
		return relationKeys(oid(AttrdefAdrelid)), nil
	case PgConstraintOID:
		return keysOfConstraint(row), nil
	case PgTriggerOID:
		return relationKeys(oid(TriggerTgrelid), oid(TriggerTgconstrrelid)), nil
	case PgRewriteOID:
		return relationKeys(oid(RewriteEvClass)), nil
	case PgInheritsOID:
		child, err := v.keysOfRelation(oid(InheritsInhrelid), 0) // and the table of an index
		return append(child, relationKeys(oid(InheritsInhparent))...), err
	case PgPolicyOID:
		return relationKeys(oid(PolicyPolrelid)), nil
	case PgSequenceOID:
		return relationKeys(oid(SequenceSeqrelid)), nil
	case PgPartitionedTableOID:
		return relationKeys(oid(PartitionedTablePartrelid)), nil
	case PgStatisticOID:
		k := Key{Kind: StatisticKey, A: oid(StatisticStarelid), N: row[StatisticStaattnum].Int2()}
		if row[StatisticStainherit].Bool() {
			k.B = 1
		}
		return []Key{k}, nil
	}
	return keysOfObject(t, row), nil
}

func relationKeys(oids ...OID) (keys []Key) {
	for _, o := range oids {
		if o != 0 {
			keys = append(keys, Key{Kind: RelationKey, A: o})
		}
	}
	return keys
}

func (v *View) keysOfClass(row types.Row) ([]Key, error) {
	oid := row[ClassOid].Oid()
	keys := []Key{{Kind: RelationNameKey, A: row[ClassRelnamespace].Oid(), Name: row[ClassRelname].Str()}}
	if row[ClassRelispartition].Bool() {
		keys = append(keys, Key{Kind: PartitionBoundKey, A: oid})
	}
	more, err := v.keysOfRelation(oid, row[ClassRelkind].Char())
	return append(keys, more...), err
}

// keysOfRelation gives a relation's entries, and those of the table when it is an index: kind says which, 0 = unknown.
func (v *View) keysOfRelation(oid OID, kind byte) ([]Key, error) {
	keys := []Key{{Kind: RelationKey, A: oid}}
	if oid < FirstUserOID {
		keys = append(keys, Key{Kind: FilenodeKey, A: oid})
	}
	if kind != 0 && kind != 'i' && kind != 'I' {
		return keys, nil
	}
	_, ix, err := v.Find(PgIndexIndexrelidIndexOID, types.Oid(oid))
	if ix != nil {
		keys = append(keys, Key{Kind: RelationKey, A: ix[IndexIndrelid].Oid()})
	}
	return keys, err
}

func keysOfConstraint(row types.Row) []Key {
	keys := relationKeys(row[ConstraintConrelid].Oid(), row[ConstraintConfrelid].Oid(), row[ConstraintConindid].Oid())
	keys = append(keys, Key{Kind: ConstraintKey, A: row[ConstraintOid].Oid()})
	if dom := row[ConstraintContypid].Oid(); dom != 0 {
		keys = append(keys, Key{Kind: TypeKey, A: dom})
	}
	return keys
}

// keysOfObject is keysOf for catalogs of objects other than relations.
func keysOfObject(t *Table, row types.Row) []Key {
	oid := func(col int) OID { return row[col].Oid() }
	one := func(kind KeyKind, col int) Key { return Key{Kind: kind, A: oid(col)} }
	switch t.OID {
	case PgTypeOID:
		return []Key{one(TypeKey, TypeOid), {Kind: TypeNameKey, A: oid(TypeTypnamespace), Name: row[TypeTypname].Str()}}
	case PgEnumOID:
		return []Key{one(TypeKey, EnumEnumtypid), one(EnumKey, EnumOid)}
	case PgRangeOID:
		return []Key{one(TypeKey, RangeRngtypid), one(TypeKey, RangeRngmultitypid)}
	case PgProcOID:
		return []Key{one(ProcKey, ProcOid), {Kind: ProcNameKey, Name: row[ProcProname].Str()}}
	case PgAggregateOID:
		return []Key{one(AggregateKey, AggregateAggfnoid)}
	case PgOperatorOID:
		return []Key{one(OperatorKey, OperatorOid), {Kind: OperatorNameKey, Name: row[OperatorOprname].Str()}}
	case PgCollationOID:
		return []Key{one(CollationKey, CollationOid), {Kind: CollationNameKey, A: oid(CollationCollnamespace), Name: row[CollationCollname].Str()}}
	case PgCastOID:
		return []Key{{Kind: CastKey, A: oid(CastCastsource), B: oid(CastCasttarget)}}
	case PgOpclassOID:
		return []Key{one(OpClassKey, OpclassOid), one(OpClassesKey, OpclassOpcmethod)}
	case PgAmopOID:
		return []Key{one(AmOpsKey, AmopAmopfamily), one(AmOpsOfKey, AmopAmopopr)}
	case PgAmprocOID:
		return []Key{one(AmProcsKey, AmprocAmprocfamily)}
	case PgAmOID:
		return []Key{{Kind: AMNameKey, Name: row[AmAmname].Str()}}
	case PgLanguageOID:
		return []Key{{Kind: LanguageNameKey, Name: row[LanguageLanname].Str()}}
	case PgTsConfigOID:
		return []Key{one(TSConfigKey, TsConfigOid)}
	case PgTsConfigMapOID:
		return []Key{one(TSConfigKey, TsConfigMapMapcfg)}
	case PgTsDictOID:
		return []Key{one(TSDictKey, TsDictOid)}
	case PgNamespaceOID:
		return []Key{one(NamespaceKey, NamespaceOid), {Kind: NamespaceNameKey, Name: row[NamespaceNspname].Str()}}
	case PgAuthidOID:
		return []Key{one(RoleKey, AuthidOid), {Kind: RoleNameKey, Name: row[AuthidRolname].Str()}}
	case PgAuthMembersOID:
		return []Key{one(RoleKey, AuthMembersMember)}
	case PgDatabaseOID:
		return []Key{one(DatabaseKey, DatabaseOid), {Kind: DatabaseNameKey, Name: row[DatabaseDatname].Str()}}
	case PgDbRoleSettingOID:
		return []Key{one(RoleKey, DbRoleSettingSetrole), one(DatabaseKey, DbRoleSettingSetdatabase)}
	}
	return nil
}
