// Package compat keeps small indexes, journals and sketch files of each release, and opens them
// with all later versions: a later program continues them and gives the results of the release, or
// refuses them by name and leaves them unchanged.
//
// testdata/VERSION has the files that VERSION has written. Until VERSION is released, a change of a
// format rewrites them (go test ./tests/compat -write VERSION); after that they never change.
package compat
