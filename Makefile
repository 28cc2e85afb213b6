# The checks that every change must pass, and the targets you run by hand. CI runs
# `make wheels lint`, and then `make -j2 -o wheels -o lint race python integration release-check check`.
GO ?= go
FUZZTIME ?= 3000x

# All goals compile as a release does, so that each package is compiled once for a system, and what
# is tested is what is released. Only the race detector needs cgo.
export CGO_ENABLED = 0
export GOFLAGS := $(filter-out -trimpath,$(GOFLAGS)) -trimpath
race race-all: export CGO_ENABLED = 1

.PHONY: build man check lint vulnerable test race race-all fuzz explore deploy integration brokers wheels python python-thorough release tagged release-check release-again sign image bench

# A static program that needs no C library. Its version includes the commit.
build:
	$(GO) build -buildvcs=auto -o mithril-stream .

check: build lint test race deploy

# With small heaps the compiler takes a fifth longer, and some tests spend most of their time in the
# garbage collector, and on returning pages to the system and getting them back. The program sets its
# own limits, whatever GOGC is.
wheels lint test race race-all fuzz deploy integration brokers release release-check release-again: export GOGC = 400

# Brokers and Spark run for seconds only: too short for the optimizing compiler of Java to pay off.
integration brokers python python-thorough: export JDK_JAVA_OPTIONS = -XX:TieredStopAtLevel=1 -XX:+UseSerialGC

# Benchmarks and checks have modules of their own, to keep their dependencies out of the program.
MODULES = . bench deploy/check deploy/release internal/quality/report/check internal/tools sketch/onnx/mithril-onnx

# checks the types of packages for a system, which takes a tenth of the time that compiling takes
TYPECHECK = $(GO) -C internal/tools run ./typecheck -dir $(CURDIR)

# the packages that must also compile to WebAssembly, to compute signatures in a browser
WASM = ./sketch ./sketch/chinese ./sketch/embedding ./sketch/fracminhash ./sketch/markup ./sketch/rows ./sketch/signature ./sketch/simhash ./sketch/tlsh

# the packages with files that take the place of assembly
WITHOUT_ASSEMBLY = grep -rl --include='*.go' '^//go:build !amd64 || purego' bloomlsh config dedup internal sa sketch stream | \
	xargs -n1 dirname | sort -u | sed 's,^,./,'

# gofmt skips hidden folders: CI installs tools there, perhaps at the same time. Vet looks at all files
# but those that other tags or processors have, and then at the packages that have such files: with
# another tag it starts again at the standard library.
lint:
	@unformatted=$$(gofmt -l *.go */); test -z "$$unformatted" || { echo "gofmt would change: $$unformatted"; exit 1; }
	@set -e; for module in $(MODULES); do \
		echo "module $$module"; \
		(cd $$module; $(GO) mod tidy -diff; $(GO) vet -tags integration ./...; \
			$(GO) tool -modfile=$(CURDIR)/internal/tools/go.mod staticcheck ./...); \
	done
	$(GO) vet -tags nocloud ./internal/object && $(GO) test -vet=off -tags nocloud -run ByName ./internal/object
	GOFLAGS='$(GOFLAGS) -tags=nocloud' $(TYPECHECK) linux/amd64 .
	$(GO) vet -tags purego $$($(WITHOUT_ASSEMBLY))
	$(TYPECHECK) linux/arm64 ./...
	@echo "types on darwin/arm64"; $(TYPECHECK) darwin/arm64 ./... && $(TYPECHECK)/bench darwin/arm64 ./...
	$(TYPECHECK) freebsd/riscv64 ./dedup
	@set -e; for system in windows/386 js/wasm wasip1/wasm; do echo "types on $$system"; \
		$(TYPECHECK) $$system $(WASM); done
	@set -e; for system in windows/amd64 linux/386 linux/arm; do echo "no library on $$system"; \
		$(TYPECHECK) -fails internal/needsunix64 $$system ./dedup; done

# writes a manual page for each command to man/
man: build
	rm -rf man && mkdir man
	@set -e; ./mithril-stream man --list | while read -r command; do \
		page=$$(echo mithril-stream $$command | tr ' ' -); \
		./mithril-stream man $$command > man/$$page.1; \
	done

# checks dependencies for known vulnerabilities; needs access to the Go vulnerability database
vulnerable:
	$(GO) run golang.org/x/vuln/cmd/govulncheck@v1.9.0 ./...

# ./tests takes longest, so it starts first. That ./... matches it as well does not test it twice.
# make lint vets all packages, so go test need not do it again for each goal. Results are not cached
# (-count=1): to know when they hold, go test looks again at each file that a test has looked at,
# which took a fifth of the time. Some packages mostly wait for servers, so more of them run at once
# than there are cores.
test:
	$(GO) test -p 4 -count=1 -vet=off -timeout 30m ./tests/... ./...
	cd bench && $(GO) test -vet=off ./...
	cd internal/tools && $(GO) test -vet=off ./...

# tests the packages that start goroutines with the race detector, which takes ten times as long, and
# runs the scripts and the tests of tests/short_test.go, in which these packages work together. By
# default a program with the race detector sleeps for a second before it exits.
STARTS_GOROUTINES = ^[[:space:]]*(go |.*[^[:alnum:]]go func)|\.Go\(|AfterFunc\(|AddCleanup\(|SetFinalizer\(|t\.Parallel\(
RACE = $(GO) test -count=1 -vet=off -race -timeout 60m
race race-all: export GORACE = atexit_sleep_ms=0
race:
	$(RACE) -short ./tests $$( \
		grep -rlE --include='*.go' '$(STARTS_GOROUTINES)' bloomlsh config dedup internal sa sketch stream | \
		grep -vE '^(internal/tools|internal/quality/report/check|sketch/onnx/mithril-onnx)/' | \
		xargs -n1 dirname | sort -u | sed 's,^,./,')

# tests what race does not: all packages, all scripts, and all tests of ./tests
race-all:
	$(RACE) -short -run . ./...
	$(RACE) -run '^TestScripts$$' ./tests

# runs every fuzz target for a number of inputs, since a time limit sometimes ends in "context
# deadline exceeded"; make fuzz FUZZTIME=10m for a long run. Each package is built once for all its
# targets. What go test -fuzz asks of the compiler is asked for this module alone, whose paths the
# inputs are to find: it would compile the 600 packages of others once more.
INSTRUMENTED = github.com/mithril-stream/mithril-stream/...=-d=libfuzzer
fuzz:
	@set -e; binary=$$(mktemp); trap 'rm -f "$$binary"' EXIT; \
	for dir in $$(grep -rl --include='*_test.go' '^func Fuzz' . | xargs -n1 dirname | sort -u); do \
		$(GO) test -c -gcflags="$(INSTRUMENTED)" -ldflags="-s -w" -o "$$binary" "$$dir"; \
		for target in $$("$$binary" -test.list '^Fuzz'); do \
			echo "$$dir $$target"; \
			(cd "$$dir" && "$$binary" -test.run '^$$' -test.fuzz "^$$target\$$" -test.fuzztime $(FUZZTIME) \
				-test.fuzzminimizetime 10x -test.fuzzcachedir "$$($(GO) env GOCACHE)/fuzz/mithril-stream/$$dir"); \
		done; \
	done

# looks for about 30 minutes for what tests with fixed seeds miss: property tests with random seeds
# and 20 times as many cases, fuzzing, and kills of the program. A failure names its seed.
CHECKS ?= 2000
STOPS ?= 2000
explore:
	RAPID_SEED=0 RAPID_CHECKS=$(CHECKS) $(GO) test -count=1 -timeout 60m \
		$$(grep -rl --include='*_test.go' '"pgregory.net/rapid"' . | xargs -n1 dirname | sort -u)
	$(MAKE) fuzz FUZZTIME=20s
	$(GO) test -count=1 -timeout 120m -run 'Kill|OtherKindsOfBuckets' ./tests -seed $$(date +%s) -kills 60
	$(GO) test -count=1 -timeout 120m ./tests/chaos -seed $$(date +%s) -stops $(STOPS) -v
	$(GO) test -count=1 -timeout 120m ./tests/power -seed $$(date +%s) -states 0 -rounds 13 -v

# checks the examples in deploy/ with the parsers of the tools they are written for
deploy:
	cd deploy/check && $(GO) test ./...
	cd deploy/release && $(GO) test ./...

# builds the files of a release in dist/: archives, packages, wheels, a Homebrew formula, the list
# of linked modules, checksums. Builds are reproducible. If VERSION is set, its tag must be checked
# out.
VERSION ?=
release: tagged wheels
	rm -rf dist && cd deploy/release && $(GO) run . -o ../../dist -beside ../../python/dist $(SYSTEMS)

tagged:
	@test -z "$(VERSION)" || test -d "tests/compat/testdata/$(VERSION)" || \
		{ echo "tests/compat keeps nothing of version $(VERSION): go test ./tests/compat -write $(VERSION)"; exit 1; }
	@test -z "$(VERSION)" || { git tag --points-at HEAD | grep -qFx 'v$(VERSION)' && test -z "$$(git status --porcelain)"; } || \
		{ echo "version $(VERSION) is built from tag v$(VERSION) alone, without changes: git checkout v$(VERSION)"; exit 1; }

# signs the checksums of a release with minisign and the maintainer's key, which is kept offline
SIGNING_KEY ?=
sign:
	@if test -z "$(SIGNING_KEY)"; then \
		echo "SIGNING_KEY names no key: dist/SHA256SUMS is not signed"; \
	else minisign -S -s "$(SIGNING_KEY)" -m dist/SHA256SUMS; fi

# builds a container image with podman or docker
image:
	@for builder in podman docker; do \
		$$builder info >/dev/null 2>&1 && exec $$builder build -f deploy/Containerfile -t mithril-stream .; \
	done; echo "neither podman nor docker runs here: there is no image"; exit 1

# checks that a release can be installed as docs/install.md says, and that it works the same on arm64
# as on amd64, if it is built for both
BUILT_FOR = $(or $(SYSTEMS),linux/amd64 linux/arm64)
CHECKS_OF_A_RELEASE = InstallPage$(if $(word 2,$(filter linux/%,$(BUILT_FOR))),|Arm64)
release-check: release
	cd deploy/release && $(GO) test -count=1 -run '$(CHECKS_OF_A_RELEASE)' . -args -dist ../../dist

# checks that a second build of a release has the same bytes (only one wheel is built twice)
release-again: release
	rm -rf dist-again wheels-again && cp -R python/dist wheels-again
	OUT=../wheels-again $(BUILD_WHEELS) linux/amd64
	cd deploy/release && $(GO) run . -o ../../dist-again -beside ../../wheels-again $(SYSTEMS)
	diff -r dist dist-again && rm -rf dist-again wheels-again

# measures speed and memory, on generated records and on RECORDS, which are JSON Lines files
bench:
	sh bench/run.sh $(RECORDS)

# runs the tests that need Maven and Java (Kafka brokers), a Python with pyarrow (PYARROW_PYTHON), one with model2vec
# and wordllama (MODEL2VEC_PYTHON), one with onnxruntime and tokenizers (ONNX_PYTHON), one with
# huggingface_hub (HF_PYTHON), one with duckdb (DUCKDB_PYTHON), one with datasketch and
# pybloomfiltermmap3 (DATASKETCH_PYTHON), an S3 server (SEAWEEDFS), one
# of Google Cloud Storage (FAKE_GCS_SERVER), one of Azure Blob Storage (AZURITE) or a browser (Chromium);
# if CI is set, a missing one is a failure. -count=1 because the test cache does not know which broker
# was used.
integration:
	$(GO) test -vet=off -count=1 -timeout 20m -tags integration -run Integration ./tests ./sketch/embedding ./sketch/onnx ./internal/arrow ./internal/kafka \
		./internal/object ./internal/parquet
	cd internal/quality/report/check && $(GO) test -vet=off -count=1 -tags integration ./...

# runs the tests with older brokers, which nightly.yaml does
OLDER_BROKERS ?= 3.9.1 4.0.1
brokers:
	@set -e; for version in $(OLDER_BROKERS); do \
		echo "Apache Kafka $$version"; \
		KAFKA_VERSION=$$version $(GO) test -vet=off -count=1 -timeout 20m -tags integration -run Integration -skip 'S3|GCS|Azure|SQL|Forgetting' ./tests ./internal/kafka; \
	done

# A wheel names the tools that built it, so other versions would produce other bytes.
WHEEL_BUILDERS = build==1.6.1 hatchling==1.33.0 hatch-vcs==0.5.0 setuptools-scm==10.3.4

# uv installs the many packages of the Python tests in a third of the processor time that pip takes.
UV = uv==0.13.9

# the systems that wheels and releases are built for: all that there are releases for, or those named
SYSTEMS ?=

# builds the wheels of the Python package; PYTHON must have pip
PYTHON ?= python3
BUILD_WHEELS = SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) PYTHON=$(CURDIR)/.venv-wheels/bin/python sh python/build.sh
wheels:
	rm -rf python/dist .venv-wheels
	$(PYTHON) -m venv .venv-wheels
	.venv-wheels/bin/pip install --quiet --disable-pip-version-check $(WHEEL_BUILDERS) $(UV)
	$(BUILD_WHEELS) $(SYSTEMS)

# tests the wheel of this system, installed into an empty environment
python: wheels
	$(PYTHON) -m venv --clear .venv-python
	wheel=$$(ls python/dist/*manylinux*$$(uname -m).whl) && \
		.venv-python/bin/pip install --quiet --disable-pip-version-check "$$wheel" && \
		.venv-python/bin/python -c 'import mithril_stream.dedup as d; assert d.deduplicate(["a b c", "A b c."]) == ["a b c"]' && \
		.venv-wheels/bin/uv pip install --quiet --python .venv-python/bin/python "$$wheel[test]"
	.venv-python/bin/python -m compileall -q .venv-python/lib/*/site-packages/mithril_stream # as pip does
	cd python && ../.venv-python/bin/mypy src tests/typed.py && \
		../.venv-python/bin/pyright --pythonpath ../.venv-python/bin/python src tests/typed.py && ../.venv-python/bin/python -m pytest -q
	PYTHON=$(CURDIR)/.venv-python/bin/python UV=$(CURDIR)/.venv-wheels/bin/uv sh python/versions.sh python/dist/*manylinux*$$(uname -m).whl

# runs the tests of the Python package that are marked as thorough, too, and interrupts calls with new
# seeds
INTERRUPTIONS ?= 20000
python-thorough: python
	cd python && ../.venv-python/bin/python -m pytest -q --thorough -m thorough
	.venv-python/bin/python python/tests/interrupting.py $(INTERRUPTIONS) $$(date +%s)
