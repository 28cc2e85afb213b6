//go:build !purego

#include "fssfew_avx512_amd64.h"

// h = what the hash at off is hashed to anew in eight rounds, with the lower half above the upper
// one, since the smallest lower half counts.
#define TURNED(off, h) \
	REHASH(off(SI), h) \
	VPROLQ $32, h, h

// Puts the smaller one of each pair of words into x, the other one into y.
#define ORDER(x, y) \
	VPMINUQ   y, x, Z0 \
	VPMAXUQ   y, x, y  \
	VMOVDQA64 Z0, x

// Stores slots, in upper halves, and values for THROW.
#define STORE(h, number) \
	VPMULUDQ  Z15, h, Z0              \
	VPSRLQ    $32, h, h               \
	VPORQ     Z14, h, h               \
	VMOVDQU64 Z0, (64*number)(CX)     \
	VMOVDQU64 h, (2048+64*number)(CX)

// Throws a value into its slot, whatever is there.
#define THROW(number) \
	MOVL (64*number+4)(DX)(R8*8), R9     \
	MOVQ (64*number+2048)(DX)(R8*8), R10 \
	MOVQ R10, (DI)(R9*8)

// Goes back to the eight rounds before those at hand, unless there are none, or the buffer has no
// room for n hashes more. Then all that is in the buffer is thrown by what stands before AGAIN: for
// one round after the other, the last of eight first.
#define EARLIER(n, rounds, full, eight, round) \
	VPSUBQ Z7, Z14, Z14          \
	SUBQ   $64, R13              \
	SUBQ   $64, R14              \
	ADDQ   $(64*n), CX           \
	CMPQ   R13, R15              \
	JCS    full                  \
	LEAQ   (2048-64*n)(SP), AX   \
	CMPQ   CX, AX                \
	JLS    rounds                \
full:                            \
	LEAQ   0(SP), DX             \
eight:                           \
	MOVQ   $7, R8                \
round:

#define AGAIN(n, rounds, eight, round) \
	DECQ   R8           \
	JPL    round        \
	ADDQ   $(64*n), DX  \
	CMPQ   DX, CX       \
	JNE    eight        \
	LEAQ   0(SP), CX    \
	CMPQ   R13, R15     \
	JCC    rounds       \
	VZEROUPPER          \
	RET

// func scatterFirstAVX512(slots, hashes *uint64, k, n int, xors, muls *uint64, rounds int)
//
// A slot keeps what falls into it last. So the last round comes first, and in each round the
// largest value falls first: no slot has to be read. The frame has the slots and, from 2048 on, the
// values of 256 hashes at most.
TEXT ·scatterFirstAVX512(SB), 0, $4096-56
	MOVQ         slots+0(FP), DI
	MOVQ         hashes+8(FP), SI
	MOVQ         n+24(FP), BX
	MOVQ         xors+32(FP), R15
	MOVQ         muls+40(FP), R14
	MOVQ         rounds+48(FP), AX
	SUBQ         $8, AX
	LEAQ         (R15)(AX*8), R13
	LEAQ         (R14)(AX*8), R14
	VPBROADCASTQ k+16(FP), Z15
	SHARED(AX)
	LEAQ         0(SP), CX
	CMPQ         BX, $2
	JEQ          rounds2
	JHI          more

rounds1:
	ROUNDS8((R13), (R14))
	TURNED(0, Z16)
	STORE(Z16, 0)
	EARLIER(1, rounds1, full1, eight1, round1)
	THROW(0)
	AGAIN(1, rounds1, eight1, round1)

rounds2:
	ROUNDS8((R13), (R14))
	TURNED(0, Z16)
	TURNED(8, Z17)
	ORDER(Z16, Z17)
	STORE(Z16, 0)
	STORE(Z17, 1)
	EARLIER(2, rounds2, full2, eight2, round2)
	THROW(1)
	THROW(0)
	AGAIN(2, rounds2, eight2, round2)

more:
	CMPQ BX, $4
	JEQ  rounds4

rounds3:
	ROUNDS8((R13), (R14))
	TURNED(0, Z16)
	TURNED(8, Z17)
	TURNED(16, Z18)
	ORDER(Z16, Z18)
	ORDER(Z16, Z17)
	ORDER(Z17, Z18)
	STORE(Z16, 0)
	STORE(Z17, 1)
	STORE(Z18, 2)
	EARLIER(3, rounds3, full3, eight3, round3)
	THROW(2)
	THROW(1)
	THROW(0)
	AGAIN(3, rounds3, eight3, round3)

rounds4:
	ROUNDS8((R13), (R14))
	TURNED(0, Z16)
	TURNED(8, Z17)
	TURNED(16, Z18)
	TURNED(24, Z19)
	ORDER(Z16, Z18)
	ORDER(Z17, Z19)
	ORDER(Z16, Z17)
	ORDER(Z18, Z19)
	ORDER(Z17, Z18)
	STORE(Z16, 0)
	STORE(Z17, 1)
	STORE(Z18, 2)
	STORE(Z19, 3)
	EARLIER(4, rounds4, full4, eight4, round4)
	THROW(3)
	THROW(2)
	THROW(1)
	THROW(0)
	AGAIN(4, rounds4, eight4, round4)
