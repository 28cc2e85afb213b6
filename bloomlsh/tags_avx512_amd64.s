//go:build !purego

#include "textflag.h"

// func matchTagsAVX512(words *uint64, lines, next *pagedLine, n int, matches *lineMatch)
TEXT ·matchTagsAVX512(SB), NOSPLIT, $0-40
	MOVQ words+0(FP), DI
	MOVQ lines+8(FP), SI
	MOVQ next+16(FP), DX
	MOVQ n+24(FP), CX
	MOVQ matches+32(FP), R10
	SUBQ SI, DX                 // (SI)(DX) is the line of next

line:
	MOVQ         (SI)(DX*1), AX
	PREFETCHT0   (DI)(AX*8)
	MOVQ         0(SI), AX
	MOVQ         8(SI), BX
	SHRQ         $16, BX
	ANDL         $127, BX       // the print
	VPBROADCASTW BX, Z1
	VMOVDQU64    (DI)(AX*8), Z2
	VPSRLW       $9, Z2, Z3
	VPTESTMW     Z2, Z2, K2     // places that are taken
	VPCMPEQW     Z1, Z3, K2, K1
	KMOVD        K1, R8
	KMOVD        K2, R9
	POPCNTL      R9, R9
	SHLQ         $32, R9
	ORQ          R8, R9
	MOVQ         R9, 0(R10)
	ADDQ         $8, R10
	ADDQ         $16, SI
	DECQ         CX
	JNZ          line

	VZEROUPPER
	RET
