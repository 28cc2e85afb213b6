//go:build !purego

#include "textflag.h"
#include "constants_amd64.h"

// The places of the bytes of a block.
LOWER_WORDS(places, 0x0706050403020100, 0x0f0e0d0c0b0a0908, 0x1716151413121110, 0x1f1e1d1c1b1a1918)
UPPER_WORDS(places, 0x2726252423222120, 0x2f2e2d2c2b2a2928, 0x3736353433323130, 0x3f3e3d3c3b3a3938)

// func joinBlocksAVX512(dst, flat *byte, blocks *block, n int, inside uint64) (size, done int)
TEXT ·joinBlocksAVX512(SB), NOSPLIT, $0-56
	MOVQ         dst+0(FP), DI
	MOVQ         flat+8(FP), SI
	MOVQ         blocks+16(FP), R9
	MOVQ         n+24(FP), CX
	MOVQ         inside+32(FP), R10
	MOVL         $0x20, AX
	VPBROADCASTB AX, Z12

join:
	MOVQ          (R9), AX
	LEAQ          (R10)(AX*2), BX // bytes after one that is in a token
	MOVQ          8(R9), DX
	ANDQ          AX, DX
	TESTQ         BX, DX
	JNZ           joined
	KMOVQ         AX, K1
	ORQ           AX, BX
	KMOVQ         BX, K2
	VMOVDQA64     Z12, Z0
	VMOVDQU8      (SI), K1, Z0    // a space where no token is
	VPCOMPRESSB.Z Z0, K2, Z0
	VMOVDQU64     Z0, (DI)
	POPCNTQ       BX, BX
	ADDQ          BX, DI
	SHRQ          $63, AX
	MOVQ          AX, R10
	ADDQ          $24, R9
	ADDQ          $64, SI
	DECQ          CX
	JNZ           join

joined:
	MOVQ n+24(FP), AX
	SUBQ CX, AX
	MOVQ AX, done+48(FP)
	SUBQ dst+0(FP), DI
	MOVQ DI, size+40(FP)
	VZEROUPPER
	RET

// func afterSpacesAVX512(out *uint32, text *byte, n, base int) int
TEXT ·afterSpacesAVX512(SB), NOSPLIT, $0-40
	MOVQ         out+0(FP), DI
	MOVQ         text+8(FP), SI
	MOVQ         n+16(FP), CX
	MOVQ         base+24(FP), AX
	INCQ         AX
	VPBROADCASTD AX, Z2
	MOVL         $64, AX
	VPBROADCASTD AX, Z3
	MOVL         $0x20, AX
	VPBROADCASTB AX, Z12
	VMOVDQU64    places<>(SB), Z11
	JMP          any

after:
	VPCMPEQB      (SI), Z12, K1
	VPCOMPRESSB.Z Z11, K1, Z0
	KMOVQ         K1, AX
	POPCNTQ       AX, AX
	VPMOVZXBD     X0, Z1
	VPADDD        Z2, Z1, Z1
	VMOVDQU32     Z1, (DI)
	CMPQ          AX, $16
	JA            many

next:
	LEAQ   (DI)(AX*4), DI
	VPADDD Z3, Z2, Z2
	ADDQ   $64, SI
	SUBQ   $64, CX

any:
	TESTQ CX, CX
	JGT   after

	SUBQ out+0(FP), DI
	SHRQ $2, DI
	MOVQ DI, ret+32(FP)
	VZEROUPPER
	RET

many:
	VEXTRACTI128 $1, Y0, X0         // there are at most 32
	VPMOVZXBD    X0, Z1
	VPADDD       Z2, Z1, Z1
	VMOVDQU32    Z1, 64(DI)
	JMP          next
