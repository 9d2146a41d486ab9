# Our own SQL files, whose expected output is PostgreSQL's.
.PHONY: sql-files
sql-files: build ## run regress/sql against a server of its own; TESTS='dml/insert txn/blocks' for some
	./$(BIN) regress --temp-instance --no-locale --encoding UTF8 --inputdir regress --outputdir bin/sql-files $(TESTS)
