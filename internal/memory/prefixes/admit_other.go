//go:build !amd64 || purego

package prefixes

const hasAVX2 = false

func admitAVX2(*uint32, *uint32, *tag, int, uint32, *[256]uint64) int { panic("no AVX2") }
