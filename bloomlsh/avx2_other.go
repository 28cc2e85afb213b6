//go:build !amd64 || purego

package bloomlsh

const hasAVX2, hasAVX512 = false, false

func setLinesAVX2(*uint64, *pagedLine, *pagedLine, int, int) int { panic("no AVX2") }

func testLinesAVX2(*uint64, *pagedLine, *pagedLine, int, int) uint64 { panic("no AVX2") }

func lookTagsAVX2(
	*uint64, *pagedLine, *pagedLine, int, int, *uint64, *tagHit, *uint16, int,
) (found, fulls int) {
	panic("no AVX2")
}

func lookBeyondAVX2(*uint64, *pagedLine, int, *uint64, *tagHit, *uint16) (found, fulls int) {
	panic("no AVX2")
}

func lookTagsAVX512(
	*uint64, *pagedLine, *pagedLine, int, int, *uint64, *tagHit, *uint16, int,
) (found, fulls int) {
	panic("no AVX-512")
}

func lookBeyondAVX512(*uint64, *pagedLine, int, *uint64, *tagHit, *uint16) (found, fulls int) {
	panic("no AVX-512")
}

func divideTagsAVX2(page, low, high *uint64, gather *[256][16]byte) (foreign uint64) {
	panic("no AVX2")
}

func resolveAVX2(to, from *pagedLine, n int, doublings, shift, undivided uint64) { panic("no AVX2") }

func putTags(*uint64, *pagedLine, *pagedLine, int, *uint64, uint64, uint64) { panic("no AVX2") }

func prefetchBeyond(*uint64, *pagedLine, int) { panic("no AVX2") }

func spreadAVX2(*keySpread, *Key, int, uint64) { panic("no AVX2") }

func spreadAVX512(*keySpread, *Key, int, uint64) { panic("no AVX-512") }

func locateAVX2(*pagedLine, *keySpread, int, uint64, uint64, *partition, int) { panic("no AVX2") }
