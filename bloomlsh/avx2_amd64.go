//go:build !purego

package bloomlsh

import "golang.org/x/sys/cpu"

var hasAVX2 = cpu.X86.HasAVX2

// setLinesAVX2 is paged.setLines for at least one band, whose lines have been found by
// paged.address in the same words. It asks for as many lines of next to be brought to the cache.
//
//go:noescape
func setLinesAVX2(words *uint64, lines, next *pagedLine, bands, partitions int) (present int)

// addressAVX2 is paged.addressFew for n keys of which the first is of the first band, where n is a
// multiple of four and not 0, and pages has at most 32 bits.
//
//go:noescape
func addressAVX2(
	lines *pagedLine, keys *Key, n int, pages, stride uint64, parts *partition, partitions int, mask uint64,
)
