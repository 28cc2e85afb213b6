//go:build !purego

package bloomlsh

import "golang.org/x/sys/cpu"

var hasAVX2 = cpu.X86.HasAVX2

// setLinesAVX2 is paged.setLines for at least one band, whose lines have been found by
// paged.address in the same words. It asks for as many lines of next to be brought to the cache.
//
//go:noescape
func setLinesAVX2(words *uint64, lines, next *pagedLine, bands, partitions int) (present int)

// testLinesAVX2 returns which of at least one band and at most 64, a bit for each, have all bits of
// their lines. It asks for the first line of each band of next to be brought to the cache.
//
//go:noescape
func testLinesAVX2(words *uint64, lines, next *pagedLine, bands, partitions int) (present uint64)

// matchTagsAVX2 is tagTable.match for at least one line of narrow entries, whose place has been
// found by paged.locate in the same words. It asks for as many lines of next to be brought to the
// cache.
//
//go:noescape
func matchTagsAVX2(words *uint64, lines, next *pagedLine, n int, matches *lineMatch)

// spreadAVX2 is spread of the first n keys, where n is a multiple of four and not 0.
//
//go:noescape
func spreadAVX2(spreads *keySpread, keys *Key, n int, mask uint64)

// locateAVX2 is paged.locateFew for n keys of which the first is of the first band, where n is a
// multiple of four and not 0, and pages and stride have at most 32 bits.
//
//go:noescape
func locateAVX2(
	lines *pagedLine, spreads *keySpread, n int, pages, stride uint64, parts *partition, partitions int,
)
