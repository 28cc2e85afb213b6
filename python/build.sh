#!/bin/sh
# Builds the wheels of all systems, or of those that are named, into dist/ or $OUT. It needs Go, and
# Python with the packages build, hatchling and hatch-vcs.
set -e
cd "$(dirname "$0")"
for target in ${*:-darwin/arm64 darwin/amd64 linux/arm64 linux/amd64}; do
	MITHRIL_WHEEL=$target "${PYTHON:-python3}" -m build --outdir "${OUT:-dist}" --wheel --no-isolation
done
