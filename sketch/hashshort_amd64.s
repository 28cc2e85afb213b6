//go:build !purego

#include "textflag.h"
#include "hash_amd64.h"

// For spans of 4 to 8 bytes: what their words are xored with, the halves of the multiplier, and the bounds.
ALL(short, 0xc73ab174c5ecd5a2)
ALL(shortLow, 0x1e98df25)
ALL(shortHigh, 0x9fb21c65)
ALL(four, 0x400000004)

// For spans of 1 to 16 bytes: what the words of 9 bytes and more are xored with, and what is xored with the word made of 3 bytes and less.
ALL(middleHead, 0x6782737bea4239b9)
ALL(middleTail, 0xaf56bc3b0996523a)
ALL(tiny, 0x87275a9b)
// The halves of the multipliers of 3 bytes and less.
ALL(tiny1Low, 0x27d4eb4f)
ALL(tiny1High, 0xc2b2ae3d)
ALL(tiny2Low, 0x9e3779f9)
ALL(tiny2High, 0x165667b1)
// Small numbers, and the order of bytes turned round.
ALL(one, 0x1)
ALL(three, 0x3)
ALL(eight, 0x8)
ALL(sevens, 0xfffffffffffffff8)
ALL(byte, 0xff)
ALL(thirtyTwo, 0x20)
DATA turned<>+0(SB)/8, $0x0001020304050607
DATA turned<>+8(SB)/8, $0x08090a0b0c0d0e0f
DATA turned<>+16(SB)/8, $0x0001020304050607
DATA turned<>+24(SB)/8, $0x08090a0b0c0d0e0f
GLOBL turned<>(SB), RODATA|NOPTR, $32
ALL(fifteens, 0xf0000000f)

// x *= the multiplier of 4 to 8 bytes, whose halves Y14 and Y15 have. a and b are scratch.
#define MULSHORT(x, a, b) \
	VPSRLQ   $32, x, a \
	VPMULUDQ Y14, a, a \
	VPMULUDQ Y15, x, b \
	VPMULUDQ Y14, x, x \
	VPADDQ   b, a, a   \
	VPSLLQ   $32, a, a \
	VPADDQ   a, x, x

// func hashShortAVX2(out *uint64, text *byte, starts, nexts *uint32, gap, n int) int
TEXT ·hashShortAVX2(SB), NOSPLIT, $0-56
	MOVQ    out+0(FP), R8
	MOVQ    text+8(FP), BX
	MOVQ    starts+16(FP), SI
	MOVQ    nexts+24(FP), DI
	MOVQ    gap+32(FP), AX
	MOVQ    n+40(FP), CX
	ADDQ    $4, AX
	MOVQ    AX, X10
	VPBROADCASTD X10, X10            // next-start less this is n-4
	VMOVDQU four<>(SB), X11
	VPMOVZXDQ X11, Y12
	VMOVDQU short<>(SB), Y13
	VMOVDQU shortLow<>(SB), Y14
	VMOVDQU shortHigh<>(SB), Y15
	XORQ    R9, R9                   // how many are done

loop:
	LEAQ      4(R9), R10
	CMPQ      R10, CX
	JA        done
	VMOVDQU   (DI)(R9*4), X0
	VPSUBD    (SI)(R9*4), X0, X0
	VPSUBD    X10, X0, X0            // n-4
	VPMINUD   X11, X0, X1
	VPCMPEQD  X0, X1, X1
	VMOVMSKPS X1, AX
	CMPL      AX, $15
	JNE       done

	MOVL    (SI)(R9*4), R11
	MOVL    4(SI)(R9*4), R12
	MOVL    8(SI)(R9*4), R13
	MOVL    12(SI)(R9*4), AX
	VMOVQ   (BX)(R11*1), X1
	VMOVHPS (BX)(R12*1), X1, X1
	VMOVQ   (BX)(R13*1), X2
	VMOVHPS (BX)(AX*1), X2, X2
	VINSERTI128 $1, X2, Y1, Y1

	VPMOVZXDQ X0, Y0
	VPSLLQ   $3, Y0, Y2
	VPSRLVQ  Y2, Y1, Y2              // the last four bytes, below the first four
	VPSLLQ   $32, Y1, Y1
	VPBLENDD $0xaa, Y1, Y2, Y1
	VPXOR    Y13, Y1, Y1
	VPSLLQ   $49, Y1, Y2
	VPSRLQ   $15, Y1, Y3
	VPSLLQ   $24, Y1, Y4
	VPSRLQ   $40, Y1, Y5
	VPXOR    Y2, Y3, Y2
	VPXOR    Y4, Y5, Y4
	VPXOR    Y2, Y1, Y1
	VPXOR    Y4, Y1, Y1
	MULSHORT(Y1, Y2, Y3)
	VPSRLQ   $35, Y1, Y2
	VPADDQ   Y0, Y2, Y2
	VPADDQ   Y12, Y2, Y2
	VPXOR    Y2, Y1, Y1
	MULSHORT(Y1, Y2, Y3)
	VPSRLQ   $28, Y1, Y2
	VPXOR    Y2, Y1, Y1
	VMOVDQU  Y1, (R8)(R9*8)
	MOVQ     R10, R9
	JMP      loop

done:
	MOVQ R9, ret+48(FP)
	VZEROUPPER
	RET

// out = the four words at R11, R12, R13 and AX from base on. outx is its lower half, ax is scratch.
#define WORDS(base, out, outx, ax) \
	VMOVQ       (base)(R11*1), outx       \
	VMOVHPS     (base)(R12*1), outx, outx \
	VMOVQ       (base)(R13*1), ax         \
	VMOVHPS     (base)(AX*1), ax, ax      \
	VINSERTI128 $1, ax, out, out

// func hashWordsAVX2(out *uint64, text *byte, starts, nexts *uint32, gap, n int) int
TEXT ·hashWordsAVX2(SB), NOSPLIT, $0-56
	MOVQ    out+0(FP), R8
	MOVQ    text+8(FP), BX
	MOVQ    starts+16(FP), SI
	MOVQ    nexts+24(FP), DI
	MOVQ    gap+32(FP), AX
	MOVQ    n+40(FP), CX
	MOVQ    BX, DX
	SUBQ    AX, DX
	SUBQ    $8, DX                   // DX+next is where the last eight bytes are
	INCQ    AX
	MOVQ    AX, X10
	VPBROADCASTD X10, X10            // next-start less this is n-1
	VMOVDQU low32<>(SB), Y11
	VMOVDQU shortLow<>(SB), Y14
	VMOVDQU shortHigh<>(SB), Y15
	XORQ    R9, R9                   // how many are done

loop:
	LEAQ      4(R9), R10
	CMPQ      R10, CX
	JA        done
	VMOVDQU   (DI)(R9*4), X0
	VPSUBD    (SI)(R9*4), X0, X0
	VPSUBD    X10, X0, X0
	VPMINUD   fifteens<>(SB), X0, X1
	VPCMPEQD  X0, X1, X1
	VMOVMSKPS X1, AX
	CMPL      AX, $15
	JNE       done
	VPMOVZXDQ X0, Y0
	VPADDQ    one<>(SB), Y0, Y0      // n

	MOVL (SI)(R9*4), R11
	MOVL 4(SI)(R9*4), R12
	MOVL 8(SI)(R9*4), R13
	MOVL 12(SI)(R9*4), AX
	WORDS(BX, Y1, X1, X3)            // the first eight bytes
	MOVL (DI)(R9*4), R11
	MOVL 4(DI)(R9*4), R12
	MOVL 8(DI)(R9*4), R13
	MOVL 12(DI)(R9*4), AX
	WORDS(DX, Y2, X2, X3)            // the last eight

	// 9 to 16 bytes
	VPXOR   middleHead<>(SB), Y1, Y3
	VPXOR   middleTail<>(SB), Y2, Y2
	VPSHUFB turned<>(SB), Y3, Y4
	MULFOLD(Y3, Y2, Y5, Y6, Y7, Y8)
	VPADDQ  Y4, Y8, Y8
	VPADDQ  Y2, Y8, Y8
	VPADDQ  Y0, Y8, Y8
	XORSHIFT($37, Y8, Y3)
	MUL(Y8, avalancheLow, avalancheHigh, Y3, Y4)
	XORSHIFT($32, Y8, Y3)

	// 4 to 8
	VPSLLQ   $3, Y0, Y3
	VPSUBQ   thirtyTwo<>(SB), Y3, Y2
	VPSRLVQ  Y2, Y1, Y2
	VPSLLQ   $32, Y1, Y4
	VPBLENDD $0xaa, Y4, Y2, Y2
	VPXOR    short<>(SB), Y2, Y2
	VPSLLQ   $49, Y2, Y4
	VPSRLQ   $15, Y2, Y5
	VPSLLQ   $24, Y2, Y6
	VPSRLQ   $40, Y2, Y7
	VPXOR    Y4, Y5, Y4
	VPXOR    Y6, Y7, Y6
	VPXOR    Y4, Y2, Y2
	VPXOR    Y6, Y2, Y2
	MULSHORT(Y2, Y4, Y5)
	VPSRLQ   $35, Y2, Y4
	VPADDQ   Y0, Y4, Y4
	VPXOR    Y4, Y2, Y2
	MULSHORT(Y2, Y4, Y5)
	XORSHIFT($28, Y2, Y4)

	// 1 to 3
	VPSUBQ  eight<>(SB), Y3, Y3
	VPSRLVQ Y3, Y1, Y3               // the last byte
	VPSLLQ  $2, Y0, Y4
	VPAND   sevens<>(SB), Y4, Y4
	VPSRLVQ Y4, Y1, Y4               // the one in the middle
	VPAND   byte<>(SB), Y1, Y1
	VPAND   byte<>(SB), Y3, Y3
	VPAND   byte<>(SB), Y4, Y4
	VPSLLQ  $16, Y1, Y1
	VPSLLQ  $24, Y4, Y4
	VPSLLQ  $8, Y0, Y5
	VPOR    Y1, Y3, Y3
	VPOR    Y4, Y5, Y4
	VPOR    Y4, Y3, Y3
	VPXOR   tiny<>(SB), Y3, Y3
	XORSHIFT($33, Y3, Y4)
	MUL(Y3, tiny1Low, tiny1High, Y4, Y5)
	XORSHIFT($29, Y3, Y4)
	MUL(Y3, tiny2Low, tiny2High, Y4, Y5)
	XORSHIFT($32, Y3, Y4)

	VPCMPGTQ  three<>(SB), Y0, Y4
	VPCMPGTQ  eight<>(SB), Y0, Y5
	VPBLENDVB Y4, Y2, Y3, Y3
	VPBLENDVB Y5, Y8, Y3, Y3
	VMOVDQU   Y3, (R8)(R9*8)
	MOVQ      R10, R9
	JMP       loop

done:
	MOVQ R9, ret+48(FP)
	VZEROUPPER
	RET
