package regress

import "testing"

// TestStatistics: the counters of a table and its indexes after reads, writes, rollbacks, VACUUM and TRUNCATE are PostgreSQL's.
func TestStatistics(t *testing.T) { compareScript(t, "statistics") }
