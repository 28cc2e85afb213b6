//go:build !purego

#include "textflag.h"

// func prefetch(word *uint64)
TEXT ·prefetch(SB), NOSPLIT, $0-8
	MOVQ       word+0(FP), AX
	PREFETCHT0 (AX)
	PREFETCHT0 64(AX)
	PREFETCHT0 128(AX)
	RET
