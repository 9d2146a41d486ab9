package ddl

import (
	pg_query "github.com/pganalyze/pg_query_go/v5"

	"github.com/calfdb/calf/sql/catalog"
	"github.com/calfdb/calf/sql/types"
)

// objectKind tells where a catalog keeps what all kinds of objects have. A column that it lacks is none.
type objectKind struct {
	word                   string // "operator class"
	name, ns, owner, acl   int
	byName                 OID // unique index on the name, or with am on (access method, name, ...); 0 = no plain look-up by name
	am                     int // column of the access method that the name belongs to
	hasEncoding            bool
	ownerWord, missingText string // where messages say it otherwise
}

const none = -1

// objectKinds are the kinds by their catalogs.
var objectKinds = map[OID]*objectKind{
	catalog.PgCollationOID: {word: "collation", name: catalog.CollationCollname, ns: catalog.CollationCollnamespace, owner: catalog.CollationCollowner,
		acl: none, byName: catalog.PgCollationNameEncNspIndexOID, am: none, hasEncoding: true},
	catalog.PgConversionOID: {word: "conversion", name: catalog.ConversionConname, ns: catalog.ConversionConnamespace, owner: catalog.ConversionConowner,
		acl: none, byName: catalog.PgConversionNameNspIndexOID, am: none},
	catalog.PgOpclassOID: {word: "operator class", name: catalog.OpclassOpcname, ns: catalog.OpclassOpcnamespace, owner: catalog.OpclassOpcowner, acl: none,
		byName: catalog.PgOpclassAmNameNspIndexOID, am: catalog.OpclassOpcmethod},
	catalog.PgOpfamilyOID: {word: "operator family", name: catalog.OpfamilyOpfname, ns: catalog.OpfamilyOpfnamespace, owner: catalog.OpfamilyOpfowner,
		acl: none, byName: catalog.PgOpfamilyAmNameNspIndexOID, am: catalog.OpfamilyOpfmethod},
	catalog.PgProcOID: {word: "function", name: catalog.ProcProname, ns: catalog.ProcPronamespace, owner: catalog.ProcProowner, acl: catalog.ProcProacl,
		am: none},
	catalog.PgOperatorOID: {word: "operator", name: catalog.OperatorOprname, ns: catalog.OperatorOprnamespace, owner: catalog.OperatorOprowner, acl: none,
		am: none},
	catalog.PgStatisticExtOID: {word: "statistics object", name: catalog.StatisticExtStxname, ns: catalog.StatisticExtStxnamespace,
		owner: catalog.StatisticExtStxowner, acl: none, byName: catalog.PgStatisticExtNameIndexOID, am: none},
	catalog.PgTsConfigOID: {word: "text search configuration", name: catalog.TsConfigCfgname, ns: catalog.TsConfigCfgnamespace,
		owner: catalog.TsConfigCfgowner, acl: none, byName: catalog.PgTsConfigCfgnameIndexOID, am: none},
	catalog.PgTsDictOID: {word: "text search dictionary", name: catalog.TsDictDictname, ns: catalog.TsDictDictnamespace, owner: catalog.TsDictDictowner,
		acl: none, byName: catalog.PgTsDictDictnameIndexOID, am: none},
	catalog.PgTsParserOID: {word: "text search parser", name: catalog.TsParserPrsname, ns: catalog.TsParserPrsnamespace, owner: none, acl: none,
		byName: catalog.PgTsParserPrsnameIndexOID, am: none},
	catalog.PgTsTemplateOID: {word: "text search template", name: catalog.TsTemplateTmplname, ns: catalog.TsTemplateTmplnamespace, owner: none, acl: none,
		byName: catalog.PgTsTemplateTmplnameIndexOID, am: none},
	catalog.PgLanguageOID: {word: "language", name: catalog.LanguageLanname, ns: none, owner: catalog.LanguageLanowner, acl: catalog.LanguageLanacl,
		byName: catalog.PgLanguageNameIndexOID, am: none},
	catalog.PgExtensionOID: {word: "extension", name: catalog.ExtensionExtname, ns: none, owner: catalog.ExtensionExtowner, acl: none,
		byName: catalog.PgExtensionNameIndexOID, am: none},
	catalog.PgAmOID: {word: "access method", name: catalog.AmAmname, ns: none, owner: none, acl: none, byName: catalog.PgAmNameIndexOID, am: none},
	catalog.PgEventTriggerOID: {word: "event trigger", name: catalog.EventTriggerEvtname, ns: none, owner: catalog.EventTriggerEvtowner, acl: none,
		byName: catalog.PgEventTriggerEvtnameIndexOID, am: none},
	catalog.PgForeignDataWrapperOID: {word: "foreign-data wrapper", name: catalog.ForeignDataWrapperFdwname, ns: none,
		owner: catalog.ForeignDataWrapperFdwowner, acl: catalog.ForeignDataWrapperFdwacl, byName: catalog.PgForeignDataWrapperNameIndexOID, am: none},
	catalog.PgForeignServerOID: {word: "server", name: catalog.ForeignServerSrvname, ns: none, owner: catalog.ForeignServerSrvowner,
		acl: catalog.ForeignServerSrvacl, byName: catalog.PgForeignServerNameIndexOID, am: none, ownerWord: "foreign server"},
	catalog.PgPublicationOID: {word: "publication", name: catalog.PublicationPubname, ns: none, owner: catalog.PublicationPubowner, acl: none,
		byName: catalog.PgPublicationPubnameIndexOID, am: none},
}

// namedClasses are the kinds that are found by a possibly qualified name alone.
var namedClasses = map[pg_query.ObjectType]OID{
	pg_query.ObjectType_OBJECT_COLLATION: catalog.PgCollationOID, pg_query.ObjectType_OBJECT_CONVERSION: catalog.PgConversionOID,
	pg_query.ObjectType_OBJECT_STATISTIC_EXT: catalog.PgStatisticExtOID, pg_query.ObjectType_OBJECT_TSCONFIGURATION: catalog.PgTsConfigOID,
	pg_query.ObjectType_OBJECT_TSDICTIONARY: catalog.PgTsDictOID, pg_query.ObjectType_OBJECT_TSPARSER: catalog.PgTsParserOID,
	pg_query.ObjectType_OBJECT_TSTEMPLATE: catalog.PgTsTemplateOID, pg_query.ObjectType_OBJECT_LANGUAGE: catalog.PgLanguageOID,
	pg_query.ObjectType_OBJECT_EXTENSION: catalog.PgExtensionOID, pg_query.ObjectType_OBJECT_ACCESS_METHOD: catalog.PgAmOID,
	pg_query.ObjectType_OBJECT_EVENT_TRIGGER: catalog.PgEventTriggerOID, pg_query.ObjectType_OBJECT_FDW: catalog.PgForeignDataWrapperOID,
	pg_query.ObjectType_OBJECT_FOREIGN_SERVER: catalog.PgForeignServerOID, pg_query.ObjectType_OBJECT_PUBLICATION: catalog.PgPublicationOID,
}

// ownerKindWord is the kind as "must be owner of ..." says it.
func (k *objectKind) ownerKindWord() string {
	if k.ownerWord != "" {
		return k.ownerWord
	}
	return k.word
}

// inSchema gives the object of that name in one schema (0 for kinds without), of an access method where names belong to one; 0 = none.
func (c *ctx) inSchema(k *objectKind, am, ns OID, name string) (OID, error) {
	key := []types.Datum{types.Text(name)}
	if k.am != none {
		key = []types.Datum{types.Oid(am), types.Text(name)}
	}
	var found OID
	err := c.v.Scan(k.byName, key, func(_ types.TID, row types.Row) (bool, error) {
		if k.ns != none && row[k.ns].Oid() != ns {
			return true, nil
		}
		if k.hasEncoding && row[catalog.CollationCollencoding].Int4() != -1 && row[catalog.CollationCollencoding].Int4() != utf8Encoding {
			return true, nil
		}
		found = row[0].Oid()
		return false, nil
	})
	return found, err
}

// utf8Encoding is the only encoding of databases.
const utf8Encoding = 6
