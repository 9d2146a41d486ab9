# Isolation specs: ours, and PostgreSQL's from its sources (SUITE_SRC, else fetched as for `make suite`).
.PHONY: isolation isolation-compare
SUITE_SRC ?=
PGISOLATIONTIMEOUT ?= 20
export PGISOLATIONTIMEOUT
ISOLATION_SRC = src=$$(SUITE_SRC='$(SUITE_SRC)' ./regress/suite-src.sh) && dir=$$src/src/test/isolation

isolation: build ## isolation specs, ours and PostgreSQL's, on a private calf; SPECS='deadlock-hard nowait' for some of PostgreSQL's
	@ours=0; theirs=0; [ -n '$(SPECS)' ] || ./$(BIN) isolation --results $(CURDIR)/bin/isolation || ours=$$?; \
	$(ISOLATION_SRC) && { ./$(BIN) isolation --dir "$$dir" --results $(CURDIR)/bin/isolation-pg $(SPECS) || theirs=$$?; \
	[ $$ours = 0 ] && [ $$theirs = 0 ]; }

isolation-compare: ## what our runner prints beside the stock isolationtester, on all of PostgreSQL's specs and ours, on a private PostgreSQL
	@$(ISOLATION_SRC) && CALF_ISOLATION_DIR="$$dir" $(GO) test ./regress/isolation -count=1 -v -timeout 60m -run TestSameAsIsolationtester
