//go:build !amd64 || purego

package bloomlsh

const hasAVX2 = false

func setLinesAVX2(*uint64, *pagedLine, *pagedLine, int, int) int { panic("no AVX2") }

func addressAVX2(*pagedLine, *Key, int, uint64, uint64, *partition, int, uint64) { panic("no AVX2") }
