#!/bin/sh
# Runs the tests that need no other package with a wheel, in the other versions of Python than that of PYTHON that are
# there: in PATH, or where pyenv has them. It needs uv.
set -e
wheel=$(realpath "$1")
cd "$(dirname "$0")"
python=${PYTHON:-python3}
own=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
environments=$(mktemp -d)
trap 'rm -rf "$environments"' EXIT
for version in 3.10 3.11 3.12 3.13 3.14; do
	test $version = "$own" && continue
	for found in python$version "$HOME"/.pyenv/versions/$version.*/bin/python$version; do
		"$found" -c 'import venv' 2>/dev/null || continue
		echo "Python $version"
		"$found" -m venv --without-pip "$environments/$version"
		there=$environments/$version/bin/python
		"${UV:-uv}" pip install --quiet --python "$there" "$wheel" hypothesis pytest
		"$there" -m compileall -q "$environments/$version"/lib/*/site-packages/mithril_stream # as pip does
		env -u CI "$there" -m pytest -q -p no:cacheprovider tests/test_dedup.py tests/test_documents.py
		break
	done
done
