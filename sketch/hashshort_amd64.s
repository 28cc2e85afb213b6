//go:build !purego

#include "textflag.h"
#include "hash_amd64.h"

// For spans of 4 to 8 bytes: what their words are xored with, the halves of the multiplier, and the bounds.
ALL(short, 0xc73ab174c5ecd5a2)
ALL(shortLow, 0x1e98df25)
ALL(shortHigh, 0x9fb21c65)
ALL(four, 0x400000004)
// The bytes of each word, turned by 24 bits.
DATA rotated24<>+0(SB)/8, $0x0403020100070605
DATA rotated24<>+8(SB)/8, $0x0c0b0a09080f0e0d
DATA rotated24<>+16(SB)/8, $0x0403020100070605
DATA rotated24<>+24(SB)/8, $0x0c0b0a09080f0e0d
GLOBL rotated24<>(SB), RODATA|NOPTR, $32

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
DATA turned<>+0(SB)/8, $0x0001020304050607
DATA turned<>+8(SB)/8, $0x08090a0b0c0d0e0f
DATA turned<>+16(SB)/8, $0x0001020304050607
DATA turned<>+24(SB)/8, $0x08090a0b0c0d0e0f
GLOBL turned<>(SB), RODATA|NOPTR, $32
ALL(fifteens, 0xf0000000f)

// x = the hashes of spans of 4 to 8 bytes, of which x has the last four and above them the first four; n is their lengths. a and b are scratch.
#define MIX(x, n, a, b) \
	VPXOR   short<>(SB), x, x         \
	VPSLLQ  $49, x, a                 \
	VPSRLQ  $15, x, b                 \
	VPXOR   a, b, a                   \
	VPSHUFB rotated24<>(SB), x, b     \
	VPXOR   a, x, x                   \
	VPXOR   b, x, x                   \
	MUL(x, shortLow, shortHigh, a, b) \
	VPSRLQ  $35, x, a                 \
	VPADDQ  n, a, a                   \
	VPXOR   a, x, x                   \
	MUL(x, shortLow, shortHigh, a, b) \
	XORSHIFT($28, x, a)

// out = the hashes of spans of 4 to 8 bytes, whose first eight bytes are in w; n is their lengths, and Y13 has a 4 in each word. a and b are scratch.
#define SHORT(w, n, out, a, b) \
	VPSUBQ   Y13, n, a          \
	VPSLLQ   $3, a, a           \
	VPSRLVQ  a, w, out          \
	VPSLLQ   $32, w, a          \
	VPBLENDD $0xaa, a, out, out \
	MIX(out, n, a, b)

// The places of the next four spans, from starts or nexts on, for WORDS.
#define PLACES4(list) \
	MOVL (list)(R9*4), R11   \
	MOVL 4(list)(R9*4), R12  \
	MOVL 8(list)(R9*4), R13  \
	MOVL 12(list)(R9*4), AX

// out = the four words at R11, R12, R13 and AX from base on. outx is its lower half, ax is scratch.
#define WORDS(base, out, outx, ax) \
	VMOVQ       (base)(R11*1), outx       \
	VMOVHPS     (base)(R12*1), outx, outx \
	VMOVQ       (base)(R13*1), ax         \
	VMOVHPS     (base)(AX*1), ax, ax      \
	VINSERTI128 $1, ax, out, out

// func hashShortAVX2(out *uint64, text *byte, starts, nexts *uint32, gap, n int) int
TEXT ·hashShortAVX2(SB), NOSPLIT, $0-56
	ARGUMENTS($4, $8)
	VPMOVZXDQ four<>(SB), Y13

loop:
	LENGTHS(four)
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

// The bytes of eight spans of characters of one byte each, the last four above the first four: of the first four spans, and of the others. To those of the
// last four of a span its length less 4 is to be added.
DATA spans<>+0(SB)/8, $0x0302010003020100
DATA spans<>+8(SB)/8, $0x0403020104030201
DATA spans<>+16(SB)/8, $0x0504030205040302
DATA spans<>+24(SB)/8, $0x0605040306050403
DATA spans<>+32(SB)/8, $0x0706050407060504
DATA spans<>+40(SB)/8, $0x0807060508070605
DATA spans<>+48(SB)/8, $0x0908070609080706
DATA spans<>+56(SB)/8, $0x0a0908070a090807
GLOBL spans<>(SB), RODATA|NOPTR, $64

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
	MOVQ         AX, X0
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

// func hashWordsAVX2(out *uint64, text *byte, starts, nexts *uint32, gap, n int) int
TEXT ·hashWordsAVX2(SB), NOSPLIT, $0-56
	ARGUMENTS($1, $8)
	VMOVDQU low32<>(SB), Y11
	VPMOVZXDQ four<>(SB), Y13

loop:
	LENGTHS(fifteens)
	VPMOVZXDQ X0, Y0
	VPADDQ    one<>(SB), Y0, Y0      // n

	PLACES4(SI)
	WORDS(BX, Y1, X1, X3)            // the first eight bytes
	PLACES4(DI)
	WORDS(DX, Y2, X2, X3)            // the last eight

	// 9 to 16 bytes
	VPXOR   middleHead<>(SB), Y1, Y3
	VPXOR   middleTail<>(SB), Y2, Y2
	VPSHUFB turned<>(SB), Y3, Y4
	MULFOLD(Y3, Y2, Y5, Y6, Y7, Y8)
	VPADDQ  Y4, Y8, Y8
	VPADDQ  Y2, Y8, Y8
	VPADDQ  Y0, Y8, Y8
	AVALANCHE(Y8, Y3, Y4)

	// 4 to 8
	SHORT(Y1, Y0, Y2, Y3, Y4)

	// 1 to 3
	VPSLLQ  $3, Y0, Y3
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
	VPXOR    tiny<>(SB), Y3, Y3      // of 32 bits: there is nothing to mix in from above, and half as much to multiply
	VPMULUDQ tiny1High<>(SB), Y3, Y4
	VPMULUDQ tiny1Low<>(SB), Y3, Y3
	VPSLLQ   $32, Y4, Y4
	VPADDQ   Y4, Y3, Y3
	XORSHIFT($29, Y3, Y4)
	MUL(Y3, tiny2Low, tiny2High, Y4, Y5)
	XORSHIFT($32, Y3, Y4)

	VPCMPGTQ  three<>(SB), Y0, Y4
	VPCMPGTQ  eight<>(SB), Y0, Y5
	VPBLENDVB Y4, Y2, Y3, Y3
	VPBLENDVB Y5, Y8, Y3, Y3
	NEXT(Y3)

done:
	MOVQ R9, ret+48(FP)
	VZEROUPPER
	RET
