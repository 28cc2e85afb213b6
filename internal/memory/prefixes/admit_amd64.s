//go:build !purego

#include "textflag.h"

// func admitAVX512(dst, entries *uint32, tags *tag, n int, limits uint32) (count int)
//
// A tag reaches the limits if the larger bytes of both are those of the tag.
TEXT ·admitAVX512(SB), NOSPLIT, $0-48
	MOVQ         dst+0(FP), DI
	MOVQ         entries+8(FP), SI
	MOVQ         tags+16(FP), DX
	MOVQ         n+24(FP), CX
	MOVL         limits+32(FP), AX
	VPBROADCASTW AX, Y1
	MOVQ         DI, R8
	SUBQ         $16, CX
	JB           rest

sixteen:
	VMOVDQU      (DX), Y0
	VPMAXUB      Y0, Y1, Y2
	VPCMPEQW     Y0, Y2, K1
	VMOVDQU32    (SI), Z3
	VPCOMPRESSD.Z Z3, K1, Z3
	VMOVDQU32    Z3, (DI)
	KMOVW        K1, AX
	POPCNTL      AX, AX
	LEAQ         (DI)(AX*4), DI
	ADDQ         $32, DX
	ADDQ         $64, SI
	SUBQ         $16, CX
	JAE          sixteen

rest:
	ADDQ         $16, CX
	JZ           done
	MOVL         $1, AX
	SHLL         CX, AX
	DECL         AX
	KMOVW        AX, K2
	VMOVDQU16.Z  (DX), K2, Y0
	VPMAXUB      Y0, Y1, Y2
	VPCMPEQW     Y0, Y2, K2, K1
	VMOVDQU32.Z  (SI), K2, Z3
	VPCOMPRESSD.Z Z3, K1, Z3
	VMOVDQU32    Z3, (DI)
	KMOVW        K1, AX
	POPCNTL      AX, AX
	LEAQ         (DI)(AX*4), DI

done:
	SUBQ R8, DI
	SHRQ $2, DI
	MOVQ DI, count+40(FP)
	VZEROUPPER
	RET
