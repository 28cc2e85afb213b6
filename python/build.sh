#!/bin/sh
# Builds the wheels of all systems into dist/. It needs Go, and Python with the packages build and
# hatchling.
set -e
cd "$(dirname "$0")"
for target in ${*:-linux/amd64 linux/arm64 darwin/amd64 darwin/arm64}; do
	MITHRIL_WHEEL=$target "${PYTHON:-python3}" -m build --wheel --no-isolation
done
