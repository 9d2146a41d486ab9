// Package settings holds the server's and the sessions' settings (PostgreSQL's GUCs): what exists, who may set it when, where a value came
// from, how it is written and read.
//
// # The idea
//
// Definitions (Def) are facts: pg15.tsv lists all of PostgreSQL 15's (made by gen/facts.py from a running PostgreSQL and guc.c), and owners
// add calf's own with Define. A Handle is the index of a definition. Values live in two places:
//
//	Server   what all sessions start from: built-in default < postgresql.conf (+ auto.conf) < command line; replaced as a whole by Reload
//	Session  a copy of the server's values, over which come: database < user < user in database < client < SET < SET LOCAL
//
// Reading a setting is an index into a slice of the session: s.Int(settings.WorkMem). Names are looked up only by SET and SHOW.
//
// # Transactions
//
// A session keeps, for each setting that the transaction changed, a stack of what to go back to, one entry a nesting level (transaction,
// subtransaction, or a function with SET clauses), as PostgreSQL's guc.c does: SET survives commit, SET LOCAL does not, an abort undoes both.
// A transaction that sets nothing pays nothing.
//
// # Owners
//
// A package that knows more about a setting registers a check (may reject or canonicalise; RegisterCheck) and a session registers what
// must follow an assignment (Session.OnAssign). This package itself is a leaf: it imports pgerr only.
package settings
