//go:build !purego

#include "textflag.h"

#define EACH(value, x, y) \
	MOVL         $value, AX \
	VMOVD        AX, x      \
	VPBROADCASTW x, y

// MASK sets a bit in mask for each entry whose lane in a and b is negative.
#define MASK(a, b, y, mask) \
	VPACKSSWB b, a, y  \
	VPERMQ    $0xd8, y, y \
	VPMOVMSKB y, mask

// CHILDREN computes the entries without the first bit of their prints, except where none is.
#define CHILDREN(entries, none, to) \
	VPADDW    entries, entries, to  \
	VPAND     Y12, to, to           \
	VPAND     Y10, entries, Y6      \
	VPOR      Y6, to, to            \
	VPBLENDVB none, entries, to, to

// APPEND writes those of eight entries that the lowest bits of mask select, one after the other.
#define APPEND(x, mask, line, at) \
	MOVBLZX mask, AX              \
	MOVL    AX, BX                \
	SHLL    $4, AX                \
	POPCNTL BX, BX                \
	VPSHUFB (R10)(AX*1), x, X8    \
	VMOVDQU X8, (line)(at*1)      \
	LEAQ    (at)(BX*2), at        \
	SHRL    $8, mask

#define APPEND_BOTH(x) \
	APPEND(x, R12, DI, R14) \
	APPEND(x, R13, DX, CX)

// func divideTagsAVX2(page, low, high *uint64, gather *[256][16]byte) (foreign uint64)
TEXT ·divideTagsAVX2(SB), NOSPLIT, $0-40
	MOVQ  page+0(FP), SI
	MOVQ  low+8(FP), DI
	MOVQ  high+16(FP), DX
	MOVQ  gather+24(FP), R10
	XORL  R8, R8                 // lines with entries of others
	MOVL  $1, R9                 // the bit of the line
	VPXOR Y15, Y15, Y15
	EACH(0xff, X10, Y10)         // tags
	EACH(0xff00, X11, Y11)       // prints with their endings
	EACH(0xfe00, X12, Y12)       // the same, without a bit
	EACH(0x8000, X13, Y13)       // a print of which nothing is left

line:
	VMOVDQU  0(SI), Y0
	VMOVDQU  32(SI), Y1
	VPAND    Y11, Y0, Y2
	VPAND    Y11, Y1, Y3
	VPCMPEQW Y13, Y2, Y4         // nothing is left
	VPCMPEQW Y13, Y3, Y5
	VPCMPEQW Y15, Y2, Y2
	VPCMPEQW Y15, Y3, Y3
	MASK(Y2, Y3, Y6, AX)         // places without a print
	MASK(Y4, Y5, Y6, BX)
	MASK(Y0, Y1, Y6, R13)        // the first bit is 1
	VPCMPEQW Y15, Y0, Y2
	VPCMPEQW Y15, Y1, Y3
	MASK(Y2, Y3, Y6, CX)
	CHILDREN(Y0, Y4, Y2)
	CHILDREN(Y1, Y5, Y3)
	NOTL     CX                  // places that are taken
	ANDL     CX, AX              // of these, those without a print,
	JEQ      own
	ORQ      R9, R8

own:
	MOVL AX, R11
	SHRL $1, R11                 // and those before
	ORL  AX, R11
	NOTL R11
	ANDL CX, R11
	ANDL R11, R13                // the line's own entries of the second page,
	ANDL R11, BX                 // those of both,
	MOVL R13, R12
	NOTL R12
	ANDL R11, R12
	ORL  BX, R12                 // and those of the first
	VMOVDQU      Y15, 0(DI)
	VMOVDQU      Y15, 32(DI)
	VMOVDQU      Y15, 0(DX)
	VMOVDQU      Y15, 32(DX)
	VEXTRACTI128 $1, Y2, X4
	VEXTRACTI128 $1, Y3, X5
	XORL R14, R14                // bytes in the line of the first page
	XORL CX, CX                  // and of the second
	APPEND_BOTH(X2)
	APPEND_BOTH(X4)
	APPEND_BOTH(X3)
	APPEND_BOTH(X5)
	ADDQ $64, SI
	ADDQ $64, DI
	ADDQ $64, DX
	ADDQ R9, R9
	JNZ  line

	MOVQ R8, foreign+32(FP)
	VZEROUPPER
	RET

// func resolveAVX2(to, from *pagedLine, n int, doublings, shift, undivided uint64)
TEXT ·resolveAVX2(SB), NOSPLIT, $0-48
	MOVQ         to+0(FP), DI
	MOVQ         from+8(FP), SI
	MOVQ         n+16(FP), CX
	MOVQ         doublings+24(FP), AX
	VMOVQ        AX, X0
	VPBROADCASTQ X0, Y1              // how many bits prints have lost
	NEGQ         AX
	ADDQ         $64, AX
	VMOVQ        AX, X2
	VMOVQ        shift+32(FP), X3
	VPBROADCASTQ undivided+40(FP), Y15
	VPCMPEQQ     Y14, Y14, Y14
	VPSRLQ       $55, Y14, Y14       // the low 9 bits, which select a word of a page

four:
	VMOVDQU     0(SI), Y4
	VMOVDQU     32(SI), Y5
	VPUNPCKLQDQ Y5, Y4, Y6           // words
	VPUNPCKHQDQ Y5, Y4, Y7           // bits
	VPSRLQ      $9, Y6, Y8
	VPSLLQ      X0, Y8, Y8
	VPSRLQ      X2, Y7, Y9
	VPOR        Y9, Y8, Y8           // pages
	VPSRLQ      $1, Y8, Y9           // pages before the last doubling
	VPCMPGTQ    Y9, Y15, Y10         // those are still undivided
	VPBLENDVB   Y10, Y9, Y8, Y8
	VPSLLQ      $9, Y8, Y8
	VPAND       Y14, Y6, Y6
	VPOR        Y6, Y8, Y8
	VPADDQ      Y10, Y1, Y9          // one less in undivided pages
	VPSLLVQ     Y9, Y7, Y7
	VPSRLQ      X3, Y7, Y7
	VPSLLQ      $16, Y7, Y7
	VPUNPCKLQDQ Y7, Y8, Y4
	VPUNPCKHQDQ Y7, Y8, Y5
	VMOVDQU     Y4, 0(DI)
	VMOVDQU     Y5, 32(DI)
	ADDQ        $64, SI
	ADDQ        $64, DI
	SUBQ        $4, CX
	JNZ         four
	VZEROUPPER
	RET
