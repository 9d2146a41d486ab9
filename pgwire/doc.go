// Package pgwire is the PostgreSQL protocol (version 3) server: start-up, authentication, TLS, the simple and the extended query
// protocol, COPY in both directions, cancel requests. It knows no SQL.
//
// # The idea
//
// One goroutine per connection, blocking. The Server accepts, the connection's goroutine negotiates and authenticates, then asks the
// Backend for a Session and feeds it one message after the other. The Session answers by appending messages to its Writer:
//
//	client ──bytes──▶ reader (one reused buffer, messages decoded in place)
//	                    │ Session.Parse / Bind / Execute / Query / Sync …
//	                    ▼
//	client ◀─bytes── Writer (one reused buffer, rows encoded in place)
//
// A round trip costs one read and one write: everything a client pipelined is handled before the next read, and output leaves at
// ReadyForQuery, at Flush, with an error or notice, and whenever 64 KB have gathered. That last write blocks while the client does not
// read, which is the whole flow control: a slow client costs no memory.
//
// # Promises
//
//   - Bind, Execute, Sync, Query, Parse and Describe are decoded and answered without a heap allocation in the steady state. The price:
//     strings and byte slices given to a Session point into the read buffer and are valid during the call only.
//   - Memory follows the bytes that arrived, never the length that was announced; before authentication a message has at most 10 KB.
//   - A message that breaks the framing ends its connection with FATAL 08P01; a message whose body is broken is an ERROR 08P01. No other
//     connection is touched.
//   - An error in the extended protocol discards messages until Sync.
//   - A panic in a Session ends that connection with FATAL XX000 and is logged with its stack.
//   - All Session methods but Cancel and Terminate are called on the connection's goroutine.
//
// # Imports
//
// sql/pgerr and libraries; pgproto3 decodes the rare messages. The SQL side implements Backend and Session.
package pgwire
