#!/bin/sh
# Runs every benchmark of speed and memory: sh bench/run.sh FILE.jsonl… [-- OPTION…]
# Raw measurements go to bench/runs/DATE-NAME; NAME is $MACHINE, or else that of the host. See bench/README.md.
set -eu
cd "$(dirname "$0")"
caller=$OLDPWD
files=
while [ $# -gt 0 ]; do
	case $1 in
	--) shift; break ;;
	/*) files="$files --records=$1" ;;
	*) files="$files --records=$caller/$1" ;;
	esac
	shift
done
CGO_ENABLED=0 go -C .. build -o bin/mithril-stream .
keep=runs/$(date -u +%Y-%m-%d)-${MACHINE:-$(hostname -s)}
mkdir -p "$keep"
echo "measuring for some minutes; the report will be bench/$keep/report.md" >&2
# $files is split at white space: for a path with a space in it start pipe yourself.
go run ./pipe all --keep "$keep" $files "$@" > "$keep/report.md"
cat "$keep/report.md"
