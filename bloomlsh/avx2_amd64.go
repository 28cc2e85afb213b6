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

// lookTagsAVX2 looks up the keys of at least one line of narrow entries, whose place has been found
// by paged.locate in the same words. It returns how many hits there are and how many lines are
// full, and writes one more of each. It prefetches lines of next, which come one after the other
// after each step bytes. The lowest bit of whole is 1 if prints have no ending.
//
//go:noescape
func lookTagsAVX2(
	words *uint64, lines, next *pagedLine, n, step int, places *uint64, hits *tagHit, full *uint16,
	whole int,
) (found, fulls int)

// lookBeyondAVX2 goes on with the n bands whose last line was full, in the next line of the page,
// and leaves those of them that have another full one.
//
//go:noescape
func lookBeyondAVX2(
	words *uint64, lines *pagedLine, n int, places *uint64, hits *tagHit, full *uint16,
) (found, fulls int)

// putTags is tagTable.putAll for at least one band and at most 64.
//
//go:noescape
func putTags(words *uint64, lines, next *pagedLine, n int, places *uint64, bands, group uint64)

// prefetchBeyond is tagTable.prefetchBeyond for at least one line.
//
//go:noescape
func prefetchBeyond(words *uint64, lines *pagedLine, n int)

// spreadAVX2 is spread of the first n keys, where n is a multiple of four and not 0.
//
//go:noescape
func spreadAVX2(spreads *keySpread, keys *Key, n int, mask uint64)

// locateAVX2 is paged.locateFew for n keys, the first one of the first band. n is a multiple of
// four and not 0, and pages and stride have at most 32 bits.
//
//go:noescape
func locateAVX2(
	lines *pagedLine, spreads *keySpread, n int, pages, stride uint64, parts *partition, partitions int,
)
