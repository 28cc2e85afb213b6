//go:build !purego

#include "textflag.h"
#include "hash_amd64.h"

// What the words of a head and of a tail are xored with: a word of two spans, and the one 16 bytes
// on.
TWICE(head0, 0xbe4ba423396cfeb8, 0x78e5c0cc4ee679cb)
TWICE(head8, 0x1cad21f72c81017c, 0x2172ffcc7dd05a82)
TWICE(tail0, 0x8e2443f7744608b8, 0xdb979083e96dd4de)
TWICE(tail8, 0x4c263a81e69035e0, 0x1f67b3b7a4a44072)

// What the 17 that are missing in a length give.
ALL(length17, 0x81af14c9e4a872f7)

ALL(fifteen, 0xf)
ALL(mostOver17, 0x2f0000002f)

// sums = for two spans the sums of their outer products, then those of their inner ones.
#define PAIR(start0, start1, next0, next1, sums) \
	VMOVDQU     (BX)(start0*1), Y0       \
	VMOVDQU     (BX)(start1*1), Y1       \
	VPUNPCKLQDQ Y1, Y0, Y2               \
	VPUNPCKHQDQ Y1, Y0, Y3               \
	VPXOR       Y12, Y2, Y2              \
	VPXOR       Y13, Y3, Y3              \
	MULFOLD(Y2, Y3, Y4, Y5, Y6, Y7)      \
	VMOVDQU     (DX)(next0*1), Y0        \
	VMOVDQU     (DX)(next1*1), Y1        \
	VPUNPCKLQDQ Y1, Y0, Y2               \
	VPUNPCKHQDQ Y1, Y0, Y3               \
	VPXOR       Y14, Y2, Y2              \
	VPXOR       Y15, Y3, Y3              \
	MULFOLD(Y2, Y3, Y4, Y5, Y6, Y0)      \
	VPERMQ      $0x4e, Y0, Y0            \
	VPADDQ      Y0, Y7, sums

// func hashSpansAVX2(out *uint64, text *byte, starts, nexts *uint32, gap, n int) int
TEXT ·hashSpansAVX2(SB), NOSPLIT, $0-56
	ARGUMENTS($17, $32)
	VMOVDQU low32<>(SB), Y11
	VMOVDQU head0<>(SB), Y12
	VMOVDQU head8<>(SB), Y13
	VMOVDQU tail0<>(SB), Y14
	VMOVDQU tail8<>(SB), Y15

loop:
	LENGTHS(mostOver17)

	MOVL (SI)(R9*4), R11
	MOVL 4(SI)(R9*4), R12
	MOVL (DI)(R9*4), R13
	MOVL 4(DI)(R9*4), AX
	PAIR(R11, R12, R13, AX, Y8)
	MOVL 8(SI)(R9*4), R11
	MOVL 12(SI)(R9*4), R12
	MOVL 8(DI)(R9*4), R13
	MOVL 12(DI)(R9*4), AX
	PAIR(R11, R12, R13, AX, Y9)
	VPERM2I128 $0x20, Y9, Y8, Y0    // outer
	VPERM2I128 $0x31, Y9, Y8, Y1    // inner

	VMOVDQU   (DI)(R9*4), X2
	VPSUBD    (SI)(R9*4), X2, X2
	VPSUBD    X10, X2, X2
	VPMOVZXDQ X2, Y2                 // n-17
	VPCMPGTQ  fifteen<>(SB), Y2, Y3
	VPAND     Y3, Y1, Y1
	VPADDQ    Y1, Y0, Y0
	VPMULUDQ  lengthLow<>(SB), Y2, Y3
	VPMULUDQ  lengthHigh<>(SB), Y2, Y4
	VPSLLQ    $32, Y4, Y4
	VPADDQ    length17<>(SB), Y0, Y0
	VPADDQ    Y3, Y0, Y0
	VPADDQ    Y4, Y0, Y0

	AVALANCHE(Y0, Y1, Y2)
	NEXT(Y0)

done:
	MOVQ R9, ret+48(FP)
	VZEROUPPER
	RET
