//go:build !purego

#include "textflag.h"

// Broadcasts the constants of a round. Y10 has the lower half of each word.
#define ROUND(k, xor, mul) \
	VPBROADCASTQ k, Y15        \
	VPBROADCASTQ xor, Y13      \
	VPBROADCASTQ mul, Y12      \
	VPSRLQ       $32, Y12, Y11 \
	VPCMPEQD     Y10, Y10, Y10 \
	VPSRLQ       $32, Y10, Y10

// Hashes the four words at SI anew. The upper halves of Y0 are the slots they fall into, the lower halves of Y2 the values. First come the products of
// halves, then bits 32 to 63 of the products, in the lower halves of Y0, and 64 to 127, in Y1, then the halves of the hashes.
#define THROW \
	VPXOR    (SI), Y13, Y0 \
	VPSRLQ   $32, Y0, Y1   \
	VPMULUDQ Y12, Y0, Y2   \
	VPMULUDQ Y12, Y1, Y3   \
	VPMULUDQ Y11, Y0, Y0   \
	VPMULUDQ Y11, Y1, Y1   \
	VPSRLQ   $32, Y2, Y4   \
	VPADDQ   Y4, Y0, Y0    \
	VPAND    Y10, Y3, Y4   \
	VPADDQ   Y4, Y0, Y0    \
	VPSRLQ   $32, Y3, Y3   \
	VPADDQ   Y3, Y1, Y1    \
	VPSRLQ   $32, Y0, Y4   \
	VPADDQ   Y4, Y1, Y1    \
	VPXOR    Y1, Y2, Y2    \
	VPSRLQ   $32, Y1, Y1   \
	VPXOR    Y1, Y0, Y0    \
	VPMULUDQ Y15, Y0, Y0

// Lowers the slot of the hash that is at off in the buffers.
#define LOWER(off) \
	MOVL    (off+4)(SP), R9   \
	MOVQ    (off+32)(SP), R10 \
	MOVQ    (DI)(R9*8), R11   \
	CMPQ    R11, R10          \
	CMOVQCS R11, R10          \
	MOVQ    R10, (DI)(R9*8)

// func scatterAVX2(slots, hashes *uint64, k, n int, base, xor, mul uint64)
TEXT ·scatterAVX2(SB), NOSPLIT, $64-56
	MOVQ         slots+0(FP), DI
	MOVQ         hashes+8(FP), SI
	MOVQ         n+24(FP), CX
	VPBROADCASTQ base+32(FP), Y14
	ROUND(k+16(FP), xor+40(FP), mul+48(FP))

four:
	THROW
	VPBLENDD $0xaa, Y14, Y2, Y2
	VMOVDQU  Y0, 0(SP)
	VMOVDQU  Y2, 32(SP)
	LOWER(0)
	LOWER(8)
	LOWER(16)
	LOWER(24)
	ADDQ     $32, SI
	SUBQ     $4, CX
	JNZ      four
	VZEROUPPER
	RET

// Appends to the lists at R9 and R10, of length DX, what Y5 and Y6 have of the hashes whose bit in AX is set. Stores 8 of each.
#define PICK \
	VPMOVZXBD (R8)(AX*8), Y0  \
	VPERMD    Y5, Y0, Y1      \
	VPERMD    Y6, Y0, Y2      \
	VMOVDQU   Y1, (R9)(DX*4)  \
	VMOVDQU   Y2, (R10)(DX*4) \
	POPCNTL   AX, AX          \
	ADDQ      AX, DX

// func scatterFewAVX2(slots, hashes *uint64, k, n int, base, xor, mul uint64)
// The frame has a bit for each slot that is not settled, and from 32 and 576 on the slots and the values of the hashes that fall into such a one: of
// 128 hashes at a time, and room for what PICK stores behind them.
TEXT ·scatterFewAVX2(SB), 0, $1120-56
	MOVQ         slots+0(FP), DI
	MOVQ         hashes+8(FP), SI
	MOVQ         k+16(FP), BX
	MOVQ         base+32(FP), R11
	MOVQ         R11, AX
	SHRQ         $32, AX
	MOVQ         AX, X7
	VPBROADCASTD X7, Y7           // the round
	VPXOR        Y0, Y0, Y0
	VMOVDQU      Y0, 0(SP)
	XORQ         DX, DX
	XORQ         CX, CX           // how many slots, by eight
	JMP          anyEight

eight:
	VMOVDQU   -64(DI)(DX*8), Y0
	VSHUFPS   $0xdd, -32(DI)(DX*8), Y0, Y0
	VPERMQ    $0xd8, Y0, Y0       // the rounds
	VPMAXUD   Y0, Y7, Y1
	VPCMPEQD  Y0, Y1, Y1
	VMOVMSKPS Y1, AX
	MOVB      AX, (SP)(CX*1)
	INCQ      CX

anyEight:
	ADDQ $8, DX
	CMPQ DX, BX
	JLE  eight
	SUBQ $8, DX
	DECQ R11
	XORQ AX, AX
	JMP  anyOne

one:
	DECQ BX
	CMPQ R11, (DI)(BX*8)
	ADCQ AX, AX

anyOne:
	CMPQ BX, DX
	JGT  one
	CMPQ CX, $32
	JEQ  round
	MOVB AX, (SP)(CX*1)

round:
	VMOVDQU  0(SP), Y9
	VPCMPEQD Y8, Y8, Y8
	VPSRLD   $27, Y8, Y8          // 31
	ROUND(k+16(FP), xor+40(FP), mul+48(FP))
	LEAQ     ·setBits(SB), R8
	LEAQ     32(SP), R9
	LEAQ     576(SP), R10
	MOVQ     base+32(FP), R12
	MOVQ     n+24(FP), BX

some:
	MOVQ    $128, CX
	CMPQ    BX, CX
	CMOVQLT BX, CX
	SUBQ    CX, BX
	XORQ    DX, DX                // how many are kept

pick:
	THROW
	VMOVDQA   Y0, Y5
	VMOVDQA   Y2, Y6
	ADDQ      $32, SI
	THROW
	VSHUFPS   $0xdd, Y0, Y5, Y5   // slots
	VSHUFPS   $0x88, Y2, Y6, Y6   // values
	VPSRLD    $5, Y5, Y0
	VPERMD    Y9, Y0, Y0
	VPANDN    Y8, Y5, Y1
	VPSLLVD   Y1, Y0, Y0          // the bit of the slot comes first
	VMOVMSKPS Y0, AX
	PICK
	ADDQ      $32, SI
	SUBQ      $8, CX
	JNZ       pick
	JMP       anyKept

kept:
	MOVL    -4(R9)(DX*4), AX
	MOVL    -4(R10)(DX*4), CX
	ORQ     R12, CX
	MOVQ    (DI)(AX*8), R11
	CMPQ    R11, CX
	CMOVQCS R11, CX
	MOVQ    CX, (DI)(AX*8)
	DECQ    DX

anyKept:
	TESTQ DX, DX
	JNZ   kept
	TESTQ BX, BX
	JNZ   some
	VZEROUPPER
	RET
