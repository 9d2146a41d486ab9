package session

// queryCache keeps the prepared form of simple query texts that came before, so that the same text is parsed and analysed once. It holds
// few and forgets all when full: what repeats comes back at once.
type queryCache struct {
	byText map[string]*prepared
	bytes  int
}

const (
	queryCacheMax      = 256
	queryCacheBytesMax = 1 << 20
)

// cachedQuery finds the statement of a text.
func (s *Session) cachedQuery(sql string) *prepared { return s.queries.byText[sql] }

// rememberQuery keeps a statement that can run from its cached form: a plan statement, not a utility command.
func (s *Session) rememberQuery(sql string, p *prepared) {
	if !preparable(p.stmt.Node) || len(sql) > queryCacheBytesMax/16 {
		return
	}
	q := &s.queries
	if q.byText == nil || len(q.byText) >= queryCacheMax || q.bytes+len(sql) > queryCacheBytesMax {
		q.byText, q.bytes = map[string]*prepared{}, 0
	}
	q.byText[sql] = p
	q.bytes += len(sql)
}

func (q *queryCache) clear() { q.byText, q.bytes = nil, 0 }
