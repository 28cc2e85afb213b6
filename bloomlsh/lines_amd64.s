//go:build !purego

#include "textflag.h"

// How far the bits of a line are shifted until the number of a bit in one of its words is lowest.
DATA shifts<>+0(SB)/8, $16
DATA shifts<>+8(SB)/8, $22
DATA shifts<>+16(SB)/8, $28
DATA shifts<>+24(SB)/8, $34
DATA shifts<>+32(SB)/8, $40
DATA shifts<>+40(SB)/8, $46
DATA shifts<>+48(SB)/8, $52
DATA shifts<>+56(SB)/8, $58
GLOBL shifts<>(SB), RODATA|NOPTR, $64

// func setLinesAVX2(words *uint64, lines, next *pagedLine, bands, partitions int) (present int)
TEXT ·setLinesAVX2(SB), NOSPLIT, $0-48
	MOVQ     words+0(FP), DI
	MOVQ     lines+8(FP), SI
	MOVQ     next+16(FP), DX
	MOVQ     bands+24(FP), CX
	MOVQ     partitions+32(FP), R8
	SUBQ     SI, DX                     // (SI)(DX) is the line of next
	XORL     R9, R9                     // bands of which nothing was missing
	VMOVDQU  shifts<>+0(SB), Y0
	VMOVDQU  shifts<>+32(SB), Y1
	VPCMPEQQ Y2, Y2, Y2
	VPSRLQ   $63, Y2, Y3                // 1
	VPSRLQ   $58, Y2, Y2                // 63

band:
	VPXOR Y4, Y4, Y4                    // what was missing in this one
	MOVQ  R8, BX

line:
	MOVQ         (SI)(DX*1), AX
	PREFETCHT0   (DI)(AX*8)
	MOVQ         0(SI), AX
	VPBROADCASTQ 8(SI), Y5
	VPSRLVQ      Y0, Y5, Y6
	VPSRLVQ      Y1, Y5, Y7
	VPAND        Y2, Y6, Y6
	VPAND        Y2, Y7, Y7
	VPSLLVQ      Y6, Y3, Y6
	VPSLLVQ      Y7, Y3, Y7
	VMOVDQU      0(DI)(AX*8), Y8
	VMOVDQU      32(DI)(AX*8), Y9
	VPANDN       Y6, Y8, Y10
	VPANDN       Y7, Y9, Y11
	VPOR         Y6, Y8, Y8
	VPOR         Y7, Y9, Y9
	VMOVDQU      Y8, 0(DI)(AX*8)
	VMOVDQU      Y9, 32(DI)(AX*8)
	VPOR         Y10, Y4, Y4
	VPOR         Y11, Y4, Y4
	ADDQ         $16, SI
	DECQ         BX
	JNZ          line

	XORL   AX, AX
	VPTEST Y4, Y4
	SETEQ  AX
	ADDQ   AX, R9
	DECQ   CX
	JNZ    band

	MOVQ R9, present+40(FP)
	VZEROUPPER
	RET

// func testLinesAVX2(words *uint64, lines, next *pagedLine, bands, partitions int) (present uint64)
TEXT ·testLinesAVX2(SB), NOSPLIT, $0-48
	MOVQ     words+0(FP), DI
	MOVQ     lines+8(FP), SI
	MOVQ     next+16(FP), DX
	MOVQ     bands+24(FP), CX
	MOVQ     partitions+32(FP), R8
	SUBQ     SI, DX                     // (SI)(DX) is the line of next
	MOVQ     R8, R10
	SHLQ     $4, R10                    // the bytes of a band's lines
	XORL     R9, R9                     // bands of which nothing is missing
	MOVL     $1, R12                    // the bit of the band
	VMOVDQU  shifts<>+0(SB), Y0
	VMOVDQU  shifts<>+32(SB), Y1
	VPCMPEQQ Y2, Y2, Y2
	VPSRLQ   $63, Y2, Y3                // 1
	VPSRLQ   $58, Y2, Y2                // 63

band:
	MOVQ       (SI)(DX*1), AX
	PREFETCHT0 (DI)(AX*8)
	MOVQ       SI, R11
	MOVQ       R8, BX

line:
	MOVQ         0(R11), AX
	VPBROADCASTQ 8(R11), Y5
	VPSRLVQ      Y0, Y5, Y6
	VPSRLVQ      Y1, Y5, Y7
	VPAND        Y2, Y6, Y6
	VPAND        Y2, Y7, Y7
	VPSLLVQ      Y6, Y3, Y6
	VPSLLVQ      Y7, Y3, Y7
	VMOVDQU      0(DI)(AX*8), Y8
	VMOVDQU      32(DI)(AX*8), Y9
	VPANDN       Y6, Y8, Y8
	VPANDN       Y7, Y9, Y9
	VPOR         Y8, Y9, Y8
	VPTEST       Y8, Y8
	JNZ          next
	ADDQ         $16, R11
	DECQ         BX
	JNZ          line
	ORQ          R12, R9

next:
	ADDQ R12, R12
	ADDQ R10, SI
	DECQ CX
	JNZ  band

	MOVQ R9, present+40(FP)
	VZEROUPPER
	RET
