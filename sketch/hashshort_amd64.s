//go:build !purego

#include "textflag.h"
#include "hash_amd64.h"
#include "hashshort_amd64.h"

ALL(mostOver4, 0x400000004)

// The places of the next four spans, from starts or nexts on, for WORDS.
#define PLACES4(list) \
	MOVL (list)(R9*4), R11   \
	MOVL 4(list)(R9*4), R12  \
	MOVL 8(list)(R9*4), R13  \
	MOVL 12(list)(R9*4), AX

// func hashShortAVX2(out *uint64, text *byte, starts, nexts *uint32, gap, n int) int
TEXT ·hashShortAVX2(SB), NOSPLIT, $0-56
	ARGUMENTS($4, $8)
	VMOVDQU fours<>(SB), Y13

loop:
	LENGTHS(mostOver4)
	PLACES4(SI)
	WORDS(BX, Y1, X1, X2)
	VPMOVZXDQ X0, Y0
	VPADDQ    Y13, Y0, Y0
	SHORT(Y1, Y0, Y2, Y3, Y4)
	NEXT(Y2)

done:
	MOVQ R9, ret+48(FP)
	VZEROUPPER
	RET

// The bytes of eight spans of characters of one byte each, the last four above the first four: of
// the first four spans, and of the others. To those of the last four of a span its length less 4 is
// to be added.
LOWER_WORDS(spans, 0x0302010003020100, 0x0403020104030201, 0x0504030205040302, 0x0605040306050403)
UPPER_WORDS(spans, 0x0706050407060504, 0x0807060508070605, 0x0908070609080706, 0x0a0908070a090807)

// func hashCharsAVX2(out *uint64, text *byte, starts *uint32, size, n int) int
TEXT ·hashCharsAVX2(SB), NOSPLIT, $0-48
	MOVQ         out+0(FP), R8
	MOVQ         text+8(FP), BX
	MOVQ         starts+16(FP), SI
	MOVQ         size+24(FP), AX
	MOVQ         n+32(FP), CX
	VPBROADCASTQ size+24(FP), Y13
	LEAQ         28(SI)(AX*4), DI
	LEAQ         7(AX), R13
	SUBQ         $4, AX
	IMULQ        $0x01010101, AX
	VMOVQ        AX, X0
	VPBROADCASTQ X0, Y0
	VPADDB       spans<>+0(SB), Y0, Y14
	VPADDB       spans<>+32(SB), Y0, Y15
	XORQ         R9, R9

loop:
	LEAQ           16(R9), R10
	CMPQ           R10, CX
	JA             done
	MOVL           (SI)(R9*4), R11
	MOVL           (DI)(R9*4), R12   // the end of the eighth span
	SUBL           R11, R12
	CMPL           R12, R13
	JNE            done
	VBROADCASTI128 (BX)(R11*1), Y1
	VPSHUFB        Y14, Y1, Y0
	VPSHUFB        Y15, Y1, Y1
	MIX(Y0, Y13, Y2, Y3)
	MIX(Y1, Y13, Y4, Y5)
	VMOVDQU        Y0, (R8)(R9*8)
	VMOVDQU        Y1, 32(R8)(R9*8)
	ADDQ           $8, R9
	JMP            loop

done:
	MOVQ R9, ret+40(FP)
	VZEROUPPER
	RET
