//go:build !amd64 || purego

package jsontext

const hasAVX2, hasAVX512 = false, false

func copyUnescapedAVX2(*byte, *byte, int, *[256]byte) (written, read int, stopped bool) { return }

func copyUnescapedAVX512(*byte, *byte, int, *[256]byte) (written, read int, stopped bool) { return }

func plainBytesAVX2(*byte, int) int { return 0 }
