//go:build !amd64 || purego

package embedding

const hasAVX2 = false

func addVectorAVX2(*float32, *float32, int) { panic("no AVX2") }
