//go:build !purego

#include "textflag.h"

// func lookTagsAVX512(words *uint64, lines, next *pagedLine, n, step int,
//   places *uint64, hits *tagHit, full *uint16, whole int) (found, fulls int)
TEXT ·lookTagsAVX512(SB), NOSPLIT, $0-88
	MOVQ  words+0(FP), DI
	MOVQ  lines+8(FP), SI
	MOVQ  next+16(FP), DX
	MOVQ  places+40(FP), R10
	MOVQ  hits+48(FP), R11
	MOVQ  full+56(FP), R14
	XORL  R12, R12               // the band
	XORL  R13, R13               // how far the line of next is
	VPXORQ Z0, Z0, Z0
	MOVQ  whole+64(FP), AX
	VPBROADCASTW AX, Z10         // the bit that ends whole prints

line:
	MOVQ         R13, BX
	ANDQ         $-16, BX
	MOVQ         (DX)(BX*1), AX
	ADDQ         step+32(FP), R13
	PREFETCHT0   (DI)(AX*8)
	MOVQ         0(SI), AX
	MOVQ         8(SI), CX
	SHRQ         $16, CX
	ANDL         $127, CX
	ADDL         CX, CX          // the print
	VPBROADCASTW CX, Z1
	VMOVDQU64    (DI)(AX*8), Z2
	VPSRLW       $8, Z2, Z3
	VPORQ        Z10, Z3, Z4
	VPSUBW       Z4, Z0, Z5
	VPANDQ       Z4, Z5, Z4      // the bit that ends the print
	VPADDW       Z4, Z4, Z4
	VPXORQ       Z1, Z3, Z3
	VPTESTMW     Z2, Z2, K2      // places that are taken
	VPCMPGTW     Z3, Z4, K2, K1  // differs nowhere before that
	KMOVD        K1, R8
	KMOVD        K2, R9
	MOVQ         AX, 0(R11)      // a hit, which stays if an entry has the print
	MOVL         R8, 8(R11)
	MOVL         R12, 12(R11)
	XORL         BX, BX
	TESTL        R8, R8
	SETNE        BX
	SHLL         $4, BX
	ADDQ         BX, R11
	MOVW         R12, (R14)      // a band to go on with, which stays if the line is full
	XORL         BX, BX
	CMPL         R9, $-1
	SETEQ        BX
	LEAQ         (R14)(BX*2), R14
	LEAL         1(R9), BX
	NOTL         BX
	ANDL         BX, R9
	POPCNTL      R9, R9          // places before the first free one
	LEAQ         (R9)(AX*4), R9
	MOVQ         R9, (R10)(R12*8)
	ADDQ         $16, SI
	INCQ         R12
	CMPQ         R12, n+24(FP)
	JNE          line

	SUBQ hits+48(FP), R11
	SHRQ $4, R11
	MOVQ R11, found+72(FP)
	SUBQ full+56(FP), R14
	SHRQ $1, R14
	MOVQ R14, fulls+80(FP)
	VZEROUPPER
	RET

// func lookBeyondAVX512(words *uint64, lines *pagedLine, n int,
//   places *uint64, hits *tagHit, full *uint16) (found, fulls int)
TEXT ·lookBeyondAVX512(SB), NOSPLIT, $0-64
	MOVQ words+0(FP), DI
	MOVQ lines+8(FP), SI
	MOVQ places+24(FP), R10
	MOVQ hits+32(FP), R11
	MOVQ full+40(FP), R14
	MOVQ R14, R13
	MOVQ n+16(FP), DX
	LEAQ (R13)(DX*2), DX         // the end of the bands

beyond:
	MOVWLZX      (R13), R12
	MOVQ         R12, BX
	SHLQ         $4, BX
	MOVQ         8(SI)(BX*1), CX
	SHRQ         $16, CX
	ANDL         $127, CX
	VPBROADCASTW CX, Z1
	MOVQ         (R10)(R12*8), AX
	SHRQ         $2, AX          // the word after the full line
	MOVQ         AX, BX
	SUBQ         $8, AX
	ANDL         $511, BX
	ANDQ         $-512, AX
	ORQ          BX, AX          // the next line of the page
	VMOVDQU64    (DI)(AX*8), Z2
	VPSRLW       $9, Z2, Z3
	VPTESTMW     Z2, Z2, K2      // places that are taken
	VPCMPEQW     Z1, Z3, K2, K1
	KMOVD        K1, R8
	KMOVD        K2, R9
	MOVQ         AX, 0(R11)      // a hit, which stays if an entry has the print
	MOVL         R8, 8(R11)
	MOVL         R12, 12(R11)
	XORL         BX, BX
	TESTL        R8, R8
	SETNE        BX
	SHLL         $4, BX
	ADDQ         BX, R11
	MOVW         R12, (R14)      // a band to go on with, which stays if the line is full
	XORL         BX, BX
	CMPL         R9, $-1
	SETEQ        BX
	LEAQ         (R14)(BX*2), R14
	POPCNTL      R9, R9
	LEAQ         (R9)(AX*4), R9
	MOVQ         R9, (R10)(R12*8)
	ADDQ         $2, R13
	CMPQ         R13, DX
	JNE          beyond

	SUBQ hits+32(FP), R11
	SHRQ $4, R11
	MOVQ R11, found+48(FP)
	SUBQ full+40(FP), R14
	SHRQ $1, R14
	MOVQ R14, fulls+56(FP)
	VZEROUPPER
	RET
