//go:build !purego

#include "textflag.h"

#define CONSTANT(value, z) \
	MOVQ         $value, AX \
	VPBROADCASTQ AX, z

// Mixes the upper bits of the words of x into the lower ones.
#define XORSHIFT(n, x) \
	VPSRLQ n, x, Z8   \
	VPXORQ Z8, x, x

// func spreadAVX512(spreads *keySpread, keys *Key, n int, mask uint64)
TEXT ·spreadAVX512(SB), NOSPLIT, $0-32
	MOVQ         spreads+0(FP), DI
	MOVQ         keys+8(FP), SI
	MOVQ         n+16(FP), CX
	VPBROADCASTQ mask+24(FP), Z12
	CONSTANT(0x9e3779b97f4a7c15, Z13) // mulGolden
	CONSTANT(0xbf58476d1ce4e5b9, Z14) // mulA
	CONSTANT(0x94d049bb133111eb, Z15) // mulB
	CONSTANT(0xff51afd7ed558ccd, Z16) // mulC

eight:
	VMOVDQU64   0(SI), Z1
	VMOVDQU64   64(SI), Z2
	VPUNPCKLQDQ Z2, Z1, Z0
	VPUNPCKHQDQ Z2, Z1, Z1
	VPXORQ      Z12, Z1, Z1
	VPMULLQ     Z14, Z1, Z1
	XORSHIFT($32, Z1)
	VPMULLQ     Z15, Z1, Z1
	XORSHIFT($29, Z1)
	VPADDQ      Z1, Z0, Z0
	VPMULLQ     Z16, Z0, Z0
	XORSHIFT($32, Z0)
	VPMULLQ     Z14, Z0, Z0
	XORSHIFT($29, Z0)
	VPMULLQ     Z13, Z0, Z2
	VPADDQ      Z2, Z1, Z1
	VPMULLQ     Z16, Z1, Z1
	VPUNPCKLQDQ Z1, Z0, Z2
	VPUNPCKHQDQ Z1, Z0, Z3
	VMOVDQU64   Z2, 0(DI)
	VMOVDQU64   Z3, 64(DI)
	ADDQ        $128, SI
	ADDQ        $128, DI
	SUBQ        $8, CX
	JNZ         eight
	VZEROUPPER
	RET
