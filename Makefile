# Everything that a change must pass, and what is run by hand. `make check` is what CI runs.
GO ?= go
FUZZTIME ?= 5s

.PHONY: build check lint test race fuzz bench

build:
	$(GO) build -trimpath -o mithril-stream .

check: build lint test race fuzz

lint:
	@unformatted=$$(gofmt -l .); test -z "$$unformatted" || { echo "gofmt would change: $$unformatted"; exit 1; }
	$(GO) vet ./...
	GOOS=darwin GOARCH=arm64 $(GO) vet ./...

test:
	$(GO) test ./...

race:
	$(GO) test -race -short ./...

# every fuzz target for a short time; make fuzz FUZZTIME=10m for a long one
fuzz:
	@set -e; for package in $$($(GO) list ./...); do \
		for target in $$($(GO) test -list '^Fuzz' $$package | grep '^Fuzz' || true); do \
			echo "$$package $$target"; \
			$(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) $$package; \
		done; \
	done
