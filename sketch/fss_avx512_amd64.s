//go:build !purego

#include "textflag.h"
#include "lower_avx512_amd64.h"

// The place among 64 hashes of each bit that THROWN8 leaves: of eight times eight, the bits of the
// last eight are at 4, 12 and so on, and those of the ones before one lower each. No bit stands for
// the first of the last eight.
DATA places<>+0(SB)/8, $0x1109013830282018
DATA places<>+8(SB)/8, $0x120a023931292119
DATA places<>+16(SB)/8, $0x130b033a322a221a
DATA places<>+24(SB)/8, $0x140c043b332b231b
DATA places<>+32(SB)/8, $0x150d053c342c241c
DATA places<>+40(SB)/8, $0x160e063d352d251d
DATA places<>+48(SB)/8, $0x170f073e362e261e
DATA places<>+56(SB)/8, $0x1008003f372f271f
DATA places<>+64(SB)/1, $56
GLOBL places<>(SB), RODATA|NOPTR, $65

// The products of the eight words at x, whose upper halves are at x+4, under the constants of the
// round: bits 64 to 127 in Z2, and bits 32 to 63 in the lower halves of Z5. low is a mask of the
// lower halves that count. These are the steps of THROW in fss_amd64.s; where that adds the upper
// half of a product of halves, one instruction multiplies, shifts and adds here.
#define PRODUCTS8(x, x4, low) \
	VPXORD.Z    x, Z13, low, Z0  \
	VPXORD.Z    x4, Z14, low, Z1 \
	VPMULUDQ    Z12, Z1, Z3      \
	VPMULUDQ    Z11, Z0, Z5      \
	VPMULUDQ    Z11, Z1, Z2      \
	VPMADD52HUQ Z6, Z0, Z5       \
	VPMADD52HUQ Z6, Z1, Z2       \
	VPANDQ      Z10, Z3, Z3      \
	VPADDQ      Z3, Z5, Z5       \
	VPSRLQ      $32, Z5, Z3      \
	VPADDQ      Z3, Z2, Z2

// The upper halves of Z5 are the slots that the words fall into.
#define SLOTS8 \
	VPSRLQ   $32, Z2, Z3 \
	VPXORQ   Z3, Z5, Z5  \
	VPMULUDQ Z15, Z5, Z5

// Broadcasts the constants of a round. Z6 has the lower half of the multiplier 20 bits higher, so
// that bit 52 of a product by it is bit 32 of a product of halves.
#define ROUND8(xor, mul) \
	VPBROADCASTQ xor, Z13      \
	VPSRLQ       $32, Z13, Z14 \
	VPBROADCASTQ mul, Z12      \
	VPSRLQ       $32, Z12, Z11 \
	VPSLLQ       $32, Z12, Z6  \
	VPSRLQ       $12, Z6, Z6

// func scatterAVX512(slots, hashes *uint64, k, n int, rounds *fssRound, from, to int)
// The frame has 256 hashes at a time.
TEXT ·scatterAVX512(SB), 0, $4096-56
	MOVQ         slots+0(FP), DI
	MOVQ         hashes+8(FP), R8
	MOVQ         n+24(FP), BX
	LEAQ         -64(R8)(BX*8), BX
	MOVQ         rounds+32(FP), R13
	MOVQ         to+48(FP), R12
	SHLQ         $4, R12
	ADDQ         R13, R12
	MOVQ         from+40(FP), AX
	MOVQ         AX, DX
	SHLQ         $4, DX
	ADDQ         DX, R13
	SHLQ         $32, AX
	VPBROADCASTQ AX, Z7             // the round, above the values
	MOVL         $0x5555, AX
	KMOVW        AX, K2             // the lower half of each word
	VPTERNLOGQ   $0xff, Z10, Z10, Z10
	VPSRLQ       $63, Z10, Z9
	VPSLLQ       $32, Z9, Z9
	VPSRLQ       $32, Z10, Z10
	VPBROADCASTQ k+16(FP), Z15
	XORL         CX, CX             // how many are in the buffers

round:
	ROUND8(0(R13), 8(R13))
	MOVQ R8, SI

more:
	PRODUCTS8((SI), 4(SI), K2)
	SLOTS8
	VPMULUDQ  Z12, Z0, Z0
	VPXORD    Z2, Z0, K2, Z7
	VMOVDQU64 Z5, 0(SP)(CX*8)
	VMOVDQU64 Z7, 2048(SP)(CX*8)
	ADDQ      $8, CX
	CMPQ      SI, BX
	JEQ       next
	ADDQ      $64, SI
	CMPQ      SI, BX
	CMOVQCC   BX, SI                // some are thrown twice: that changes no minimum
	CMPQ      CX, $256
	JNE       more
	JMP       lower

next:
	XORL   SI, SI
	VPADDQ Z9, Z7, Z7
	ADDQ   $16, R13
	CMPQ   R13, R12
	JEQ    lower
	CMPQ   CX, $256
	JNE    round

lower:
	XORL DX, DX

eight:
	LOWER(0)
	LOWER(8)
	LOWER(16)
	LOWER(24)
	LOWER(32)
	LOWER(40)
	LOWER(48)
	LOWER(56)
	ADDQ  $8, DX
	CMPQ  DX, CX
	JNE   eight
	XORL  CX, CX
	TESTQ SI, SI
	JNZ   more
	CMPQ  R13, R12
	JNE   round
	VZEROUPPER
	RET

// Hashes the eight words at x anew, whose upper halves are at x4, and shifts a bit into R10 for
// each that falls into a slot that is not settled. bits is a mask of the words that count: of bit 4
// in each byte.
#define THROWN8(x, x4, bits) \
	PRODUCTS8(x, x4, K2)          \
	SLOTS8                        \
	VPSRLQ       $38, Z5, Z3      \
	VPERMQ       Z9, Z3, Z3       \
	VPSHUFBITQMB Z5, Z3, bits, K1 \
	KMOVQ        K1, AX           \
	RORQ         $1, R10          \
	ORQ          AX, R10

// Lowers the slot of the hash that the lowest bit of R10 stands for, clears that bit, and notes
// that the slot is settled. Without a bit it is the first hash of the last group, which does no
// harm.
#define TAKE \
	TZCNTQ  R10, AX         \
	BLSRQ   R10, R10        \
	MOVBLZX (R9)(AX*1), AX  \
	MOVQ    (R8)(AX*8), DX  \
	XORQ    R14, DX         \
	MULXQ   R11, AX, DX     \
	XORQ    DX, AX          \
	MOVQ    AX, DX          \
	SHRQ    $32, DX         \
	IMULQ   k+16(FP), DX    \
	SHRQ    $32, DX         \
	MOVL    AX, AX          \
	ORQ     64(SP), AX      \
	MOVQ    (DI)(DX*8), R15 \
	CMPQ    R15, AX         \
	CMOVQCS R15, AX         \
	MOVQ    AX, (DI)(DX*8)  \
	MOVL    DX, R15         \
	SHRL    $5, R15         \
	MOVL    (SP)(R15*4), AX \
	BTRL    DX, AX          \
	SBBL    $0, R12         \
	MOVL    AX, (SP)(R15*4)

// func settleAVX512(slots, hashes *uint64, k, n int, rounds *fssRound, from, to int) (settled bool)
// The frame has a bit for each slot that is not settled. From 64 on it has the round of the hashes
// that are taken, that of those that are thrown, above the values; where the hashes begin; and to.
TEXT ·settleAVX512(SB), NOSPLIT, $96-57
	MOVQ         slots+0(FP), DI
	MOVQ         k+16(FP), R13
	MOVQ         from+40(FP), R10
	SHLQ         $32, R10
	MOVQ         R10, 72(SP)
	VPBROADCASTQ R10, Z7            // what a slot has at least that is not settled
	VPXORQ       Z0, Z0, Z0
	VMOVDQU64    Z0, 0(SP)
	XORL         R12, R12           // how many slots are not settled
	XORL         CX, CX             // how many slots, by eight
	MOVL         $0xff, AX

bits:
	CMPQ  R13, $8
	JGE   eight
	MOVL  $1, AX
	SHLXL R13, AX, AX
	DECL  AX                        // the last ones

eight:
	KMOVB       AX, K2
	MOVQ        CX, DX
	SHLQ        $6, DX
	VMOVDQU64.Z (DI)(DX*1), K2, Z0
	VPCMPUQ     $5, Z7, Z0, K2, K1
	KMOVB       K1, DX
	MOVB        DX, (SP)(CX*1)
	POPCNTL     DX, DX
	ADDL        DX, R12
	INCQ        CX
	SUBQ        $8, R13
	JGT         bits

	MOVL         $0x5555, AX
	KMOVW        AX, K2             // the lower half of each word
	VPTERNLOGQ   $0xff, Z10, Z10, Z10
	VPSRLQ       $32, Z10, Z10
	VPBROADCASTQ k+16(FP), Z15

	// Hashes are thrown in groups of eight. The last group of all is at word 56 from SI, like that
	// of any 64 hashes. It has one to eight hashes, and is kept in Z16.
	MOVQ        hashes+8(FP), SI
	MOVQ        n+24(FP), DX
	NEGQ        DX
	MOVL        DX, CX
	ANDL        $7, CX              // how many are missing in the last group
	MOVL        $0xff, AX
	SHRL        CX, AX
	KMOVB       AX, K1
	SHLL        $3, CX
	MOVQ        $0x1010101010101010, AX
	KMOVQ       AX, K3
	SHRQ        CX, AX
	KMOVQ       AX, K4
	ANDQ        $-8, DX
	ADDQ        $64, DX
	MOVQ        DX, 80(SP)          // the first group
	SHLQ        $3, DX
	SUBQ        DX, SI
	VMOVDQU64.Z 448(SI), K1, Z16
	VPSRLQ      $32, Z16, Z17

	LEAQ      places<>(SB), R9
	MOVQ      from+40(FP), R13
	SHLQ      $4, R13
	ADDQ      rounds+32(FP), R13
	MOVQ      to+48(FP), R10
	SHLQ      $32, R10
	MOVQ      R10, 88(SP)
	VMOVDQU64 0(SP), Z9
	XORL      BX, BX                // the hashes to be taken

round:
	TESTL  R12, R12
	JEQ    over
	MOVQ   72(SP), AX
	CMPQ   AX, 88(SP)
	JEQ    over
	ROUND8(0(R13), 8(R13))
	MOVQ   80(SP), CX

some:
	XORL R10, R10

more:
	CMPQ  CX, $56
	JEQ   last
	THROWN8((SI)(CX*8), 4(SI)(CX*8), K3)
	ADDQ  $8, CX
	TESTQ $63, CX
	JNE   more
	JMP   thrown

	// The next round uses the bits as they are before the last hashes of this one are taken, so
	// that it does not wait for them. A hash that is taken needlessly changes nothing, since its
	// slot has a value of an earlier round.
last:
	THROWN8(Z16, Z17, K4)
	ADDQ      $8, CX
	VMOVDQU64 0(SP), Z9

	// Hashes are taken after the next 64 are thrown, so that these do not wait for a branch.
thrown:
	XCHGQ R10, BX
	JMP   any

take:
	TAKE
	TAKE

any:
	TESTQ R10, R10
	JNZ   take
	TESTQ R13, R13
	JEQ   taken
	LEAQ  -512(SI)(CX*8), R8
	MOVQ  0(R13), R14
	MOVQ  8(R13), R11
	MOVQ  72(SP), AX
	MOVQ  AX, 64(SP)
	CMPQ  CX, $64
	JNE   some
	ADDQ  $16, R13
	MOVQ  $0x100000000, AX
	ADDQ  AX, 72(SP)
	JMP   round

over:
	XORL R13, R13                   // no round
	XORL R10, R10
	JMP  thrown

taken:
	TESTL R12, R12
	SETEQ settled+56(FP)
	VZEROUPPER
	RET
