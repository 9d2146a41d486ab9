// Package crash kills a real server again and again and looks at what it finds afterwards.
//
//	make crash                                   50 rounds
//	go test ./regress/crash -v -rounds 3 -seed 7
//	go test ./regress/crash -v -rounds 3 -postgres /usr/lib/postgresql/15/bin     the same against PostgreSQL: is the test itself right?
//
// A round: clients work for a while (transactions of every kind, each in a part of the tables that only it writes and that it has a model of; and
// money that they all move), with synchronous_commit on; the server gets SIGKILL in the middle; it is started again; and then
//
//   - everything whose commit was acknowledged is there, with the right values;
//   - nothing of a transaction is there without the rest of it: a client whose COMMIT was not answered finds all or nothing;
//   - nothing is there that was rolled back or never committed;
//   - each account's balance is the sum of its history;
//   - sequential scans and index scans give the same rows;
//   - tables that were created are there, those that were dropped are not, VACUUM and new writes work.
//
// SIGKILL loses no page cache, so this proves that recovery works and that nothing is acknowledged before it was written, not that it was synced:
// for that, the crash clones and sync gates of storage/pagestore.
package crash
