//go:build !purego

#include "textflag.h"
#include "hash_amd64.h"

// Halves of the multipliers of the other half of a key, and of the seed.
ALL(highLow, 0xc2b2ae63)
ALL(highHigh, 0x85ebca77)
ALL(seedLow, 0x27d4eb4f)
ALL(seedHigh, 0xc2b2ae3d)

// The order of four bands in a register. Interleaving pairs of registers makes it and undoes it.
FOUR_WORDS(bandOrder, 0, 2, 1, 3)
ALL(four, 4)

// x and y = two neighbouring slots of four bands. The first are at R11; R8 is the size of a band,
// R10 that of three.
#define NEIGHBOURS(x, y, xx, yx) \
	VMOVDQU     (R11), xx              \
	VMOVDQU     (R11)(R8*2), yx        \
	VINSERTI128 $1, (R11)(R8*1), x, x  \
	VINSERTI128 $1, (R11)(R10*1), y, y \
	VPUNPCKHQDQ y, x, Y0               \
	VPUNPCKLQDQ y, x, x                \
	VMOVDQA     Y0, y

// sum = (sum + the folded product of x and y, each under its word of the secret at R9 and the
// seeds) ^ other.
#define MIX(sum, x, y, at, other) \
	VPBROADCASTQ (at)(R9)(AX*2), Y0   \
	VPBROADCASTQ (at+8)(R9)(AX*2), Y6 \
	VPADDQ       Y15, Y0, Y0          \
	VPSUBQ       Y15, Y6, Y6          \
	VPXOR        Y0, x, x             \
	VPXOR        Y6, y, y             \
	MULFOLD(x, y, Y6, Y7, Y8, Y0)     \
	VPADDQ       Y0, sum, sum         \
	VPXOR        other, sum, sum

// func hashBandsAVX2(keys *xxh3.Uint128, slots *uint64, rows, n int)
TEXT ·hashBandsAVX2(SB), NOSPLIT, $0-32
	MOVQ         keys+0(FP), DI
	MOVQ         slots+8(FP), SI
	MOVQ         rows+16(FP), R8
	MOVQ         n+24(FP), CX
	LEAQ         -1(R8), R12
	ANDQ         $-4, R12
	SHLQ         $2, R12                // where the innermost slots are
	SHLQ         $3, R8
	LEAQ         (R8)(R8*2), R10
	LEAQ         ·secret(SB), R9
	VMOVQ        R8, X14
	VPBROADCASTQ X14, Y14               // the size
	MOVQ         $0x9e3779b185ebca87, AX
	IMULQ        R8, AX
	VMOVQ        AX, X13
	VPBROADCASTQ X13, Y13
	VMOVDQU      bandOrder<>(SB), Y15   // the seeds
	VMOVDQU      low32<>(SB), Y11

four:
	VMOVDQA Y13, Y9                     // low
	VPXOR   Y10, Y10, Y10               // high
	MOVQ    R12, AX
	LEAQ    -16(R8), DX
	SUBQ    AX, DX

ends:
	LEAQ   (SI)(AX*1), R11
	NEIGHBOURS(Y1, Y2, X1, X2)
	LEAQ   (SI)(DX*1), R11
	NEIGHBOURS(Y3, Y4, X3, X4)
	VPADDQ Y1, Y2, Y5
	VPADDQ Y3, Y4, Y12
	MIX(Y9, Y1, Y2, 0, Y12)
	MIX(Y10, Y3, Y4, 16, Y5)
	ADDQ   $16, DX
	SUBQ   $16, AX
	JGE    ends

	VPADDQ  Y9, Y10, Y0
	AVALANCHE(Y0, Y2, Y3)
	MUL(Y9, lengthLow, lengthHigh, Y2, Y3)
	MUL(Y10, highLow, highHigh, Y2, Y3)
	VPSUBQ  Y15, Y14, Y1
	MUL(Y1, seedLow, seedHigh, Y2, Y3)
	VPADDQ  Y9, Y1, Y1
	VPADDQ  Y10, Y1, Y1
	AVALANCHE(Y1, Y2, Y3)
	VPXOR   Y2, Y2, Y2
	VPSUBQ  Y1, Y2, Y1

	VPUNPCKLQDQ Y0, Y1, Y2
	VPUNPCKHQDQ Y0, Y1, Y3
	VMOVDQU     Y2, 0(DI)
	VMOVDQU     Y3, 32(DI)
	VPADDQ      four<>(SB), Y15, Y15
	ADDQ        $64, DI
	LEAQ        (SI)(R8*4), SI
	SUBQ        $4, CX
	JNZ         four
	VZEROUPPER
	RET
