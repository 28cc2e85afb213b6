// Package compat keeps small indexes, journals and sketch files of each release, and opens them for
// ever: a later program goes on with them, gives what the release would have given, or refuses them
// by name and leaves them as they are.
//
// testdata/VERSION has them as that version has written them. Until VERSION is released, a change
// of a format writes them anew (go test ./tests/compat -write VERSION); from then on nobody does.
package compat
