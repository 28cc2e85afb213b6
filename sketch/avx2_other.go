//go:build !amd64 || purego

package sketch

const hasAVX2 = false

func alnumBlocksAVX2(*block, *byte, *byte, int) { panic("no AVX2") }

func nonSpaceBlocksAVX2(*block, *byte, *byte, int) { panic("no AVX2") }

func foldASCIIAVX2(*byte, *byte, int) int { panic("no AVX2") }

func hashSpansAVX2(*uint64, *byte, *uint32, *uint32, int, int) int { panic("no AVX2") }
