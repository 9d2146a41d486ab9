.PHONY: crash
ROUNDS ?= 50
SEED ?= 1

crash: build ## kill -9 a server ROUNDS times under load, and look at what it finds afterwards
	$(GO) test ./regress/crash -v -count=1 -timeout 120m -rounds $(ROUNDS) -seed $(SEED) -server $(CURDIR)/$(BIN)
