//go:build !amd64 || purego

package sketch

import "github.com/zeebo/xxh3"

const hasAVX2, hasAVX512 = false, false

func alnumBlocksAVX2(*block, *byte, *byte, int) { panic("no AVX2") }

func nonSpaceBlocksAVX2(*block, *byte, *byte, int) { panic("no AVX2") }

func foldASCIIAVX2(*byte, *byte, int) int { panic("no AVX2") }

func hashSpansAVX2(*uint64, *byte, *uint32, *uint32, int, int) int { panic("no AVX2") }

func hashShortAVX2(*uint64, *byte, *uint32, *uint32, int, int) int { panic("no AVX2") }

func hashWordsAVX2(*uint64, *byte, *uint32, *uint32, int, int, *spanList) (int, int) {
	panic("no AVX2")
}

func hashCharsAVX2(*uint64, *byte, *uint32, int, int) int { panic("no AVX2") }

func hashBandsAVX2(*xxh3.Uint128, *uint64, int, int) { panic("no AVX2") }

func joinBlocksAVX2(*byte, *byte, *block, int, uint64) (int, int) { panic("no AVX2") }

func afterSpacesAVX2(*uint32, *byte, int, int) int { panic("no AVX2") }

func codePointsAVX2(*uint32, *byte, int, int) int { panic("no AVX2") }

func scatterAVX2(*uint64, *uint64, int, int, uint64, uint64, uint64) { panic("no AVX2") }

func settleAVX2(*uint64, *uint64, int, int, *fssRound, int, int) bool { panic("no AVX2") }

func hashSpansAVX512(*uint64, *byte, *uint32, *uint32, int, int) int { panic("no AVX-512") }

func hashWordsAVX512(*uint64, *byte, *uint32, *uint32, int, int, *spanList) (int, int) {
	panic("no AVX-512")
}

func settleAVX512(*uint64, *uint64, int, int, *fssRound, int, int) bool { panic("no AVX-512") }
func scatterAVX512(*uint64, *uint64, int, int, *fssRound, int, int)     { panic("no AVX-512") }

func orderAVX512(*uint64, *uint64, *uint32, *uint32, int) { panic("no AVX-512") }

func placesAVX512(*uint32, *uint32, uint64, uint64, int) { panic("no AVX-512") }

func hashBandsAVX512(*xxh3.Uint128, *uint64, int, int) { panic("no AVX-512") }

func joinBlocksAVX512(*byte, *byte, *block, int, uint64) (int, int) { panic("no AVX-512") }

func afterSpacesAVX512(*uint32, *byte, int, int) int { panic("no AVX-512") }

func scatterFewAVX512(*uint64, *uint64, int, int, *uint64, *uint64, int, int) bool {
	panic("no AVX-512")
}

func scatterFirstAVX512(*uint64, *uint64, int, int, *uint64, *uint64, int) { panic("no AVX-512") }

func leastFewAVX512(*uint64, *uint64, int, int, *uint64, *uint64) { panic("no AVX-512") }
