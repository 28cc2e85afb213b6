//go:build !purego

#include "textflag.h"

// APPEND writes those of eight entries that the lowest bits of AX select, one after the other.
#define APPEND(entries) \
	MOVBLZX   AX, BX             \
	VPMOVZXBD (R10)(BX*8), Y4    \
	VPERMD    entries, Y4, Y4    \
	VMOVDQU   Y4, (DI)           \
	POPCNTL   BX, BX             \
	LEAQ      (DI)(BX*4), DI     \
	SHRL      $8, AX

// func admitAVX2(dst, entries *uint32, tags *tag, n int, limits uint32,
//   gather *[256]uint64) (count int)
//
// A tag reaches the limits if the larger bytes of both are those of the tag.
TEXT ·admitAVX2(SB), NOSPLIT, $0-56
	MOVQ         dst+0(FP), DI
	MOVQ         entries+8(FP), SI
	MOVQ         tags+16(FP), DX
	MOVQ         n+24(FP), CX
	MOVL         limits+32(FP), AX
	MOVQ         gather+40(FP), R10
	VMOVD        AX, X1
	VPBROADCASTW X1, Y1
	MOVQ         DI, R8

sixteen:
	VMOVDQU      (DX), Y0
	VPMAXUB      Y0, Y1, Y2
	VPCMPEQW     Y0, Y2, Y2
	VEXTRACTI128 $1, Y2, X3
	VPACKSSWB    X3, X2, X2      // a byte for each tag
	VPMOVMSKB    X2, AX
	APPEND(0(SI))
	APPEND(32(SI))
	ADDQ         $32, DX
	ADDQ         $64, SI
	SUBQ         $16, CX
	JNZ          sixteen

	SUBQ R8, DI
	SHRQ $2, DI
	MOVQ DI, count+48(FP)
	VZEROUPPER
	RET
