# PostgreSQL's own regression suite, from Debian's source package.
.PHONY: suite suite-src
SUITE_SRC ?=
SUITE_JOBS ?= 1
SUITE_TIMEOUT ?= 2m
SUITE_OUT ?= $(CURDIR)/bin/suite

suite: build ## PostgreSQL 15's regression suite: a table per file, then the most frequent causes. SUITE_SRC=its sources, TESTS='boolean int4' for some
	@src=$$(SUITE_SRC='$(SUITE_SRC)' ./regress/suite-src.sh) && \
	./$(BIN) regress --temp-instance --suite "$$src/src/test/regress" --outputdir '$(SUITE_OUT)' --dlpath "$$src/src/test/regress" --no-locale --encoding UTF8 \
		--skip regress/suite.skip --max-connections $(SUITE_JOBS) --file-timeout $(SUITE_TIMEOUT) --score --causes 100 $(TESTS)

suite-src: ## fetch the sources of PostgreSQL 15 into the cache, and print where they are
	@SUITE_SRC='$(SUITE_SRC)' ./regress/suite-src.sh
