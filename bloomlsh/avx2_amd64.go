//go:build !purego

package bloomlsh

import "golang.org/x/sys/cpu"

var hasAVX2 = cpu.X86.HasAVX2

// setLinesAVX2 implements paged.setLines for at least one band. paged.address must have found the
// lines, in the same words. It prefetches as many lines of next.
//
//go:noescape
func setLinesAVX2(words *uint64, lines, next *pagedLine, bands, partitions int) (present int)

// testLinesAVX2 returns a bit set of the bands whose lines have all their bits, for 1 to 64 bands.
// It prefetches the first line of each band of next.
//
//go:noescape
func testLinesAVX2(words *uint64, lines, next *pagedLine, bands, partitions int) (present uint64)

// lookTagsAVX2 looks up the keys of at least one line of narrow entries. paged.locate must have
// found the lines, in the same words. It returns the numbers of hits and of full lines; for each,
// it may write one element beyond those returned. It prefetches the lines of next, step bytes
// apart. The lowest bit of whole is 1 if prints have no ending.
//
//go:noescape
func lookTagsAVX2(
	words *uint64, lines, next *pagedLine, n, step int, places *uint64, hits *tagHit, full *uint16,
	whole int,
) (found, fulls int)

// lookBeyondAVX2 continues the lookup, in the next line of the page, for the n bands whose last
// line was full. It leaves those for which that line is full, too.
//
//go:noescape
func lookBeyondAVX2(
	words *uint64, lines *pagedLine, n int, places *uint64, hits *tagHit, full *uint16,
) (found, fulls int)

// putTags implements tagTable.putAll for 1 to 64 bands.
//
//go:noescape
func putTags(words *uint64, lines, next *pagedLine, n int, places *uint64, bands, group uint64)

// prefetchBeyond implements tagTable.prefetchBeyond for at least one line.
//
//go:noescape
func prefetchBeyond(words *uint64, lines *pagedLine, n int)

// divideTagsAVX2 implements tagTable.divideLine for all lines of a page of narrow entries. It
// returns a bit set of the lines that contain entries of other lines.
//
//go:noescape
func divideTagsAVX2(page, low, high *uint64, gather *[256][16]byte) (foreign uint64)

// resolveAVX2 implements tagTable.resolveFew for n lines. n must be a positive multiple of four.
//
//go:noescape
func resolveAVX2(to, from *pagedLine, n int, doublings, shift, undivided uint64)

// spreadAVX2 implements spread for the first n keys, where n is a positive multiple of four.
//
//go:noescape
func spreadAVX2(spreads *keySpread, keys *Key, n int, mask uint64)

// locateAVX2 implements paged.locateFew for n keys, the first one of the first band. n must be a
// positive multiple of four, and pages and stride must fit into 32 bits.
//
//go:noescape
func locateAVX2(
	lines *pagedLine, spreads *keySpread, n int, pages, stride uint64, parts *partition, partitions int,
)
