//go:build !purego

#include "textflag.h"
#include "constants_amd64.h"

LOWER_WORDS(byteNumbers, 0x0706050403020100, 0x0f0e0d0c0b0a0908, 0x1716151413121110, 0x1f1e1d1c1b1a1918)
UPPER_WORDS(byteNumbers, 0x2726252423222120, 0x2f2e2d2c2b2a2928, 0x3736353433323130, 0x3f3e3d3c3b3a3938)

// Stores the places of the bits of mask, AX, at DI, 16 at a time. Z2 is what they are counted from,
// K1 is scratch.
#define PLACES(next, done) \
	KMOVQ         AX, K1         \
	VPCOMPRESSB.Z Z3, K1, Z0     \
	POPCNTQ       AX, AX         \
next:                            \
	VPMOVZXBD     X0, Z1         \
	VPADDD        Z2, Z1, Z1     \
	VMOVDQU32     Z1, (DI)       \
	SUBQ          $16, AX        \
	JLE           done           \
	VSHUFI64X2    $0x39, Z0, Z0, Z0 \
	ADDQ          $64, DI        \
	JMP           next           \
done:

// func placesAVX512(starts, ends *uint32, startMask, endMask uint64, base int)
TEXT ·placesAVX512(SB), NOSPLIT, $0-40
	MOVQ         base+32(FP), AX
	VPBROADCASTD AX, Z2
	VMOVDQU64    byteNumbers<>(SB), Z3
	MOVQ         starts+0(FP), DI
	MOVQ         startMask+16(FP), AX
	PLACES(start, started)
	MOVQ         ends+8(FP), DI
	MOVQ         endMask+24(FP), AX
	PLACES(end, ended)
	VZEROUPPER
	RET

// Sets K1 … K3 to which of the spans that start at x and end at y have up to 3, 8 and 16 bytes, of
// those in K7.
#define LENGTHS(x, y, three, eight, sixteen, minusOne) \
	VMOVDQU32.Z (SI)(R9*4), K7, x  \
	VMOVDQU32.Z (DI)(R9*4), K7, y  \
	VPSUBD      x, y, y            \
	VPADDD      minusOne, y, y     \ // what is 0 becomes very much
	VPCMPUD     $1, three, y, K7, K1 \
	VPCMPUD     $1, eight, y, K7, K2 \
	VPCMPUD     $1, sixteen, y, K7, K3

// Adds the bits of a mask to a count.
#define COUNT(mask, count) \
	KMOVW   mask, AX  \
	POPCNTL AX, AX    \
	ADDQ    AX, count

// func orderAVX512(dst, sorted *uint64, starts, ends *uint32, n int)
TEXT ·orderAVX512(SB), NOSPLIT, $0-40
	MOVQ       dst+0(FP), DX
	MOVQ       sorted+8(FP), R8
	MOVQ       starts+16(FP), SI
	MOVQ       ends+24(FP), DI
	MOVQ       n+32(FP), CX
	VPTERNLOGD $0xff, Z11, Z11, Z11
	VPSRLD     $31, Z11, Z14
	VPSLLD     $4, Z14, Z14         // 16
	VPSRLD     $1, Z14, Z13         // 8
	VPSRLD     $30, Z11, Z12        // 3
	XORL       R9, R9
	XORL       R10, R10             // where those of up to 3 are
	XORL       R11, R11             // of up to 8
	XORL       R12, R12             // of up to 16
	XORL       R13, R13             // of others
	MOVL       $0xffff, BX
	KMOVW      BX, K7

sixteen:
	MOVQ  CX, R15
	SUBQ  R9, R15
	CMPQ  R15, $16
	JGE   whole
	MOVL  $1, BX
	SHLXL R15, BX, BX
	DECL  BX
	KMOVW BX, K7                    // the last ones

whole:
	LENGTHS(Z0, Z1, Z12, Z13, Z14, Z11)
	COUNT(K1, R11)
	COUNT(K2, R12)
	COUNT(K3, R13)
	ADDQ $16, R9
	CMPQ R9, CX
	JLT  sixteen

	XORL  R9, R9
	MOVL  $0xff, BX
	KMOVW BX, K7

eight:
	MOVQ  CX, R15
	SUBQ  R9, R15
	CMPQ  R15, $8
	JGE   all
	MOVL  $1, BX
	SHLXL R15, BX, BX
	DECL  BX
	KMOVW BX, K7

all:
	LENGTHS(Y0, Y1, Y12, Y13, Y14, Y11)
	KANDNW      K7, K3, K4
	KANDNW      K3, K2, K3
	KANDNW      K2, K1, K2
	VPEXPANDQ.Z (R8)(R10*8), K1, Z2
	VPEXPANDQ   (R8)(R11*8), K2, Z2
	VPEXPANDQ   (R8)(R12*8), K3, Z2
	VPEXPANDQ   (R8)(R13*8), K4, Z2
	VMOVDQU64   Z2, K7, (DX)(R9*8)
	COUNT(K1, R10)
	COUNT(K2, R11)
	COUNT(K3, R12)
	COUNT(K4, R13)
	ADDQ        $8, R9
	CMPQ        R9, CX
	JLT         eight
	VZEROUPPER
	RET
