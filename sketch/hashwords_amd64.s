//go:build !purego

#include "textflag.h"
#include "hash_amd64.h"
#include "hashshort_amd64.h"
#include "hashwords_amd64.h"

// Bounds of the lengths of the classes, less 1.
ALL(two, 0x200000002)
ALL(seven, 0x700000007)
ALL(fifteen, 0xf0000000f)

// Appends to two lists of length count those of eight starts and ends whose bits in mask are set.
// Stores 8 of each.
#define LIST(mask, starts, ends, count) \
	VPMOVZXBD (R15)(mask*8), Y6 \
	VPERMD    Y0, Y6, Y7        \
	VPERMD    Y1, Y6, Y6        \
	VMOVDQU   Y7, starts        \
	VMOVDQU   Y6, ends          \
	POPCNTL   mask, mask        \
	ADDQ      mask, count

// Y0 = the lengths of the next four spans, Y1 = their first eight bytes.
#define HEADS(starts, ends) \
	VMOVDQU   ends(SP)(R9*4), X0       \
	VPSUBD    starts(SP)(R9*4), X0, X0 \
	VPMOVZXDQ X0, Y0                   \
	FOUR(BX, starts, Y1, X1, X2)

// func hashWordsAVX2(out *uint64, text *byte, starts, nexts *uint32, gap, n int, others *spanList)
// (hashed, left int) The frame has the starts and the ends of the spans of 1 to 3 bytes, from 2112
// on of those of 4 to 8, and from 4224 on of 9 to 16: of 256 spans, and room for what is stored
// after them.
TEXT ·hashWordsAVX2(SB), 0, $6336-72
	MOVQ         starts+16(FP), SI
	MOVQ         nexts+24(FP), DI
	MOVQ         n+40(FP), CX
	VPBROADCASTD gap+32(FP), Y15
	VPCMPEQD     Y14, Y14, Y14      // -1
	VMOVDQU      two<>(SB), Y13
	VMOVDQU      seven<>(SB), Y12
	VMOVDQU      fifteen<>(SB), Y11
	LEAQ         ·setBits(SB), R15
	XORL         R9, R9
	XORL         R10, R10           // how many of 1 to 3
	XORL         R11, R11           // of 4 to 8
	XORL         R12, R12           // of 9 to 16
	XORL         R13, R13           // of others

eight:
	VMOVDQU   (SI)(R9*4), Y0
	VMOVDQU   (DI)(R9*4), Y1
	VPSUBD    Y15, Y1, Y1
	VPSUBD    Y0, Y1, Y2
	VPADDD    Y14, Y2, Y2           // what is 0 or more than 31 bits can say becomes negative
	VPCMPGTD  Y13, Y2, Y3
	VPCMPGTD  Y12, Y2, Y4
	VPCMPGTD  Y11, Y2, Y5
	VMOVMSKPS Y3, AX
	VMOVMSKPS Y2, DX
	ORL       AX, DX
	XORL      $0xff, DX
	LIST(DX, 0(SP)(R10*4), 1056(SP)(R10*4), R10)
	VMOVMSKPS Y4, DX
	XORL      DX, AX
	LIST(AX, 2112(SP)(R11*4), 3168(SP)(R11*4), R11)
	VMOVMSKPS Y5, AX
	XORL      AX, DX
	LIST(DX, 4224(SP)(R12*4), 5280(SP)(R12*4), R12)
	VMOVMSKPS Y2, DX
	ORL       DX, AX
	MOVQ      others+48(FP), DX
	LIST(AX, 0(DX)(R13*4), 1088(DX)(R13*4), R13)
	ADDQ      $8, R9
	CMPQ      R9, CX
	JLT       eight

	MOVQ      R13, left+64(FP)
	MOVQ      R10, CX
	MOVQ      R11, SI
	MOVQ      R12, DI
	LEAQ      (R10)(R11*1), AX
	ADDQ      R12, AX
	MOVQ      AX, hashed+56(FP)
	MOVQ      out+0(FP), R8
	MOVQ      text+8(FP), BX

	VMOVDQU tinyBytes<>(SB), Y15
	VMOVDQU tiny<>(SB), Y14
	VMOVDQU further<>(SB), Y12
	CLASS($4, noTiny)

oneTo3:
	HEADS(0, 1056)
	VPERMD   Y15, Y0, Y2
	VPOR     Y12, Y2, Y2
	VPSHUFB  Y2, Y1, Y1
	VPERMD   Y14, Y0, Y0
	VPXOR    Y0, Y1, Y1              // of 32 bits: there is nothing to mix in from above, and half as much to multiply
	VPMULUDQ tiny1High<>(SB), Y1, Y2
	VPMULUDQ tiny1Low<>(SB), Y1, Y1
	VPSLLQ   $32, Y2, Y2
	VPADDQ   Y2, Y1, Y1
	XORSHIFT($29, Y1, Y2)
	MUL(Y1, tiny2Low, tiny2High, Y2, Y3)
	XORSHIFT($32, Y1, Y2)
	STORE(VMOVDQU, $4, Y1, oneTo3, noTiny)

noTiny:
	LEAQ    (R8)(CX*8), R8
	MOVQ    SI, CX
	VMOVDQU fours<>(SB), Y13
	CLASS($4, noShort)

fourTo8:
	HEADS(2112, 3168)
	SHORT(Y1, Y0, Y2, Y3, Y4)
	STORE(VMOVDQU, $4, Y2, fourTo8, noShort)

noShort:
	LEAQ    (R8)(CX*8), R8
	MOVQ    DI, CX
	LEAQ    -8(BX), R10
	VMOVDQU low32<>(SB), Y11

	// What is after a list shorter than four may be shorter than eight bytes, whose last eight
	// would begin before the text.
	VPBROADCASTD 4224(SP), X0
	VPBROADCASTD 5280(SP), X1
	VMOVDQU      X0, 4224(SP)(CX*4)
	VMOVDQU      X1, 5280(SP)(CX*4)
	CLASS($4, noMiddle)

nineTo16:
	HEADS(4224, 5280)
	FOUR(R10, 5280, Y2, X2, X3)     // the last eight bytes
	VPXOR   middleHead<>(SB), Y1, Y1
	VPXOR   middleTail<>(SB), Y2, Y2
	VPSHUFB turned<>(SB), Y1, Y3
	VPADDQ  Y2, Y0, Y0
	VPADDQ  Y3, Y0, Y0
	MULFOLD(Y1, Y2, Y3, Y4, Y5, Y6)
	VPADDQ  Y6, Y0, Y0
	AVALANCHE(Y0, Y1, Y2)
	STORE(VMOVDQU, $4, Y0, nineTo16, noMiddle)

noMiddle:
	VZEROUPPER
	RET
