//go:build !purego

#include "textflag.h"

// Broadcasts what all rounds share: the number of slots, and in Y10 the lower half of each word.
#define SHARED(k) \
	VPBROADCASTQ k, Y15        \
	VPCMPEQD     Y10, Y10, Y10 \
	VPSRLQ       $32, Y10, Y10

// Broadcasts the constants of a round.
#define ROUND(xor, mul) \
	VPBROADCASTQ xor, Y13 \
	VPBROADCASTQ mul, Y12 \
	VPSRLQ       $32, Y12, Y11

// Hashes the four words at off from SI anew. The upper halves of Y0 are the slots they fall into,
// the lower halves of Y2 the values. First come the products of halves, then bits 32 to 63 of the
// products, in the lower halves of Y0, and 64 to 127, in Y1, then the halves of the hashes.
#define THROW(off) \
	VPXOR    off(SI), Y13, Y0 \
	VPSRLQ   $32, Y0, Y1      \
	VPMULUDQ Y12, Y0, Y2      \
	VPMULUDQ Y12, Y1, Y3      \
	VPMULUDQ Y11, Y0, Y0      \
	VPMULUDQ Y11, Y1, Y1      \
	VPSRLQ   $32, Y2, Y4      \
	VPADDQ   Y4, Y0, Y0       \
	VPAND    Y10, Y3, Y4      \
	VPADDQ   Y4, Y0, Y0       \
	VPSRLQ   $32, Y3, Y3      \
	VPADDQ   Y3, Y1, Y1       \
	VPSRLQ   $32, Y0, Y4      \
	VPADDQ   Y4, Y1, Y1       \
	VPXOR    Y1, Y2, Y2       \
	VPSRLQ   $32, Y1, Y1      \
	VPXOR    Y1, Y0, Y0       \
	VPMULUDQ Y15, Y0, Y0

// Lowers the slot of the hash that is at off in the buffers.
#define LOWER(off) \
	MOVL    (off+4)(SP), R9   \
	MOVQ    (off+32)(SP), R10 \
	MOVQ    (DI)(R9*8), R11   \
	CMPQ    R11, R10          \
	CMOVQCS R11, R10          \
	MOVQ    R10, (DI)(R9*8)

// Moves SI to the next size bytes of hashes, or jumps to done after the last ones, which begin at
// BX. The last ones may overlap those before: to throw a hash twice changes no minimum.
#define NEXT(size, done) \
	CMPQ    SI, BX   \
	JEQ     done     \
	ADDQ    size, SI \
	CMPQ    SI, BX   \
	CMOVQCC BX, SI

// func scatterAVX2(slots, hashes *uint64, k, n int, base, xor, mul uint64)
TEXT ·scatterAVX2(SB), NOSPLIT, $64-56
	MOVQ         slots+0(FP), DI
	MOVQ         hashes+8(FP), SI
	MOVQ         n+24(FP), BX
	LEAQ         -32(SI)(BX*8), BX
	VPBROADCASTQ base+32(FP), Y14
	SHARED(k+16(FP))
	ROUND(xor+40(FP), mul+48(FP))

four:
	THROW(0)
	VPBLENDD $0xaa, Y14, Y2, Y2
	VMOVDQU  Y0, 0(SP)
	VMOVDQU  Y2, 32(SP)
	LOWER(0)
	LOWER(8)
	LOWER(16)
	LOWER(24)
	NEXT($32, done)
	JMP      four

done:
	VZEROUPPER
	RET

// Hashes the eight words at SI anew: slots and values get what KEEP takes.
#define THROW8(slots, values) \
	THROW(0)                        \
	VMOVDQA Y0, slots               \
	VMOVDQA Y2, values              \
	THROW(32)                       \
	VSHUFPS $0xdd, Y0, slots, slots \
	VSHUFPS $0x88, Y2, values, values

// Appends to the lists at R9 and R10, of length DX, those of eight hashes that fall into a slot
// that is not settled. Stores 8 of each. The bit of a slot, out of Y9, comes first in its word.
#define KEEP(slots, values) \
	VPSRLD    $5, slots, Y0   \
	VPERMD    Y9, Y0, Y0      \
	VPANDN    Y8, slots, Y1   \
	VPSLLVD   Y1, Y0, Y0      \
	VMOVMSKPS Y0, AX          \
	VPMOVZXBD (R8)(AX*8), Y0  \
	VPERMD    slots, Y0, Y1   \
	VPERMD    values, Y0, Y2  \
	VMOVDQU   Y1, (R9)(DX*4)  \
	VMOVDQU   Y2, (R10)(DX*4) \
	POPCNTL   AX, AX          \
	ADDQ      AX, DX

// func settleAVX2(slots, hashes *uint64, k, n int, rounds *fssRound, from, to int) (settled bool)
// The frame has a bit for each slot that is not settled, and from 32 and 576 on the slots and the
// values of the hashes that fall into such a one: of 128 hashes at a time, and room for what is
// stored after them.
TEXT ·settleAVX2(SB), 0, $1120-57
	MOVQ         slots+0(FP), DI
	MOVQ         hashes+8(FP), SI
	MOVQ         k+16(FP), R13
	MOVQ         n+24(FP), BX
	LEAQ         -64(SI)(BX*8), BX
	MOVQ         from+40(FP), R15
	VMOVQ        R15, X7
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
	CMPQ DX, R13
	JLE  eight
	SUBQ $8, DX
	MOVQ R15, R11
	SHLQ $32, R11
	DECQ R11
	XORQ AX, AX
	JMP  anyOne

one:
	DECQ R13
	CMPQ R11, (DI)(R13*8)
	ADCQ AX, AX

anyOne:
	CMPQ R13, DX
	JGT  one
	CMPQ CX, $32
	JEQ  begin
	MOVB AX, (SP)(CX*1)

begin:
	VPCMPEQD Y8, Y8, Y8
	VPSRLD   $27, Y8, Y8          // 31
	SHARED(k+16(FP))
	LEAQ     ·setBits(SB), R8
	LEAQ     32(SP), R9
	LEAQ     576(SP), R10
	MOVQ     R15, R13
	SHLQ     $4, R13
	ADDQ     rounds+32(FP), R13

round:
	VMOVDQU 0(SP), Y9
	VPTEST  Y9, Y9
	JZ      all
	CMPQ    R15, to+48(FP)
	JEQ     over
	ROUND(0(R13), 8(R13))
	MOVQ    hashes+8(FP), SI
	MOVQ    R15, R12
	SHLQ    $32, R12

some:
	MOVL $16, CX
	XORL DX, DX                   // how many are kept

	// Eight are thrown before the eight of the step before are kept, which would wait for what they
	// are made of.
	THROW8(Y5, Y6)
	JMP  anyMore

more:
	THROW8(Y7, Y14)
	KEEP(Y5, Y6)
	VMOVDQA Y7, Y5
	VMOVDQA Y14, Y6

anyMore:
	NEXT($64, last)
	DECL CX
	JNZ  more
	KEEP(Y5, Y6)
	JMP  anyKept

last:
	KEEP(Y5, Y6)
	XORL SI, SI                   // the round has no more
	JMP  anyKept

kept:
	MOVL    -4(R9)(DX*4), AX
	MOVL    -4(R10)(DX*4), CX
	ORQ     R12, CX
	MOVQ    (DI)(AX*8), R11
	CMPQ    R11, CX
	CMOVQCS R11, CX
	MOVQ    CX, (DI)(AX*8)
	MOVL    AX, CX
	SHRL    $5, CX
	MOVL    (SP)(CX*4), R11       // Y9 has it until the round is over
	BTRL    AX, R11
	MOVL    R11, (SP)(CX*4)
	DECQ    DX

anyKept:
	TESTQ DX, DX
	JNZ   kept
	TESTQ SI, SI
	JNZ   some
	INCQ  R15
	ADDQ  $16, R13
	JMP   round

all:
	MOVB $1, settled+56(FP)
	VZEROUPPER
	RET

over:
	MOVB $0, settled+56(FP)
	VZEROUPPER
	RET
