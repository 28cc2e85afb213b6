//go:build !purego

#include "textflag.h"

// The last of the bytes that go on with a code point, as signed ones: all others are greater.
DATA continued<>+0(SB)/8, $0xbfbfbfbfbfbfbfbf
DATA continued<>+8(SB)/8, $0xbfbfbfbfbfbfbfbf
DATA continued<>+16(SB)/8, $0xbfbfbfbfbfbfbfbf
DATA continued<>+24(SB)/8, $0xbfbfbfbfbfbfbfbf
GLOBL continued<>(SB), RODATA|NOPTR, $32

// Stores at DI the places of the bits of mask, a byte, counted from Y2 on. Goes on behind them and to the next 8 places.
#define PLACES(mask) \
	VPMOVZXBD (R8)(mask*8), Y1 \
	VPADDD    Y2, Y1, Y1       \
	VPADDD    Y3, Y2, Y2       \
	VMOVDQU   Y1, (DI)         \
	POPCNTL   mask, mask       \
	LEAQ      (DI)(mask*4), DI

// func codePointsAVX2(out *uint32, text *byte, n, base int) int
TEXT ·codePointsAVX2(SB), NOSPLIT, $0-40
	MOVQ         out+0(FP), DI
	MOVQ         text+8(FP), SI
	MOVQ         n+16(FP), CX
	LEAQ         ·setBits(SB), R8
	VMOVDQU      continued<>(SB), Y0
	VPBROADCASTD base+24(FP), Y2
	MOVQ         $8, AX
	MOVQ         AX, X3
	VPBROADCASTD X3, Y3
	JMP          any

more:
	VMOVDQU   (SI), Y4
	VPCMPGTB  Y0, Y4, Y4
	VPMOVMSKB Y4, BX
	MOVBLZX   BL, AX
	MOVBLZX   BH, DX
	SHRL      $16, BX
	PLACES(AX)
	PLACES(DX)
	MOVBLZX   BL, AX
	MOVBLZX   BH, DX
	PLACES(AX)
	PLACES(DX)
	ADDQ      $32, SI
	SUBQ      $32, CX

any:
	TESTQ CX, CX
	JGT   more

	SUBQ out+0(FP), DI
	SHRQ $2, DI
	MOVQ DI, ret+32(FP)
	VZEROUPPER
	RET
