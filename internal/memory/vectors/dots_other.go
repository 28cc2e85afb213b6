//go:build !amd64 || purego

package vectors

const hasAVX2 = false

func dotsAVX2(*int32, *int16, *int8, int, int) { panic("no AVX2") }
