//go:build !purego

#include "textflag.h"

// func matchTagsAVX2(words *uint64, lines, next *pagedLine, n int, matches *lineMatch)
TEXT ·matchTagsAVX2(SB), NOSPLIT, $0-40
	MOVQ  words+0(FP), DI
	MOVQ  lines+8(FP), SI
	MOVQ  next+16(FP), DX
	MOVQ  n+24(FP), CX
	MOVQ  matches+32(FP), R10
	SUBQ  SI, DX                 // (SI)(DX) is the line of next
	VPXOR Y0, Y0, Y0

line:
	MOVQ         (SI)(DX*1), AX
	PREFETCHT0   (DI)(AX*8)
	MOVQ         0(SI), AX
	MOVQ         8(SI), BX
	SHRQ         $16, BX
	ANDL         $127, BX        // the print
	VMOVD        BX, X1
	VPBROADCASTW X1, Y1
	VMOVDQU      0(DI)(AX*8), Y2
	VMOVDQU      32(DI)(AX*8), Y3
	VPSRLW       $9, Y2, Y4
	VPSRLW       $9, Y3, Y5
	VPCMPEQW     Y1, Y4, Y4
	VPCMPEQW     Y1, Y5, Y5
	VPACKSSWB    Y5, Y4, Y4      // a byte for each entry
	VPERMQ       $0xd8, Y4, Y4   // in order
	VPMOVMSKB    Y4, R8
	VPCMPEQW     Y0, Y2, Y2
	VPCMPEQW     Y0, Y3, Y3
	VPACKSSWB    Y3, Y2, Y2
	VPERMQ       $0xd8, Y2, Y2
	VPMOVMSKB    Y2, R9
	NOTL         R9              // places that are taken
	ANDL         R9, R8
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
