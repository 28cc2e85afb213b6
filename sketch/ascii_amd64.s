//go:build !purego

#include "textflag.h"

// Broadcasts a byte to a register.
#define BROADCAST(byte, xmm, ymm) \
	MOVQ         $byte, AX \
	VMOVQ        AX, xmm   \
	VPBROADCASTB xmm, ymm

// Sets the bytes of mask that are at least low and at most low+span in x. low and span are
// registers, tmp is scratch.
#define WITHIN(x, low, span, tmp, mask) \
	VPSUBB   low, x, tmp     \
	VPMINUB  span, tmp, mask \
	VPCMPEQB mask, tmp, mask

// Stores 32 bytes of x at off in flat, with a space where neither token nor the high bit of x is
// set, and makes masks of both. Y8 has spaces.
#define FLATTEN(x, token, off, in, high) \
	VPMOVMSKB token, in              \
	VPMOVMSKB x, high                \
	VPOR      x, token, token        \
	VPBLENDVB token, x, Y8, x        \
	VMOVDQU   x, off(DX)

// Joins the masks of the halves of a block, in AX and BX, R8 and R9, and stores it. Goes on to the
// next block.
#define NEXT(loop) \
	SHLQ $32, R8    \
	ORQ  R8, AX     \
	SHLQ $32, R9    \
	ORQ  R9, BX     \
	MOVQ AX, (DI)   \
	MOVQ $0, 8(DI)  \
	MOVQ BX, 16(DI) \
	ADDQ $24, DI    \
	ADDQ $64, DX    \
	ADDQ $64, SI    \
	DECQ CX         \
	JNZ  loop

// func alnumBlocksAVX2(blocks *block, flat, text *byte, n int)
TEXT ·alnumBlocksAVX2(SB), NOSPLIT, $0-32
	MOVQ blocks+0(FP), DI
	MOVQ flat+8(FP), DX
	MOVQ text+16(FP), SI
	MOVQ n+24(FP), CX
	BROADCAST(0x20, X8, Y8)
	BROADCAST(0x61, X9, Y9)   // a
	BROADCAST(25, X10, Y10)
	BROADCAST(0x30, X11, Y11) // 0
	BROADCAST(9, X12, Y12)

alnum:
	VMOVDQU (SI), Y0
	VMOVDQU 32(SI), Y1
	VPOR    Y0, Y8, Y2
	VPOR    Y1, Y8, Y3
	WITHIN(Y2, Y9, Y10, Y4, Y2)
	WITHIN(Y3, Y9, Y10, Y5, Y3)
	WITHIN(Y0, Y11, Y12, Y4, Y6)
	WITHIN(Y1, Y11, Y12, Y5, Y7)
	VPOR    Y6, Y2, Y2
	VPOR    Y7, Y3, Y3
	FLATTEN(Y0, Y2, 0, AX, BX)
	FLATTEN(Y1, Y3, 32, R8, R9)
	NEXT(alnum)
	VZEROUPPER
	RET

// func nonSpaceBlocksAVX2(blocks *block, flat, text *byte, n int)
TEXT ·nonSpaceBlocksAVX2(SB), NOSPLIT, $0-32
	MOVQ blocks+0(FP), DI
	MOVQ flat+8(FP), DX
	MOVQ text+16(FP), SI
	MOVQ n+24(FP), CX
	BROADCAST(0x20, X8, Y8)
	BROADCAST(0x09, X9, Y9)  // from tab
	BROADCAST(4, X10, Y10)   // to carriage return
	VPCMPEQB Y11, Y11, Y11

nonspace:
	VMOVDQU  (SI), Y0
	VMOVDQU  32(SI), Y1
	WITHIN(Y0, Y9, Y10, Y4, Y2)
	WITHIN(Y1, Y9, Y10, Y5, Y3)
	VPCMPEQB Y0, Y8, Y6
	VPCMPEQB Y1, Y8, Y7
	VPOR     Y0, Y2, Y2
	VPOR     Y1, Y3, Y3
	VPOR     Y6, Y2, Y2
	VPOR     Y7, Y3, Y3
	VPANDN   Y11, Y2, Y2 // what is neither white space nor beyond ASCII has the high bit
	VPANDN   Y11, Y3, Y3
	FLATTEN(Y0, Y2, 0, AX, BX)
	FLATTEN(Y1, Y3, 32, R8, R9)
	NEXT(nonspace)
	VZEROUPPER
	RET

// func foldASCIIAVX2(dst, text *byte, n int) int
TEXT ·foldASCIIAVX2(SB), NOSPLIT, $0-32
	MOVQ dst+0(FP), DI
	MOVQ text+8(FP), SI
	MOVQ n+16(FP), CX
	BROADCAST(0x20, X8, Y8)
	BROADCAST(0x41, X9, Y9) // A
	BROADCAST(25, X10, Y10)
	XORQ DX, DX

fold:
	LEAQ      32(DX), BX
	CMPQ      BX, CX
	JA        done
	VMOVDQU   (SI)(DX*1), Y0
	WITHIN(Y0, Y9, Y10, Y4, Y2)
	VPAND     Y8, Y2, Y2
	VPOR      Y0, Y2, Y2
	VMOVDQU   Y2, (DI)(DX*1)
	VPMOVMSKB Y0, AX
	TESTL     AX, AX
	JNZ       other
	MOVQ      BX, DX
	JMP       fold

other:
	BSFL AX, AX
	ADDQ AX, DX

done:
	MOVQ DX, ret+24(FP)
	VZEROUPPER
	RET
