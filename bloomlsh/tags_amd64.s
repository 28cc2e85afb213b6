//go:build !purego

#include "textflag.h"

// func lookTagsAVX2(words *uint64, lines, next *pagedLine, n, step int,
//   places *uint64, hits *tagHit, full *uint16, whole int) (found, fulls int)
TEXT ·lookTagsAVX2(SB), NOSPLIT, $0-88
	MOVQ  words+0(FP), DI
	MOVQ  lines+8(FP), SI
	MOVQ  next+16(FP), DX
	MOVQ  places+40(FP), R10
	MOVQ  hits+48(FP), R11
	MOVQ  full+56(FP), R14
	XORL  R12, R12               // the band
	XORL  R13, R13               // how far the line of next is
	VPXOR Y0, Y0, Y0
	MOVQ  whole+64(FP), AX
	VMOVD AX, X10
	VPBROADCASTW X10, Y10        // the bit that ends whole prints

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
	VMOVD        CX, X1
	VPBROADCASTW X1, Y1
	VMOVDQU      0(DI)(AX*8), Y2
	VMOVDQU      32(DI)(AX*8), Y3
	VPSRLW       $8, Y2, Y4
	VPSRLW       $8, Y3, Y5
	VPOR         Y10, Y4, Y6
	VPOR         Y10, Y5, Y7
	VPSUBW       Y6, Y0, Y8
	VPSUBW       Y7, Y0, Y9
	VPAND        Y6, Y8, Y6      // the bit that ends the print
	VPAND        Y7, Y9, Y7
	VPADDW       Y6, Y6, Y6
	VPADDW       Y7, Y7, Y7
	VPXOR        Y1, Y4, Y4
	VPXOR        Y1, Y5, Y5
	VPCMPGTW     Y4, Y6, Y4      // differs nowhere before that
	VPCMPGTW     Y5, Y7, Y5
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

// func lookBeyondAVX2(words *uint64, lines *pagedLine, n int,
//   places *uint64, hits *tagHit, full *uint16) (found, fulls int)
TEXT ·lookBeyondAVX2(SB), NOSPLIT, $0-64
	MOVQ words+0(FP), DI
	MOVQ lines+8(FP), SI
	MOVQ places+24(FP), R10
	MOVQ hits+32(FP), R11
	MOVQ full+40(FP), R14
	MOVQ R14, R13
	MOVQ n+16(FP), DX
	LEAQ (R13)(DX*2), DX         // the end of the bands
	VPXOR Y0, Y0, Y0

beyond:
	MOVWLZX      (R13), R12
	MOVQ         R12, BX
	SHLQ         $4, BX
	MOVQ         8(SI)(BX*1), CX
	SHRQ         $16, CX
	ANDL         $127, CX
	VMOVD        CX, X1
	VPBROADCASTW X1, Y1
	MOVQ         (R10)(R12*8), AX
	SHRQ         $2, AX          // the word after the full line
	MOVQ         AX, BX
	SUBQ         $8, AX
	ANDL         $511, BX
	ANDQ         $-512, AX
	ORQ          BX, AX          // the next line of the page
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

// func putTags(words *uint64, lines, next *pagedLine, n int, places *uint64, bands, group uint64)
TEXT ·putTags(SB), NOSPLIT, $0-56
	MOVQ words+0(FP), DI
	MOVQ lines+8(FP), SI
	MOVQ next+16(FP), DX
	MOVQ n+24(FP), CX
	MOVQ places+32(FP), R10
	MOVQ bands+40(FP), R8
	MOVQ group+48(FP), R9
	XORL R13, R13

put:
	MOVQ       R13, BX
	ANDQ       $-16, BX
	MOVQ       (DX)(BX*1), AX
	ADDQ       $8, R13
	PREFETCHT0 (DI)(AX*8)
	MOVQ       0(R10), AX
	MOVQ       8(SI), BX
	SHRQ       $16, BX
	ANDL       $127, BX          // the print
	SHLL       $9, BX
	ORL        R9, BX
	SHRQ       $1, R8
	JCC        skip
	MOVW       BX, (DI)(AX*2)

skip:
	ADDQ $8, R10
	ADDQ $16, SI
	DECQ CX
	JNZ  put
	RET

// func prefetchBeyond(words *uint64, lines *pagedLine, n int)
TEXT ·prefetchBeyond(SB), NOSPLIT, $0-24
	MOVQ words+0(FP), DI
	MOVQ lines+8(FP), SI
	MOVQ n+16(FP), CX

beyond:
	MOVQ       0(SI), AX
	LEAQ       8(AX), BX
	MOVQ       AX, DX
	ANDL       $511, BX
	ANDQ       $-512, DX
	ORQ        DX, BX            // the next line of the page
	CMPW       62(DI)(AX*8), $0
	CMOVQEQ    AX, BX            // is of no interest unless this one is full
	PREFETCHT0 (DI)(BX*8)
	ADDQ       $16, SI
	DECQ       CX
	JNZ        beyond
	RET
