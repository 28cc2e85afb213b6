//go:build !amd64 || purego

package prefixes

const hasAVX512 = false

func admitAVX512(*uint32, *uint32, *tag, int, uint32) int { panic("no AVX-512") }
