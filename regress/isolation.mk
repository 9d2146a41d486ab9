.PHONY: isolation isolation-compare
# PostgreSQL's sources, for its specs: src/test/isolation of PGSRC. `make suite` fetches them.
PGSRC ?= $(firstword $(wildcard $(HOME)/.cache/calf/postgresql-15*/.))
ISOLATION_DIR ?= $(if $(PGSRC),$(PGSRC)/src/test/isolation)
PGISOLATIONTIMEOUT ?= 20

isolation: build ## isolation specs, ours and PostgreSQL's (PGSRC=dir of its sources), against a private calf
	./$(BIN) isolation
	@[ -d "$(ISOLATION_DIR)/specs" ] || { echo "PostgreSQL's specs: set PGSRC to its source folder"; exit 2; }
	PGISOLATIONTIMEOUT=$(PGISOLATIONTIMEOUT) ./$(BIN) isolation --dir $(ISOLATION_DIR) --prepared

isolation-compare: ## what our isolation runner prints beside the stock isolationtester, on one PostgreSQL
	CALF_ISOLATION_DIR=$(ISOLATION_DIR) $(GO) test ./regress/isolation -count=1 -v -timeout 30m -run TestSameAsIsolationtester
