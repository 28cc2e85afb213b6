# Everything that a change must pass, and what is run by hand. CI runs `make -j2 wheels lint`, and
# then `make -j2 -o wheels -o lint race python integration release-check check`.
GO ?= go
FUZZTIME ?= 3000x

.PHONY: build man check lint vulnerable test race fuzz explore deploy integration wheels python release tagged release-check sign image bench

# static, since nothing asks the C library; the commit is part of the version
build:
	CGO_ENABLED=0 $(GO) build -trimpath -buildvcs=auto -o mithril-stream .

check: build lint test race fuzz deploy

# Some tests spent most of their time on heaps of a few megabytes: on looking for garbage, and on
# giving pages back and taking them again. The program keeps a reserve of its own, whatever this is.
lint test race fuzz deploy integration: export GOGC = 400

# brokers and Spark live for seconds, too short for the second compiler of Java to pay for itself
integration python: export JDK_JAVA_OPTIONS = -XX:TieredStopAtLevel=1 -XX:+UseSerialGC

# what only measures, and what reads the examples in deploy/, are modules of their own
MODULES = . bench deploy/check deploy/release internal/quality/report/check sketch/onnx/mithril-onnx

# what makes signatures in a browser, too
WASM = ./sketch ./sketch/chinese ./sketch/embedding ./sketch/fracminhash ./sketch/markup ./sketch/rows ./sketch/signature ./sketch/simhash ./sketch/tlsh

# hidden folders are of what CI installs, perhaps at this moment
lint:
	@unformatted=$$(gofmt -l *.go */); test -z "$$unformatted" || { echo "gofmt would change: $$unformatted"; exit 1; }
	@set -e; for module in $(MODULES); do \
		echo "module $$module"; \
		(cd $$module; $(GO) mod tidy -diff; $(GO) vet ./...; \
			$(GO) tool -modfile=$(CURDIR)/internal/tools/go.mod staticcheck ./...); \
	done
	cd internal/tools && $(GO) mod tidy -diff
	GOOS=darwin GOARCH=arm64 $(GO) vet ./...
	cd bench && GOOS=darwin GOARCH=arm64 $(GO) vet ./...
	$(GO) vet -tags nocloud ./internal/object . && $(GO) test -tags nocloud -run ByName ./internal/object
	GOOS=freebsd GOARCH=riscv64 $(GO) vet ./dedup
	GOOS=windows GOARCH=386 $(GO) vet $(WASM)
	@for system in windows/amd64 linux/386 linux/arm; do echo "the library does not compile for $$system, and says why"; \
		if said=$$(GOOS=$${system%/*} GOARCH=$${system#*/} $(GO) build ./dedup 2>&1); then echo "it compiles"; exit 1; fi; \
		case $$said in *internal/needsunix64*) ;; *) echo "$$said"; exit 1;; esac; done
	@set -e; for os in js wasip1; do echo "wasm on $$os"; GOOS=$$os GOARCH=wasm $(GO) vet $(WASM); done

# a manual page for each command, in man/
man: build
	rm -rf man && mkdir man
	@set -e; ./mithril-stream man --list | while read -r command; do \
		page=$$(echo mithril-stream $$command | tr ' ' -); \
		./mithril-stream man $$command > man/$$page.1; \
	done

# known vulnerabilities in what is linked; it asks their database, which not every machine can reach
vulnerable:
	$(GO) run golang.org/x/vuln/cmd/govulncheck@v1.9.0 ./...

# The longest package comes first, since it would run alone at the end. What is named twice is
# tested once.
test:
	$(GO) test -timeout 30m ./tests/... ./...
	cd bench && $(GO) test ./...

race:
	$(GO) test -race -short -timeout 30m ./tests/... ./...
	cd bench && $(GO) test -race -short ./...

# every fuzz target, by count: a limit of time sometimes ends in "context deadline exceeded";
# make fuzz FUZZTIME=10m for a long run. A package is built once for all of its targets.
fuzz:
	@set -e; binary=$$(mktemp); trap 'rm -f "$$binary"' EXIT; \
	for dir in $$(grep -rl --include='*_test.go' '^func Fuzz' . | xargs -n1 dirname | sort -u); do \
		$(GO) test -c -fuzz . -ldflags="-s -w" -o "$$binary" "$$dir"; \
		for target in $$("$$binary" -test.list '^Fuzz'); do \
			echo "$$dir $$target"; \
			(cd "$$dir" && "$$binary" -test.run '^$$' -test.fuzz "^$$target\$$" -test.fuzztime $(FUZZTIME) \
				-test.fuzzminimizetime 10x -test.fuzzcachedir "$$($(GO) env GOCACHE)/fuzz/mithril-stream/$$dir"); \
		done; \
	done

# what tests with fixed seeds do not find: property tests with 20 times as many cases of random
# seeds, fuzzing, and stops of the program, for some 30 minutes. A failure names its seed.
CHECKS ?= 2000
STOPS ?= 2000
explore:
	RAPID_SEED=0 RAPID_CHECKS=$(CHECKS) $(GO) test -count=1 -timeout 60m \
		$$(grep -rl --include='*_test.go' '"pgregory.net/rapid"' . | xargs -n1 dirname | sort -u)
	$(MAKE) fuzz FUZZTIME=20s
	$(GO) test -count=1 -timeout 120m ./tests/chaos -seed $$(date +%s) -stops $(STOPS) -v
	$(GO) test -count=1 -timeout 120m ./tests/power -seed $$(date +%s) -states 0 -rounds 13 -v

# the examples in deploy/, read by the parsers of the tools that they are for
deploy:
	cd deploy/check && $(GO) test ./...
	cd deploy/release && $(GO) test ./...

# what a release page has, in dist/: archives, packages, wheels, a formula, a list of what is linked, checksums.
# The same commit makes the same bytes. VERSION, if it is given, is that of the tag that must be checked out.
VERSION ?=
release: tagged wheels
	rm -rf dist && cd deploy/release && $(GO) run . -o ../../dist -beside ../../python/dist

tagged:
	@test -z "$(VERSION)" || test -d "tests/compat/testdata/$(VERSION)" || \
		{ echo "tests/compat keeps nothing of version $(VERSION): go test ./tests/compat -write $(VERSION)"; exit 1; }
	@test -z "$(VERSION)" || { git tag --points-at HEAD | grep -qFx 'v$(VERSION)' && test -z "$$(git status --porcelain)"; } || \
		{ echo "version $(VERSION) is built from tag v$(VERSION) alone, without changes: git checkout v$(VERSION)"; exit 1; }

# signs the checksums of a release with the maintainer's key for minisign, which is on no server
SIGNING_KEY ?=
sign:
	@if test -z "$(SIGNING_KEY)"; then \
		echo "SIGNING_KEY names no key: dist/SHA256SUMS is not signed"; \
	else minisign -S -s "$(SIGNING_KEY)" -m dist/SHA256SUMS; fi

# a container image, where podman or docker runs
image:
	@for builder in podman docker; do \
		$$builder info >/dev/null 2>&1 && exec $$builder build -f deploy/Containerfile -t mithril-stream .; \
	done; echo "neither podman nor docker runs here: there is no image"; exit 1

# that a release has the same bytes the second time (one of the wheels stands for all), can be installed as
# docs/install.md says, and does on arm64 what it does on amd64
release-check: release
	rm -rf dist-again wheels-again && cp -R python/dist wheels-again
	OUT=../wheels-again $(BUILD_WHEELS) linux/amd64
	cd deploy/release && $(GO) run . -o ../../dist-again -beside ../../wheels-again
	diff -r dist dist-again && rm -rf dist-again wheels-again
	cd deploy/release && $(GO) test -count=1 -run 'InstallPage|Arm64' . -args -dist ../../dist

# speed and memory; RECORDS are files of JSON Lines to measure on beside the generated ones
bench:
	sh bench/run.sh $(RECORDS)

# what needs Maven and Java (Kafka brokers), a Python with pyarrow (PYARROW_PYTHON), one with model2vec
# and wordllama (MODEL2VEC_PYTHON), one with onnxruntime and tokenizers (ONNX_PYTHON), one with
# huggingface_hub (HF_PYTHON), one with duckdb (DUCKDB_PYTHON), an S3 server (SEAWEEDFS), one
# of Google Cloud Storage (FAKE_GCS_SERVER), one of Azure Blob Storage (AZURITE) or a browser (Chromium);
# where CI is set, one that is missing is a failure. The cache of tests does not know which broker has
# answered.
OLDER_BROKERS ?= 3.9.1 4.0.1
integration:
	$(GO) vet -tags integration ./...
	$(GO) test -count=1 -timeout 20m -tags integration -run Integration ./tests ./sketch/embedding ./sketch/onnx ./internal/arrow ./internal/kafka \
		./internal/object ./internal/parquet
	cd internal/quality/report/check && $(GO) vet -tags integration ./... && $(GO) test -count=1 -tags integration ./...
	@set -e; for version in $(OLDER_BROKERS); do \
		echo "Apache Kafka $$version"; \
		KAFKA_VERSION=$$version $(GO) test -count=1 -timeout 20m -tags integration -run Integration -skip 'S3|GCS|Azure|SQL|Forgetting' ./tests ./internal/kafka; \
	done

# a wheel names what has built it: other versions would make other bytes
WHEEL_BUILDERS = build==1.6.1 hatchling==1.33.0 hatch-vcs==0.5.0 setuptools-scm==10.3.4

# the wheels of the Python package for all systems; PYTHON has pip
PYTHON ?= python3
BUILD_WHEELS = SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) PYTHON=$(CURDIR)/.venv-wheels/bin/python sh python/build.sh
wheels:
	rm -rf python/dist .venv-wheels
	$(PYTHON) -m venv .venv-wheels
	.venv-wheels/bin/pip install --quiet --disable-pip-version-check $(WHEEL_BUILDERS)
	$(BUILD_WHEELS)

# the wheel of this system, installed into an empty environment
python: wheels
	$(PYTHON) -m venv --clear .venv-python
	wheel=$$(ls python/dist/*manylinux*$$(uname -m).whl) && \
		.venv-python/bin/pip install --quiet --disable-pip-version-check "$$wheel" && \
		.venv-python/bin/python -c 'import mithril_stream.dedup as d; assert d.deduplicate(["a b c", "A b c."]) == ["a b c"]' && \
		.venv-python/bin/pip install --quiet --disable-pip-version-check "$$wheel[test]"
	cd python && ../.venv-python/bin/mypy src tests/typed.py && \
		../.venv-python/bin/pyright --pythonpath ../.venv-python/bin/python src tests/typed.py && ../.venv-python/bin/python -m pytest -q
	PYTHON=$(CURDIR)/.venv-python/bin/python sh python/versions.sh python/dist/*manylinux*$$(uname -m).whl
