//go:build !purego

#include "textflag.h"
#include "hash_amd64.h"
#include "hash_avx512_amd64.h"

// As in hash_amd64.s.
TWICE(head0, 0xbe4ba423396cfeb8, 0x78e5c0cc4ee679cb)
TWICE(head8, 0x1cad21f72c81017c, 0x2172ffcc7dd05a82)
TWICE(tail0, 0x8e2443f7744608b8, 0xdb979083e96dd4de)
TWICE(tail8, 0x4c263a81e69035e0, 0x1f67b3b7a4a44072)
ALL(lengthPrime, 0x9e3779b185ebca87)
ALL(length17, 0x81af14c9e4a872f7)
ALL(fifteen, 0xf)
ALL(mostOver17, 0x2f0000002f)

// Where the sums of outer products of eight spans are in those of twice four, and where those of
// inner ones are.
LOWER_WORDS(outer, 0, 4, 1, 5)
UPPER_WORDS(outer, 8, 12, 9, 13)
LOWER_WORDS(inner, 2, 6, 3, 7)
UPPER_WORDS(inner, 10, 14, 11, 15)

// x = the folded products of 32 bytes each of four spans, at the offsets r0 to r3 from base, under
// two words of the secret.
#define FOLD4(base, r0, r1, r2, r3, secret0, secret8, x) \
	VMOVDQU      (base)(r0*1), Y0          \
	VMOVDQU      (base)(r2*1), Y1          \
	VINSERTI64X4 $1, (base)(r1*1), Z0, Z0  \
	VINSERTI64X4 $1, (base)(r3*1), Z1, Z1  \
	VPUNPCKLQDQ  Z1, Z0, x                 \
	VPUNPCKHQDQ  Z1, Z0, Z1                \
	VPXORQ       secret0, x, x             \
	VPXORQ       secret8, Z1, Z1           \
	MULFOLD8(x, Z1, Z0, Z2, Z3, Z4)

// sums = for spans 0, 2, 1 and 3 of four, from at on, the sums of their outer and inner products:
// the outer ones of two, their inner ones, and so on.
#define SUMS4(at, sums) \
	MOVL   at(SI)(R9*4), R11      \
	MOVL   (at+4)(SI)(R9*4), R12  \
	MOVL   (at+8)(SI)(R9*4), R13  \
	MOVL   (at+12)(SI)(R9*4), AX  \
	FOLD4(BX, R11, R12, R13, AX, Z24, Z25, sums) \
	MOVL   at(DI)(R9*4), R11      \
	MOVL   (at+4)(DI)(R9*4), R12  \
	MOVL   (at+8)(DI)(R9*4), R13  \
	MOVL   (at+12)(DI)(R9*4), AX  \
	FOLD4(DX, R11, R12, R13, AX, Z26, Z27, Z5) \
	VPERMQ $0x4e, Z5, Z5          \
	VPADDQ Z5, sums, sums

// func hashSpansAVX512(out *uint64, text *byte, starts, nexts *uint32, gap, n int) int
TEXT ·hashSpansAVX512(SB), NOSPLIT, $0-56
	ARGUMENTS($17, $32)
	VPBROADCASTD    X10, Y10
	VPBROADCASTQ    low32<>(SB), Z31
	VPBROADCASTQ    lengthPrime<>(SB), Z30
	VPBROADCASTQ    avalanchePrime<>(SB), Z29
	VPBROADCASTQ    length17<>(SB), Z28
	VBROADCASTI64X4 head0<>(SB), Z24
	VBROADCASTI64X4 head8<>(SB), Z25
	VBROADCASTI64X4 tail0<>(SB), Z26
	VBROADCASTI64X4 tail8<>(SB), Z27
	VMOVDQU64       outer<>(SB), Z23
	VMOVDQU64       inner<>(SB), Z22
	VPBROADCASTQ    fifteen<>(SB), Z21
	VMOVDQU         mostOver17<>(SB), Y11

loop:
	LEAQ      8(R9), R10
	CMPQ      R10, CX
	JA        done
	VMOVDQU   (DI)(R9*4), Y0
	VPSUBD    (SI)(R9*4), Y0, Y0
	VPSUBD    Y10, Y0, Y0
	VPMINUD   Y11, Y0, Y1
	VPCMPEQD  Y0, Y1, Y1
	VMOVMSKPS Y1, AX
	CMPL      AX, $255
	JNE       done
	VPMOVZXDQ Y0, Z20              // n-17

	SUMS4(0, Z6)
	SUMS4(16, Z7)
	VMOVDQA64 Z23, Z0
	VMOVDQA64 Z22, Z1
	VPERMI2Q  Z7, Z6, Z0           // outer
	VPERMI2Q  Z7, Z6, Z1           // inner
	VPCMPUQ   $6, Z21, Z20, K1
	VPADDQ    Z1, Z0, K1, Z0
	VPMULLQ   Z30, Z20, Z1
	VPADDQ    Z28, Z0, Z0
	VPADDQ    Z1, Z0, Z0
	AVALANCHE8(Z0, Z29, Z1)
	VMOVDQU64 Z0, (R8)(R9*8)
	MOVQ      R10, R9
	JMP       loop

done:
	MOVQ R9, ret+48(FP)
	VZEROUPPER
	RET
