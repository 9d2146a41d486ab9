package catalog

import (
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/calfdb/calf/sql/query"
	"github.com/calfdb/calf/sql/types"
	"github.com/calfdb/calf/storage/pagestore"
)

// descriptorVersion counts relation descriptors made.
var descriptorVersion atomic.Uint64

// relation makes the descriptor of a relation, nil when there is none.
func (r reader) relation(oid OID) (*Relation, error) {
	class, err := r.one(PgClassOidIndexOID, types.Oid(oid))
	if class == nil || err != nil {
		return nil, err
	}
	rel := relationFromClass(class)
	rel.Storage = r.storage(class)
	rel.Version = descriptorVersion.Add(1)
	steps := []func(*Relation, types.Row) error{r.loadAttrs, r.loadConstraints, r.loadIndexes, r.loadTriggers, r.loadRules, r.loadInherits,
		r.loadPartition, r.loadSpecial}
	for _, step := range steps {
		if err := step(rel, class); err != nil {
			return nil, err
		}
	}
	return rel, nil
}

func relationFromClass(row types.Row) *Relation {
	rel := &Relation{
		OID: row[ClassOid].Oid(), Name: row[ClassRelname].Str(), Namespace: row[ClassRelnamespace].Oid(),
		RowType: row[ClassReltype].Oid(), OfType: row[ClassReloftype].Oid(), Owner: row[ClassRelowner].Oid(), AM: row[ClassRelam].Oid(),
		Tablespace: row[ClassReltablespace].Oid(), Kind: row[ClassRelkind].Char(), Persistence: row[ClassRelpersistence].Char(),
		Shared: row[ClassRelisshared].Bool(), Pages: row[ClassRelpages].Int4(), Tuples: row[ClassReltuples].Float4(),
		AllVisible: row[ClassRelallvisible].Int4(), ToastOID: row[ClassReltoastrelid].Oid(), HasIndex: row[ClassRelhasindex].Bool(),
		HasRules: row[ClassRelhasrules].Bool(), HasTriggers: row[ClassRelhastriggers].Bool(), HasSubclass: row[ClassRelhassubclass].Bool(),
		RowSecurity: row[ClassRelrowsecurity].Bool(), ForceRowSecurity: row[ClassRelforcerowsecurity].Bool(),
		IsPopulated: row[ClassRelispopulated].Bool(), ReplIdent: row[ClassRelreplident].Char(), IsPartition: row[ClassRelispartition].Bool(),
		FrozenXid: row[ClassRelfrozenxid].Raw(), ACL: ACL(row[ClassRelacl]), Options: Texts(row[ClassReloptions]),
	}
	rel.Fillfactor = fillfactor(rel.Options)
	return rel
}

// fillfactor finds the storage option of that name, 0 = not set.
func fillfactor(options []string) int {
	if v, ok := Option(options, "fillfactor"); ok {
		n, _ := strconv.Atoi(v)
		return n
	}
	return 0
}

// Option finds a storage parameter among reloptions.
func Option(options []string, name string) (string, bool) {
	for _, o := range options {
		if k, v, _ := strings.Cut(o, "="); k == name {
			return v, true
		}
	}
	return "", false
}

func (r reader) loadAttrs(rel *Relation, class types.Row) error {
	rows, err := r.list(PgAttributeRelidAttnumIndexOID, types.Oid(rel.OID))
	if err != nil {
		return err
	}
	rel.Desc = &types.TupleDesc{TypeOID: rel.RowType, TypMod: -1}
	if rel.RowType == 0 {
		rel.Desc.TypeOID = types.RecordOID
	}
	hasDefaults := false
	for _, row := range rows {
		num := row[AttributeAttnum].Int2()
		if acl := ACL(row[AttributeAttacl]); acl != nil {
			if rel.AttrACL == nil {
				rel.AttrACL = map[int16][]ACLItem{}
			}
			rel.AttrACL[num] = acl
		}
		if num < 1 {
			continue
		}
		a := attrFromRow(row)
		if a.HasMissing {
			a.Missing = missingValue(&a, row[AttributeAttmissingval])
		}
		hasDefaults = hasDefaults || a.HasDefault
		rel.Desc.Attrs = append(rel.Desc.Attrs, a)
	}
	if !hasDefaults {
		return nil
	}
	rel.Defaults = map[int16]query.Expr{}
	defs, err := r.list(PgAttrdefAdrelidAdnumIndexOID, types.Oid(rel.OID))
	for _, row := range defs {
		e, derr := decodeExpr(row[AttrdefAdbin])
		if derr != nil {
			return derr
		}
		rel.Defaults[row[AttrdefAdnum].Int2()] = e
	}
	return err
}

func (r reader) loadConstraints(rel *Relation, class types.Row) error {
	if rel.OID < FirstUserOID && rel.Kind != 'r' {
		return nil
	}
	rows, err := r.list(PgConstraintConrelidContypidConnameIndexOID, types.Oid(rel.OID))
	if err != nil {
		return err
	}
	for _, row := range rows {
		c, err := constraintFromRow(row)
		if err != nil {
			return err
		}
		rel.constraints = append(rel.constraints, c)
		switch c.Type {
		case 'c':
			rel.Checks = append(rel.Checks, c)
		case 'f':
			rel.FKs = append(rel.FKs, c)
		}
	}
	return nil
}

// Constraints are all constraints of the table, by name.
func (r *Relation) Constraints() []*Constraint { return r.constraints }

func (r reader) loadIndexes(rel *Relation, class types.Row) error {
	if rel.Kind == 'i' || rel.Kind == 'I' {
		row, err := r.one(PgIndexIndexrelidIndexOID, types.Oid(rel.OID))
		if row == nil || err != nil {
			return err
		}
		rel.Index, err = r.index(row, rel)
		if err != nil {
			return err
		}
		cons, err := r.list(PgConstraintConrelidContypidConnameIndexOID, types.Oid(rel.Index.TableOID))
		for _, con := range cons {
			if con[ConstraintConindid].Oid() == rel.OID && con[ConstraintContype].Char() != 'f' {
				linkConstraint(rel.Index, con[ConstraintOid].Oid(), con[ConstraintCondeferrable].Bool(), con[ConstraintCondeferred].Bool())
			}
		}
		return err
	}
	if !rel.HasIndex {
		return nil
	}
	rows, err := r.list(PgIndexIndrelidIndexOID, types.Oid(rel.OID))
	if err != nil {
		return err
	}
	for _, row := range rows {
		ixClass, err := r.one(PgClassOidIndexOID, row[IndexIndexrelid])
		if err != nil {
			return err
		}
		if ixClass == nil {
			continue
		}
		ixRel := relationFromClass(ixClass)
		ixRel.Storage = r.storage(ixClass)
		if err := r.loadAttrs(ixRel, ixClass); err != nil {
			return err
		}
		ix, err := r.index(row, ixRel)
		if err != nil {
			return err
		}
		rel.addIndex(ix)
	}
	return nil
}

// addIndex adds an index in OID order and ties it to its constraint.
func (r *Relation) addIndex(ix *Index) {
	for _, c := range r.constraints {
		if c.Index == ix.OID && c.Type != 'f' {
			linkConstraint(ix, c.OID, c.Deferrable, c.Deferred)
			ix.ExclOps = c.ExclOps
		}
	}
	if ix.Primary && ix.Valid {
		r.PKIndex = ix.OID
	}
	at := len(r.Indexes)
	for at > 0 && r.Indexes[at-1].OID > ix.OID {
		at--
	}
	r.Indexes = append(r.Indexes, nil)
	copy(r.Indexes[at+1:], r.Indexes[at:])
	r.Indexes[at] = ix
}

func linkConstraint(ix *Index, con OID, deferrable, deferred bool) {
	ix.Constraint, ix.Deferrable, ix.Deferred = con, deferrable, deferred
}

// Bits of pg_index.indoption.
const (
	indoptionDesc       = 1
	indoptionNullsFirst = 2
)

// index makes an index's descriptor of its pg_index row and the index relation's own columns.
func (r reader) index(row types.Row, rel *Relation) (*Index, error) {
	ix := &Index{
		OID: rel.OID, Name: rel.Name, TableOID: row[IndexIndrelid].Oid(), AM: rel.AM, Storage: rel.Storage,
		Pages: rel.Pages, Tuples: rel.Tuples, Options: rel.Options, Fillfactor: rel.Fillfactor,
		NumKeys: int(row[IndexIndnkeyatts].Int2()), Keys: Int2s(row[IndexIndkey]), Attrs: rel.Desc.Attrs,
		OpClasses: OIDs(row[IndexIndclass]), Collations: OIDs(row[IndexIndcollation]),
		Unique: row[IndexIndisunique].Bool(), NullsNotDistinct: row[IndexIndnullsnotdistinct].Bool(), Primary: row[IndexIndisprimary].Bool(),
		Exclusion: row[IndexIndisexclusion].Bool(), Immediate: row[IndexIndimmediate].Bool(), Valid: row[IndexIndisvalid].Bool(),
		Ready: row[IndexIndisready].Bool(), Live: row[IndexIndislive].Bool(), Clustered: row[IndexIndisclustered].Bool(),
		CheckXmin: row[IndexIndcheckxmin].Bool(), ReplIdent: row[IndexIndisreplident].Bool(),
	}
	for _, o := range Int2s(row[IndexIndoption]) {
		ix.Desc = append(ix.Desc, o&indoptionDesc != 0)
		ix.NullsFirst = append(ix.NullsFirst, o&indoptionNullsFirst != 0)
	}
	for _, opc := range ix.OpClasses {
		c, err := r.one(PgOpclassOidIndexOID, types.Oid(opc))
		if err != nil {
			return nil, err
		}
		if c == nil {
			continue
		}
		ix.OpFamilies = append(ix.OpFamilies, c[OpclassOpcfamily].Oid())
		ix.OpcInTypes = append(ix.OpcInTypes, c[OpclassOpcintype].Oid())
	}
	var err error
	if d := row[IndexIndexprs]; !d.IsNull() {
		if ix.Exprs, err = query.DecodeExprs(d.Str()); err != nil {
			return nil, err
		}
	}
	if ix.Pred, err = decodeExpr(row[IndexIndpred]); err != nil || !rel.IsPartition {
		return ix, err
	}
	for at := ix.OID; ; {
		up, err := r.one(PgInheritsRelidSeqnoIndexOID, types.Oid(at))
		if err != nil || up == nil {
			return ix, err
		}
		at = up[InheritsInhparent].Oid()
		if ix.Root = at; ix.Parent == 0 {
			ix.Parent = at
		}
	}
}

func (r reader) loadTriggers(rel *Relation, class types.Row) error {
	if !rel.HasTriggers {
		return nil
	}
	rows, err := r.list(PgTriggerTgrelidTgnameIndexOID, types.Oid(rel.OID))
	if err != nil {
		return err
	}
	seen := map[OID]bool{}
	for _, row := range rows {
		t, err := triggerFromRow(row)
		if err != nil {
			return err
		}
		rel.Triggers = append(rel.Triggers, t)
		if t.Constraint == 0 || seen[t.Constraint] {
			continue
		}
		seen[t.Constraint] = true
		con, err := r.one(PgConstraintOidIndexOID, types.Oid(t.Constraint))
		if err != nil {
			return err
		}
		if con == nil || con[ConstraintContype].Char() != 'f' || con[ConstraintConfrelid].Oid() != rel.OID {
			continue
		}
		c, err := constraintFromRow(con)
		if err != nil {
			return err
		}
		rel.RefBy = append(rel.RefBy, c)
	}
	return nil
}

func (r reader) loadRules(rel *Relation, class types.Row) error {
	if !rel.HasRules {
		return nil
	}
	rows, err := r.list(PgRewriteRelRulenameIndexOID, types.Oid(rel.OID))
	if err != nil {
		return err
	}
	for _, row := range rows {
		rule := &Rule{OID: row[RewriteOid].Oid(), Name: row[RewriteRulename].Str(), Event: row[RewriteEvType].Char(),
			Enabled: row[RewriteEvEnabled].Char(), Instead: row[RewriteIsInstead].Bool()}
		if rule.Qual, err = decodeExpr(row[RewriteEvQual]); err != nil {
			return err
		}
		if rule.Actions, err = query.DecodeQueries(row[RewriteEvAction].Str()); err != nil {
			return err
		}
		rel.Rules = append(rel.Rules, rule)
	}
	return nil
}

func (r reader) loadInherits(rel *Relation, class types.Row) error {
	if rel.OID < FirstUserOID {
		return nil
	}
	rows, err := r.list(PgInheritsRelidSeqnoIndexOID, types.Oid(rel.OID))
	if err != nil {
		return err
	}
	for _, row := range rows {
		rel.Parents = append(rel.Parents, row[InheritsInhparent].Oid())
	}
	if !rel.HasSubclass {
		return nil
	}
	rows, err = r.list(PgInheritsParentIndexOID, types.Oid(rel.OID))
	for _, row := range rows {
		rel.Children = append(rel.Children, row[InheritsInhrelid].Oid())
	}
	sortOIDs(rel.Children)
	return err
}

func (r reader) loadPartition(rel *Relation, class types.Row) error {
	var err error
	if rel.PartBound, err = partitionBound(class); err != nil || rel.Kind != 'p' {
		return err
	}
	row, err := r.one(PgPartitionedTablePartrelidIndexOID, types.Oid(rel.OID))
	if row == nil || err != nil {
		return err
	}
	k := &PartitionKey{Strategy: row[PartitionedTablePartstrat].Char(), Attrs: Int2s(row[PartitionedTablePartattrs]),
		OpClasses: OIDs(row[PartitionedTablePartclass]), Collations: OIDs(row[PartitionedTablePartcollation]),
		Default: row[PartitionedTablePartdefid].Oid()}
	if d := row[PartitionedTablePartexprs]; !d.IsNull() {
		k.Exprs, err = query.DecodeExprs(d.Str())
	}
	rel.PartKey = k
	return err
}

func partitionBound(class types.Row) (*query.PartitionBoundSpec, error) {
	e, err := decodeExpr(class[ClassRelpartbound])
	b, _ := e.(*query.PartitionBoundSpec)
	return b, err
}

// partition reads a partition's bound.
func (r reader) partition(oid OID) (*Partition, error) {
	class, err := r.one(PgClassOidIndexOID, types.Oid(oid))
	if class == nil || err != nil {
		return nil, err
	}
	p := &Partition{OID: oid, Kind: class[ClassRelkind].Char()}
	p.Bound, err = partitionBound(class)
	return p, err
}

func (r reader) loadSpecial(rel *Relation, class types.Row) error {
	if rel.Kind == 'S' {
		row, err := r.one(PgSequenceSeqrelidIndexOID, types.Oid(rel.OID))
		if row == nil || err != nil {
			return err
		}
		rel.Sequence = &SequenceDef{TypeOID: row[SequenceSeqtypid].Oid(), Start: row[SequenceSeqstart].Int8(),
			Increment: row[SequenceSeqincrement].Int8(), Max: row[SequenceSeqmax].Int8(), Min: row[SequenceSeqmin].Int8(),
			Cache: row[SequenceSeqcache].Int8(), Cycle: row[SequenceSeqcycle].Bool()}
	}
	if !rel.RowSecurity {
		return nil
	}
	rows, err := r.list(PgPolicyPolrelidPolnameIndexOID, types.Oid(rel.OID))
	if err != nil {
		return err
	}
	for _, row := range rows {
		p := &Policy{OID: row[PolicyOid].Oid(), Name: row[PolicyPolname].Str(), Cmd: row[PolicyPolcmd].Char(),
			Permissive: row[PolicyPolpermissive].Bool(), Roles: OIDs(row[PolicyPolroles])}
		if p.Qual, err = decodeExpr(row[PolicyPolqual]); err != nil {
			return err
		}
		if p.WithCheck, err = decodeExpr(row[PolicyPolwithcheck]); err != nil {
			return err
		}
		rel.Policies = append(rel.Policies, p)
	}
	return nil
}

// missingValue takes the only element out of attmissingval.
func missingValue(a *types.Attr, d types.Datum) types.Datum {
	v := types.Null
	walkArray(d, int(a.Len), alignOf(a.Align), func(_ int, b []byte) { v = elemDatum(a, b) })
	return v
}

// IndexStorage is a shorthand for the places of all of a table's indexes.
func (r *Relation) IndexStorage() []pagestore.RelID {
	ids := make([]pagestore.RelID, len(r.Indexes))
	for i, ix := range r.Indexes {
		ids[i] = ix.Storage
	}
	return ids
}
