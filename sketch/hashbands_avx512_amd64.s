//go:build !purego

#include "textflag.h"
#include "hash_amd64.h"
#include "hash_avx512_amd64.h"

// The order of eight bands in a register. Interleaving pairs of registers makes it and undoes it.
LOWER_WORDS(bandsOrder, 0, 4, 1, 5)
UPPER_WORDS(bandsOrder, 2, 6, 3, 7)

#define CONSTANT(value, z) \
	MOVQ         $value, DX \
	VPBROADCASTQ DX, z

// x and y = two neighbouring slots of eight bands. The first are at R11; R8 is the size of a band,
// R10 that of three.
#define NEIGHBOURS8(x, y, xx, yx) \
	LEAQ         (R11)(R8*4), R13           \
	VMOVDQU      (R11), xx                  \
	VMOVDQU      (R13), yx                  \
	VINSERTI64X2 $1, (R11)(R8*1), x, x      \
	VINSERTI64X2 $1, (R13)(R8*1), y, y      \
	VINSERTI64X2 $2, (R11)(R8*2), x, x      \
	VINSERTI64X2 $2, (R13)(R8*2), y, y      \
	VINSERTI64X2 $3, (R11)(R10*1), x, x     \
	VINSERTI64X2 $3, (R13)(R10*1), y, y     \
	VPUNPCKHQDQ  y, x, Z0                   \
	VPUNPCKLQDQ  y, x, x                    \
	VMOVDQA64    Z0, y

// sum = (sum + the folded product of x and y, each under its word of the secret at R9 and the
// seeds) ^ other.
#define MIX8(sum, x, y, at, other) \
	VPBROADCASTQ (at)(R9)(AX*2), Z0   \
	VPBROADCASTQ (at+8)(R9)(AX*2), Z6 \
	VPADDQ       Z15, Z0, Z0          \
	VPSUBQ       Z15, Z6, Z6          \
	VPXORQ       Z0, x, x             \
	VPXORQ       Z6, y, y             \
	MULFOLD8(x, y, Z6, Z7, Z8, Z0)    \
	VPADDQ       x, sum, sum          \
	VPXORQ       other, sum, sum

// func hashBandsAVX512(keys *xxh3.Uint128, slots *uint64, rows, n int)
TEXT ·hashBandsAVX512(SB), NOSPLIT, $0-32
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
	VPBROADCASTQ R8, Z14                // the size
	CONSTANT(0x9e3779b185ebca87, Z16)   // lengthPrime
	CONSTANT(0x85ebca77c2b2ae63, Z17)   // highPrime
	CONSTANT(0xc2b2ae3d27d4eb4f, Z18)   // seedPrime
	CONSTANT(8, Z19)
	VPBROADCASTQ avalanchePrime<>(SB), Z20
	VPMULLQ      Z16, Z14, Z13
	VMOVDQU64    bandsOrder<>(SB), Z15  // the seeds
	VPBROADCASTQ low32<>(SB), Z31

eight:
	VMOVDQA64 Z13, Z9                   // low
	VPXORQ    Z10, Z10, Z10             // high
	MOVQ      R12, AX
	LEAQ      -16(R8), DX
	SUBQ      AX, DX

ends:
	LEAQ   (SI)(AX*1), R11
	NEIGHBOURS8(Z1, Z2, X1, X2)
	LEAQ   (SI)(DX*1), R11
	NEIGHBOURS8(Z3, Z4, X3, X4)
	VPADDQ Z1, Z2, Z5
	VPADDQ Z3, Z4, Z12
	MIX8(Z9, Z1, Z2, 0, Z12)
	MIX8(Z10, Z3, Z4, 16, Z5)
	ADDQ   $16, DX
	SUBQ   $16, AX
	JGE    ends

	VPADDQ  Z9, Z10, Z0
	AVALANCHE8(Z0, Z20, Z2)
	VPMULLQ Z16, Z9, Z9
	VPMULLQ Z17, Z10, Z10
	VPSUBQ  Z15, Z14, Z1
	VPMULLQ Z18, Z1, Z1
	VPADDQ  Z9, Z1, Z1
	VPADDQ  Z10, Z1, Z1
	AVALANCHE8(Z1, Z20, Z2)
	VPXORQ  Z2, Z2, Z2
	VPSUBQ  Z1, Z2, Z1

	VPUNPCKLQDQ Z0, Z1, Z2
	VPUNPCKHQDQ Z0, Z1, Z3
	VMOVDQU64   Z2, 0(DI)
	VMOVDQU64   Z3, 64(DI)
	VPADDQ      Z19, Z15, Z15
	ADDQ        $128, DI
	LEAQ        (SI)(R8*8), SI
	SUBQ        $8, CX
	JNZ         eight
	VZEROUPPER
	RET
