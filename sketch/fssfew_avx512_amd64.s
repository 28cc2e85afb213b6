//go:build !purego

#include "textflag.h"
#include "constants_amd64.h"

// Loads the constants of eight rounds. Z6 has the lower halves of the multipliers 20 bits higher,
// so that bit 52 of a product by it is bit 32 of a product of halves.
#define ROUNDS8(xors, muls) \
	VMOVDQU64 xors, Z13    \
	VMOVDQU64 muls, Z12    \
	VPSRLQ    $32, Z12, Z11 \
	VPSLLQ    $32, Z12, Z6  \
	VPSRLQ    $12, Z6, Z6

// The products of the hash at x in eight rounds: bits 64 to 127 in Z2, bits 32 to 63 in the lower
// halves of Z5, and the lower halves of what is hashed in Z0. These are the steps of PRODUCTS8 in
// fss_avx512_amd64.s, for one hash in eight rounds where that has eight hashes in one.
#define PRODUCTS(x) \
	VPBROADCASTQ x, Z0        \
	VPXORQ       Z13, Z0, Z0  \
	VPSRLQ       $32, Z0, Z1  \
	VPANDQ       Z10, Z0, Z0  \
	VPMULUDQ     Z12, Z1, Z3  \
	VPMULUDQ     Z11, Z0, Z5  \
	VPMULUDQ     Z11, Z1, Z2  \
	VPMADD52HUQ  Z6, Z0, Z5   \
	VPMADD52HUQ  Z6, Z1, Z2   \
	VPANDQ       Z10, Z3, Z3  \
	VPADDQ       Z3, Z5, Z5   \
	VPSRLQ       $32, Z5, Z3  \
	VPADDQ       Z3, Z2, Z2

// The values that fall into slots, in Z0: the round, and below it the lower half of the hash.
#define VALUES \
	VPMULUDQ   Z12, Z0, Z0 \
	VPXORQ     Z2, Z0, Z0  \
	VPANDQ     Z10, Z0, Z0 \
	VPORQ      Z14, Z0, Z0

// Lowers the slot of the value that is at off from DX in the buffers.
#define LOWER(off) \
	MOVQ    off(SP)(DX*8), R9         \
	MOVQ    (off+960)(SP)(DX*8), R10  \
	MOVQ    (DI)(R9*8), R11           \
	CMPQ    R11, R10                  \
	CMOVQCS R11, R10                  \
	MOVQ    R10, (DI)(R9*8)

LOWER_WORDS(ordinals, 0, 0x100000000, 0x200000000, 0x300000000)
UPPER_WORDS(ordinals, 0x400000000, 0x500000000, 0x600000000, 0x700000000)

// Broadcasts what all rounds share: the lower half of each word, and the round of the first eight,
// above the values.
#define SHARED(from) \
	VPTERNLOGQ   $0xff, Z10, Z10, Z10    \
	VPSRLQ       $32, Z10, Z10           \
	MOVQ         from, R12               \
	SHLQ         $32, R12                \
	VPBROADCASTQ R12, Z14                \
	VPADDQ       ordinals<>(SB), Z14, Z14 \
	MOVQ         $0x800000000, R12       \
	VPBROADCASTQ R12, Z7

// func scatterFewAVX512(slots, hashes *uint64, k, n int, xors, muls *uint64, from, to int) (settled
// bool)
//
// The frame has the slots and, from 960 on, the values of up to 15 hashes in eight rounds. Were
// they read as soon as they are written, each read would wait.
TEXT ·scatterFewAVX512(SB), 0, $1920-65
	MOVQ         slots+0(FP), DI
	MOVQ         hashes+8(FP), SI
	MOVQ         n+24(FP), BX
	LEAQ         (SI)(BX*8), BX
	MOVQ         xors+32(FP), R13
	MOVQ         muls+40(FP), R14
	MOVQ         to+56(FP), R15
	LEAQ         (R13)(R15*8), R15
	MOVQ         from+48(FP), DX
	LEAQ         (R13)(DX*8), R13
	LEAQ         (R14)(DX*8), R14
	VPBROADCASTQ k+16(FP), Z15
	SHARED(DX)

rounds:
	CMPQ    R13, R15
	JCC     done
	ROUNDS8((R13), (R14))
	XORL    CX, CX
	MOVQ    SI, AX

hash:
	PRODUCTS((AX))
	VPSRLQ    $32, Z2, Z3
	VPXORQ    Z3, Z5, Z5
	VPMULUDQ  Z15, Z5, Z5
	VPSRLQ    $32, Z5, Z5
	VALUES
	VMOVDQU64 Z5, 0(SP)(CX*8)
	VMOVDQU64 Z0, 960(SP)(CX*8)
	ADDQ      $8, CX
	ADDQ      $8, AX
	CMPQ      AX, BX
	JNE       hash
	XORL      DX, DX

lower:
	LOWER(0)
	LOWER(8)
	LOWER(16)
	LOWER(24)
	LOWER(32)
	LOWER(40)
	LOWER(48)
	LOWER(56)
	ADDQ   $8, DX
	CMPQ   DX, CX
	JNE    lower
	VPADDQ Z7, Z14, Z14
	ADDQ   $64, R13
	ADDQ   $64, R14
	JMP    rounds

done:
	MOVQ         k+16(FP), R15
	LEAQ         (DI)(R15*8), R15
	MOVQ         to+56(FP), R12
	SHLQ         $32, R12
	VPBROADCASTQ R12, Z9 // what a slot has at least that is not settled

settled:
	VMOVDQU64 (DI), Z8
	VPCMPUQ   $5, Z9, Z8, K1
	KORTESTB  K1, K1
	JNE       return
	ADDQ      $64, DI
	CMPQ      DI, R15
	JNE       settled

return:
	SETEQ settled+64(FP)
	VZEROUPPER
	RET

// func leastFewAVX512(slots, hashes *uint64, k, n int, xors, muls *uint64)
TEXT ·leastFewAVX512(SB), NOSPLIT, $0-48
	MOVQ       slots+0(FP), DI
	MOVQ       hashes+8(FP), SI
	MOVQ       n+24(FP), BX
	LEAQ       (SI)(BX*8), BX
	MOVQ       xors+32(FP), R13
	MOVQ       muls+40(FP), R14
	MOVQ       k+16(FP), R15
	LEAQ       (DI)(R15*8), R15
	SHARED(k+16(FP))
	MOVQ       k+16(FP), R12
	SHLQ       $32, R12
	VPBROADCASTQ R12, Z9 // what a slot has at least that is not settled

slots:
	CMPQ      DI, R15
	JCC       over
	VMOVDQU64 (DI), Z8
	VPCMPUQ   $5, Z9, Z8, K1
	KORTESTB  K1, K1
	JEQ       next
	ROUNDS8((R13), (R14))
	MOVQ      SI, AX

one:
	PRODUCTS((AX))
	VALUES
	VPMINUQ   Z0, Z8, Z8
	ADDQ      $8, AX
	CMPQ      AX, BX
	JNE       one
	VMOVDQU64 Z8, (DI)

next:
	VPADDQ Z7, Z14, Z14
	ADDQ   $64, DI
	ADDQ   $64, R13
	ADDQ   $64, R14
	JMP    slots

over:
	VZEROUPPER
	RET
