package catalog

import (
	"strings"

	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
)

// Descriptors made of catalog rows. A row's bytes are the caller's own (they are not on a page), so strings and arrays are taken without copying.

func attrFromRow(row types.Row) types.Attr {
	return types.Attr{
		Name:        row[AttributeAttname].Str(),
		TypeOID:     row[AttributeAtttypid].Oid(),
		TypMod:      row[AttributeAtttypmod].Int4(),
		Collation:   row[AttributeAttcollation].Oid(),
		Num:         row[AttributeAttnum].Int2(),
		Len:         row[AttributeAttlen].Int2(),
		ByVal:       row[AttributeAttbyval].Bool(),
		Align:       row[AttributeAttalign].Char(),
		Storage:     row[AttributeAttstorage].Char(),
		NotNull:     row[AttributeAttnotnull].Bool(),
		HasDefault:  row[AttributeAtthasdef].Bool(),
		Identity:    row[AttributeAttidentity].Char(),
		Generated:   row[AttributeAttgenerated].Char(),
		Dropped:     row[AttributeAttisdropped].Bool(),
		HasMissing:  row[AttributeAtthasmissing].Bool(),
		NDims:       int16(row[AttributeAttndims].Int4()),
		InhCount:    row[AttributeAttinhcount].Int4(),
		IsLocal:     row[AttributeAttislocal].Bool(),
		Compression: row[AttributeAttcompression].Char(),
		Missing:     types.Null,
	}
}

func procFromRow(row types.Row) *Proc {
	p := &Proc{
		OID:          row[ProcOid].Oid(),
		Name:         row[ProcProname].Str(),
		Namespace:    row[ProcPronamespace].Oid(),
		Owner:        row[ProcProowner].Oid(),
		Lang:         row[ProcProlang].Oid(),
		Cost:         row[ProcProcost].Float4(),
		Rows:         row[ProcProrows].Float4(),
		Variadic:     row[ProcProvariadic].Oid(),
		Support:      row[ProcProsupport].Oid(),
		Kind:         row[ProcProkind].Char(),
		SecDef:       row[ProcProsecdef].Bool(),
		LeakProof:    row[ProcProleakproof].Bool(),
		Strict:       row[ProcProisstrict].Bool(),
		RetSet:       row[ProcProretset].Bool(),
		Volatile:     row[ProcProvolatile].Char(),
		Parallel:     row[ProcProparallel].Char(),
		NArgDefaults: int(row[ProcPronargdefaults].Int2()),
		RetType:      row[ProcProrettype].Oid(),
		ArgTypes:     OIDs(row[ProcProargtypes]),
		AllArgTypes:  OIDs(row[ProcProallargtypes]),
		ArgModes:     Chars(row[ProcProargmodes]),
		ArgNames:     Texts(row[ProcProargnames]),
		Src:          textOrEmpty(row[ProcProsrc]),
		Bin:          textOrEmpty(row[ProcProbin]),
		SQLBody:      textOrEmpty(row[ProcProsqlbody]),
		Config:       Texts(row[ProcProconfig]),
		ACL:          ACL(row[ProcProacl]),
	}
	return p
}

func textOrEmpty(d types.Datum) string {
	if d.IsNull() {
		return ""
	}
	return d.Str()
}

func textPointer(d types.Datum) *string {
	if d.IsNull() {
		return nil
	}
	s := d.Str()
	return &s
}

func typeFromRow(row types.Row) *Type {
	return &Type{
		OID:         row[TypeOid].Oid(),
		Name:        row[TypeTypname].Str(),
		Namespace:   row[TypeTypnamespace].Oid(),
		Owner:       row[TypeTypowner].Oid(),
		Len:         row[TypeTyplen].Int2(),
		ByVal:       row[TypeTypbyval].Bool(),
		Kind:        row[TypeTyptype].Char(),
		Category:    row[TypeTypcategory].Char(),
		Preferred:   row[TypeTypispreferred].Bool(),
		Defined:     row[TypeTypisdefined].Bool(),
		Delim:       row[TypeTypdelim].Char(),
		RelID:       row[TypeTyprelid].Oid(),
		Subscript:   row[TypeTypsubscript].Oid(),
		Elem:        row[TypeTypelem].Oid(),
		Array:       row[TypeTyparray].Oid(),
		Input:       row[TypeTypinput].Oid(),
		Output:      row[TypeTypoutput].Oid(),
		Receive:     row[TypeTypreceive].Oid(),
		Send:        row[TypeTypsend].Oid(),
		ModIn:       row[TypeTypmodin].Oid(),
		ModOut:      row[TypeTypmodout].Oid(),
		Analyze:     row[TypeTypanalyze].Oid(),
		Align:       row[TypeTypalign].Char(),
		Storage:     row[TypeTypstorage].Char(),
		NotNull:     row[TypeTypnotnull].Bool(),
		BaseType:    row[TypeTypbasetype].Oid(),
		TypMod:      row[TypeTyptypmod].Int4(),
		NDims:       row[TypeTypndims].Int4(),
		Collation:   row[TypeTypcollation].Oid(),
		DefaultText: textOrEmpty(row[TypeTypdefault]),
		HasDefault:  !row[TypeTypdefault].IsNull() || !row[TypeTypdefaultbin].IsNull(),
		ACL:         ACL(row[TypeTypacl]),
	}
}

func aggregateFromRow(row types.Row) *Aggregate {
	return &Aggregate{
		Func:        row[AggregateAggfnoid].Oid(),
		Kind:        row[AggregateAggkind].Char(),
		NumDirect:   row[AggregateAggnumdirectargs].Int2(),
		TransFn:     row[AggregateAggtransfn].Oid(),
		FinalFn:     row[AggregateAggfinalfn].Oid(),
		CombineFn:   row[AggregateAggcombinefn].Oid(),
		SerialFn:    row[AggregateAggserialfn].Oid(),
		DeserialFn:  row[AggregateAggdeserialfn].Oid(),
		MTransFn:    row[AggregateAggmtransfn].Oid(),
		MInvTransFn: row[AggregateAggminvtransfn].Oid(),
		MFinalFn:    row[AggregateAggmfinalfn].Oid(),
		FinalExtra:  row[AggregateAggfinalextra].Bool(),
		MFinalExtra: row[AggregateAggmfinalextra].Bool(),
		FinalModify: row[AggregateAggfinalmodify].Char(), MFinalModify: row[AggregateAggmfinalmodify].Char(),
		SortOp:     row[AggregateAggsortop].Oid(),
		TransType:  row[AggregateAggtranstype].Oid(),
		TransSpace: row[AggregateAggtransspace].Int4(),
		MTransType: row[AggregateAggmtranstype].Oid(),
		InitVal:    textPointer(row[AggregateAgginitval]),
		MInitVal:   textPointer(row[AggregateAggminitval]),
	}
}

func operatorFromRow(row types.Row) *Operator {
	return &Operator{
		OID:        row[OperatorOid].Oid(),
		Name:       row[OperatorOprname].Str(),
		Namespace:  row[OperatorOprnamespace].Oid(),
		Owner:      row[OperatorOprowner].Oid(),
		Kind:       row[OperatorOprkind].Char(),
		CanMerge:   row[OperatorOprcanmerge].Bool(),
		CanHash:    row[OperatorOprcanhash].Bool(),
		Left:       row[OperatorOprleft].Oid(),
		Right:      row[OperatorOprright].Oid(),
		Result:     row[OperatorOprresult].Oid(),
		Commutator: row[OperatorOprcom].Oid(),
		Negator:    row[OperatorOprnegate].Oid(),
		Func:       row[OperatorOprcode].Oid(),
		RestSel:    row[OperatorOprrest].Oid(),
		JoinSel:    row[OperatorOprjoin].Oid(),
	}
}

func castFromRow(row types.Row) *Cast {
	return &Cast{OID: row[CastOid].Oid(), Source: row[CastCastsource].Oid(), Target: row[CastCasttarget].Oid(),
		Func: row[CastCastfunc].Oid(), Context: row[CastCastcontext].Char(), Method: row[CastCastmethod].Char()}
}

func opClassFromRow(row types.Row) *OpClass {
	return &OpClass{OID: row[OpclassOid].Oid(), AM: row[OpclassOpcmethod].Oid(), Namespace: row[OpclassOpcnamespace].Oid(),
		Owner: row[OpclassOpcowner].Oid(), Family: row[OpclassOpcfamily].Oid(), InType: row[OpclassOpcintype].Oid(),
		KeyType: row[OpclassOpckeytype].Oid(), Name: row[OpclassOpcname].Str(), Default: row[OpclassOpcdefault].Bool()}
}

func amOpFromRow(row types.Row) *AmOp {
	return &AmOp{Family: row[AmopAmopfamily].Oid(), Left: row[AmopAmoplefttype].Oid(), Right: row[AmopAmoprighttype].Oid(),
		Operator: row[AmopAmopopr].Oid(), AM: row[AmopAmopmethod].Oid(), SortFamily: row[AmopAmopsortfamily].Oid(),
		Strategy: row[AmopAmopstrategy].Int2(), Purpose: row[AmopAmoppurpose].Char()}
}

func collationFromRow(row types.Row) *Collation {
	return &Collation{OID: row[CollationOid].Oid(), Namespace: row[CollationCollnamespace].Oid(), Owner: row[CollationCollowner].Oid(),
		Name: row[CollationCollname].Str(), Provider: row[CollationCollprovider].Char(),
		Deterministic: row[CollationCollisdeterministic].Bool(), Encoding: row[CollationCollencoding].Int4(),
		Collate: textOrEmpty(row[CollationCollcollate]), CType: textOrEmpty(row[CollationCollctype])}
}

func roleFromRow(row types.Row) *Role {
	r := &Role{OID: row[AuthidOid].Oid(), Name: row[AuthidRolname].Str(), Super: row[AuthidRolsuper].Bool(),
		Inherit: row[AuthidRolinherit].Bool(), CreateRole: row[AuthidRolcreaterole].Bool(), CreateDB: row[AuthidRolcreatedb].Bool(),
		CanLogin: row[AuthidRolcanlogin].Bool(), Replication: row[AuthidRolreplication].Bool(), BypassRLS: row[AuthidRolbypassrls].Bool(),
		ConnLimit: row[AuthidRolconnlimit].Int4(), Password: textOrEmpty(row[AuthidRolpassword])}
	if until := row[AuthidRolvaliduntil]; !until.IsNull() {
		r.HasValidUntil, r.ValidUntil = true, until.Int8()
	}
	return r
}

func databaseFromRow(row types.Row) *Database {
	return &Database{OID: row[DatabaseOid].Oid(), Owner: row[DatabaseDatdba].Oid(), Name: row[DatabaseDatname].Str(),
		Encoding: row[DatabaseEncoding].Int4(), Collate: textOrEmpty(row[DatabaseDatcollate]), CType: textOrEmpty(row[DatabaseDatctype]),
		IsTemplate: row[DatabaseDatistemplate].Bool(), AllowConn: row[DatabaseDatallowconn].Bool(),
		ConnLimit: row[DatabaseDatconnlimit].Int4(), ACL: ACL(row[DatabaseDatacl])}
}

func namespaceFromRow(row types.Row) *Namespace {
	return &Namespace{OID: row[NamespaceOid].Oid(), Owner: row[NamespaceNspowner].Oid(), Name: row[NamespaceNspname].Str(),
		ACL: ACL(row[NamespaceNspacl])}
}

func constraintFromRow(row types.Row) (*Constraint, error) {
	c := &Constraint{
		OID:        row[ConstraintOid].Oid(),
		Name:       row[ConstraintConname].Str(),
		Namespace:  row[ConstraintConnamespace].Oid(),
		Type:       row[ConstraintContype].Char(),
		Deferrable: row[ConstraintCondeferrable].Bool(), Deferred: row[ConstraintCondeferred].Bool(),
		Validated: row[ConstraintConvalidated].Bool(),
		IsLocal:   row[ConstraintConislocal].Bool(), NoInherit: row[ConstraintConnoinherit].Bool(),
		InhCount:  row[ConstraintConinhcount].Int4(),
		Rel:       row[ConstraintConrelid].Oid(),
		Domain:    row[ConstraintContypid].Oid(),
		Index:     row[ConstraintConindid].Oid(),
		Parent:    row[ConstraintConparentid].Oid(),
		RefRel:    row[ConstraintConfrelid].Oid(),
		UpdAction: row[ConstraintConfupdtype].Char(), DelAction: row[ConstraintConfdeltype].Char(),
		MatchType:  row[ConstraintConfmatchtype].Char(),
		Keys:       Int2s(row[ConstraintConkey]),
		RefKeys:    Int2s(row[ConstraintConfkey]),
		DelSetCols: Int2s(row[ConstraintConfdelsetcols]),
		PFEqOps:    OIDs(row[ConstraintConpfeqop]),
		PPEqOps:    OIDs(row[ConstraintConppeqop]),
		FFEqOps:    OIDs(row[ConstraintConffeqop]),
		ExclOps:    OIDs(row[ConstraintConexclop]),
	}
	var err error
	c.Expr, err = decodeExpr(row[ConstraintConbin])
	return c, err
}

func triggerFromRow(row types.Row) (*Trigger, error) {
	t := &Trigger{
		OID: row[TriggerOid].Oid(), Func: row[TriggerTgfoid].Oid(), Name: row[TriggerTgname].Str(),
		Type: row[TriggerTgtype].Int2(), Enabled: row[TriggerTgenabled].Char(), Internal: row[TriggerTgisinternal].Bool(),
		ConstrRel: row[TriggerTgconstrrelid].Oid(), ConstrIndex: row[TriggerTgconstrindid].Oid(),
		Constraint: row[TriggerTgconstraint].Oid(), Deferrable: row[TriggerTgdeferrable].Bool(),
		InitDeferred: row[TriggerTginitdeferred].Bool(), Attrs: Int2s(row[TriggerTgattr]),
		OldTable: textOrEmpty(row[TriggerTgoldtable]), NewTable: textOrEmpty(row[TriggerTgnewtable]),
		Parent: row[TriggerTgparentid].Oid(),
	}
	if n := int(row[TriggerTgnargs].Int2()); n > 0 {
		t.Args = strings.SplitN(row[TriggerTgargs].Str(), "\x00", n+1)[:n]
	}
	var err error
	t.When, err = decodeExpr(row[TriggerTgqual])
	return t, err
}

// decodeExpr decodes a pg_node_tree column; a null is nil.
func decodeExpr(d types.Datum) (query.Expr, error) {
	if d.IsNull() || d.Str() == "" {
		return nil, nil
	}
	return query.Decode(d.Str())
}
