//go:build !purego

#include "textflag.h"

// The multipliers of the hash, and their upper halves where VPMULUDQ reads the lower ones.
#define ALL(name, value) \
	DATA name<>+0(SB)/8, value  \
	DATA name<>+8(SB)/8, value  \
	DATA name<>+16(SB)/8, value \
	DATA name<>+24(SB)/8, value \
	GLOBL name<>(SB), RODATA|NOPTR, $32

ALL(golden, $0x9e3779b97f4a7c15)
ALL(goldenHigh, $0x9e3779b9)
ALL(mulA, $0xbf58476d1ce4e5b9)
ALL(mulAHigh, $0xbf58476d)
ALL(mulB, $0x94d049bb133111eb)
ALL(mulBHigh, $0x94d049bb)
ALL(mulC, $0xff51afd7ed558ccd)
ALL(mulCHigh, $0xff51afd7)
ALL(low16, $0xffff)

// The order of four keys in a register. Interleaving pairs of registers makes it and undoes it.
DATA order<>+0(SB)/8, $0
DATA order<>+8(SB)/8, $2
DATA order<>+16(SB)/8, $1
DATA order<>+24(SB)/8, $3
GLOBL order<>(SB), RODATA|NOPTR, $32

// Multiplies the words of x by a constant: the product of the lower halves, and above it those of
// one upper and one lower half.
#define MUL(x, constant, high) \
	VPSRLQ   $32, x, Y8             \
	VPMULUDQ high<>(SB), x, Y9      \
	VPMULUDQ constant<>(SB), Y8, Y8 \
	VPMULUDQ constant<>(SB), x, x   \
	VPADDQ   Y8, Y9, Y9             \
	VPSLLQ   $32, Y9, Y9            \
	VPADDQ   Y9, x, x

// Mixes the upper bits of the words of x into the lower ones.
#define XORSHIFT(n, x) \
	VPSRLQ n, x, Y8 \
	VPXOR  Y8, x, x

// func spreadAVX2(spreads *keySpread, keys *Key, n int, mask uint64)
TEXT ·spreadAVX2(SB), NOSPLIT, $0-32
	MOVQ         spreads+0(FP), DI
	MOVQ         keys+8(FP), SI
	MOVQ         n+16(FP), CX
	VPBROADCASTQ mask+24(FP), Y12

four:
	VMOVDQU     0(SI), Y1
	VMOVDQU     32(SI), Y2
	VPUNPCKLQDQ Y2, Y1, Y0
	VPUNPCKHQDQ Y2, Y1, Y1
	VPXOR       Y12, Y1, Y1
	MUL(Y1, mulA, mulAHigh)
	XORSHIFT($32, Y1)
	MUL(Y1, mulB, mulBHigh)
	XORSHIFT($29, Y1)
	VPADDQ      Y1, Y0, Y0
	MUL(Y0, mulC, mulCHigh)
	XORSHIFT($32, Y0)
	MUL(Y0, mulA, mulAHigh)
	XORSHIFT($29, Y0)
	VMOVDQA     Y0, Y2
	MUL(Y0, golden, goldenHigh)
	VPADDQ      Y0, Y1, Y1
	MUL(Y1, mulC, mulCHigh)
	VPUNPCKLQDQ Y1, Y2, Y0
	VPUNPCKHQDQ Y1, Y2, Y1
	VMOVDQU     Y0, 0(DI)
	VMOVDQU     Y1, 32(DI)
	ADDQ        $64, SI
	ADDQ        $64, DI
	SUBQ        $4, CX
	JNZ         four
	VZEROUPPER
	RET

// func locateAVX2(lines *pagedLine, spreads *keySpread, n int, pages, stride uint64, parts
// *partition, partitions int)
TEXT ·locateAVX2(SB), NOSPLIT, $0-56
	MOVQ         lines+0(FP), DI
	MOVQ         spreads+8(FP), SI
	MOVQ         n+16(FP), CX
	VPBROADCASTQ pages+24(FP), Y15
	VPBROADCASTQ stride+32(FP), Y13
	MOVQ         partitions+48(FP), R8
	MOVQ         R8, R9
	SHLQ         $4, R9                 // the bytes of a key's lines
	LEAQ         (R9)(R9*2), R10
	VPMULUDQ     order<>(SB), Y13, Y14  // the first page of each band
	VPSLLQ       $2, Y13, Y13           // of four bands

four:
	VMOVDQU     0(SI), Y1
	VMOVDQU     32(SI), Y2
	VPUNPCKLQDQ Y2, Y1, Y0          // what picks the page
	VPUNPCKHQDQ Y2, Y1, Y1          // the state

	// The upper half of the 128-bit product with the number of pages, which has at most 32 bits.
	VPMULUDQ Y15, Y0, Y2
	VPSRLQ   $32, Y0, Y3
	VPSRLQ   $32, Y2, Y2
	VPMULUDQ Y15, Y3, Y3
	VPADDQ   Y2, Y3, Y3
	VPSRLQ   $32, Y3, Y3
	VPADDQ   Y14, Y3, Y3
	VPSLLQ   $9, Y3, Y3             // the first word of the page
	VPADDQ   Y13, Y14, Y14
	MOVQ     parts+40(FP), DX
	MOVQ     R8, BX
	JMP      line

part:
	MUL(Y1, mulC, mulCHigh)

line:
	VPSRLQ       $29, Y1, Y0
	VPXOR        Y0, Y1, Y0
	MUL(Y0, mulB, mulBHigh)
	XORSHIFT($32, Y0)
	VPBROADCASTQ 0(DX), Y4
	VPBROADCASTQ 8(DX), Y5
	VPAND        low16<>(SB), Y0, Y6
	VPMULUDQ     Y5, Y6, Y6
	VPSRLQ       $16, Y6, Y6
	VPADDQ       Y4, Y6, Y6         // the line
	VPSLLQ       $3, Y6, Y6
	VPADDQ       Y3, Y6, Y6
	VPUNPCKLQDQ  Y0, Y6, Y4
	VPUNPCKHQDQ  Y0, Y6, Y5
	VMOVDQU      X4, (DI)
	VEXTRACTI128 $1, Y4, (DI)(R9*1)
	VMOVDQU      X5, (DI)(R9*2)
	VEXTRACTI128 $1, Y5, (DI)(R10*1)
	ADDQ         $16, DI
	ADDQ         $16, DX
	DECQ         BX
	JNZ          part

	ADDQ R10, DI
	ADDQ $64, SI
	SUBQ $4, CX
	JNZ  four
	VZEROUPPER
	RET
