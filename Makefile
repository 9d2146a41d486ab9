# calf: `make run` builds and starts a server on a default data directory; `make test` runs all that CI runs.

GO ?= go
BIN := bin/calf
DATA ?=
FLAGS ?=

.PHONY: all run build test vet fmt tools clean

all: build

build: ## the server, in bin/calf
	$(GO) build -o $(BIN) ./cmd/calf

run: build ## start a server; DATA=dir for another data directory, FLAGS='-c work_mem=8MB' for settings
	./$(BIN) serve $(if $(DATA),--data $(DATA)) $(FLAGS)

test: tools ## vet, format check, all tests, race tests of the storage side; prints minutes per part
	./.ci/test

tools: ## install what the tests need: psql, pgbench, PostgreSQL 15
	./.ci/tools

vet:
	$(GO) vet ./...

fmt:
	gofmt -w $$(git ls-files '*.go')

clean:
	rm -rf bin

# Slow suites add their targets in files of their own: regress/*.mk.
-include regress/*.mk
