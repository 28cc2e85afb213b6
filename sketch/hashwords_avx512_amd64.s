//go:build !purego

#include "textflag.h"
#include "hash_amd64.h"
#include "hash_avx512_amd64.h"
#include "hashshort_amd64.h"
#include "hashwords_amd64.h"

ALL(shortPrime, 0x9fb21c651e98df25)
ALL(tiny1, 0xc2b2ae3d27d4eb4f)
ALL(tiny2, 0x165667b19e3779f9)

// Appends to two lists of length count those of 16 starts and ends whose bits in mask are set.
// Stores 16 of each.
#define LIST(mask, starts, ends, count) \
	VPCOMPRESSD.Z Z0, mask, Z3 \
	VPCOMPRESSD.Z Z1, mask, Z4 \
	VMOVDQU32     Z3, starts   \
	VMOVDQU32     Z4, ends     \
	KMOVW         mask, AX     \
	POPCNTL       AX, AX       \
	ADDQ          AX, count

// Z0 = the lengths of the next eight spans, Z1 = their first eight bytes.
#define HEADS(starts, ends) \
	VMOVDQU      ends(SP)(R9*4), Y0        \
	VPSUBD       starts(SP)(R9*4), Y0, Y0  \
	VPMOVZXDQ    Y0, Z0                    \
	FOUR(BX, starts, Y1, X1, X3)           \
	FOUR(BX, starts+16, Y2, X2, X3)        \
	VINSERTI64X4 $1, Y2, Z1, Z1

// func hashWordsAVX512(out *uint64, text *byte, starts, nexts *uint32, gap, n int, others
// *spanList) (hashed, left int) The frame has the starts and the ends of the spans of 1 to 3 bytes,
// from 2176 on of those of 4 to 8, and from 4352 on of 9 to 16: of 256 spans, and room for what is
// stored after them.
TEXT ·hashWordsAVX512(SB), 0, $6528-72
	MOVQ         starts+16(FP), SI
	MOVQ         nexts+24(FP), DI
	MOVQ         n+40(FP), CX
	VPBROADCASTD gap+32(FP), Z10
	VPTERNLOGD   $0xff, Z11, Z11, Z11
	VPSRLD       $31, Z11, Z14
	VPSLLD       $4, Z14, Z14       // 16
	VPSRLD       $1, Z14, Z13       // 8
	VPSRLD       $30, Z11, Z12      // 3
	XORL         R9, R9
	XORL         R10, R10           // how many of 1 to 3
	XORL         R11, R11           // of 4 to 8
	XORL         R12, R12           // of 9 to 16
	XORL         R13, R13           // of others
	MOVQ         others+48(FP), DX
	MOVL         $0xffff, BX
	KMOVW        BX, K7

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
	VMOVDQU32.Z (SI)(R9*4), K7, Z0
	VMOVDQU32.Z (DI)(R9*4), K7, Z1
	VPSUBD      Z10, Z1, Z1
	VPSUBD      Z0, Z1, Z2
	VPADDD      Z11, Z2, Z2         // what is 0 becomes very much
	VPCMPUD     $1, Z12, Z2, K7, K1
	VPCMPUD     $1, Z13, Z2, K7, K2
	VPCMPUD     $1, Z14, Z2, K7, K3
	KANDNW      K7, K3, K4
	KANDNW      K3, K2, K3
	KANDNW      K2, K1, K2
	LIST(K1, 0(SP)(R10*4), 1088(SP)(R10*4), R10)
	LIST(K2, 2176(SP)(R11*4), 3264(SP)(R11*4), R11)
	LIST(K3, 4352(SP)(R12*4), 5440(SP)(R12*4), R12)
	LIST(K4, 0(DX)(R13*4), 1088(DX)(R13*4), R13)
	ADDQ        $16, R9
	CMPQ        R9, CX
	JLT         sixteen

	MOVQ            R13, left+64(FP)
	MOVQ            R10, CX
	MOVQ            R11, SI
	MOVQ            R12, DI
	LEAQ            (R10)(R11*1), AX
	ADDQ            R12, AX
	MOVQ            AX, hashed+56(FP)
	MOVQ            out+0(FP), R8
	MOVQ            text+8(FP), BX
	VBROADCASTI64X4 tinyBytes<>(SB), Z15
	VBROADCASTI64X4 tiny<>(SB), Z14
	VBROADCASTI64X4 further<>(SB), Z13
	VPBROADCASTQ    tiny1<>(SB), Z12
	VPBROADCASTQ    tiny2<>(SB), Z11
	CLASS($8, noTiny)

oneTo3:
	HEADS(0, 1088)
	VPERMD  Z15, Z0, Z2
	VPORQ   Z13, Z2, Z2
	VPSHUFB Z2, Z1, Z1
	VPERMD  Z14, Z0, Z0
	VPXORQ  Z0, Z1, Z1
	VPMULLQ Z12, Z1, Z1
	XORSHIFT8($29, Z1, Z2)
	VPMULLQ Z11, Z1, Z1
	XORSHIFT8($32, Z1, Z2)
	STORE(VMOVDQU64, $8, Z1, oneTo3, noTiny)

noTiny:
	LEAQ         (R8)(CX*8), R8
	MOVQ         SI, CX
	MOVL         $0xaaaa, AX
	KMOVW        AX, K2             // the upper half of each word
	VPBROADCASTQ fours<>(SB), Z13
	VPBROADCASTQ short<>(SB), Z12
	VPBROADCASTQ shortPrime<>(SB), Z11
	CLASS($8, noShort)

fourTo8:
	HEADS(2176, 3264)
	VPSUBQ     Z13, Z0, Z2
	VPSLLQ     $3, Z2, Z2
	VPSRLVQ    Z2, Z1, Z2
	VPSLLQ     $32, Z1, Z1
	VMOVDQA32  Z1, K2, Z2
	VPXORQ     Z12, Z2, Z2
	VPROLQ     $49, Z2, Z1
	VPROLQ     $24, Z2, Z3
	VPTERNLOGQ $0x96, Z3, Z1, Z2
	VPMULLQ    Z11, Z2, Z2
	VPSRLQ     $35, Z2, Z1
	VPADDQ     Z0, Z1, Z1
	VPXORQ     Z1, Z2, Z2
	VPMULLQ    Z11, Z2, Z2
	XORSHIFT8($28, Z2, Z1)
	STORE(VMOVDQU64, $8, Z2, fourTo8, noShort)

noShort:
	LEAQ            (R8)(CX*8), R8
	MOVQ            DI, CX
	LEAQ            -8(BX), R10
	VPBROADCASTQ    low32<>(SB), Z31
	VPBROADCASTQ    avalanchePrime<>(SB), Z15
	VPBROADCASTQ    middleHead<>(SB), Z14
	VPBROADCASTQ    middleTail<>(SB), Z13
	VBROADCASTI64X4 turned<>(SB), Z12

	// What is after a list shorter than eight may be shorter than eight bytes, whose last eight
	// would begin before the text.
	VPBROADCASTD 4352(SP), Y0
	VPBROADCASTD 5440(SP), Y1
	VMOVDQU      Y0, 4352(SP)(CX*4)
	VMOVDQU      Y1, 5440(SP)(CX*4)
	CLASS($8, noMiddle)

nineTo16:
	HEADS(4352, 5440)
	FOUR(R10, 5440, Y2, X2, X4)
	FOUR(R10, 5440+16, Y3, X3, X4)
	VINSERTI64X4 $1, Y3, Z2, Z2     // the last eight bytes
	VPXORQ       Z14, Z1, Z1
	VPXORQ       Z13, Z2, Z2
	VPSHUFB      Z12, Z1, Z3
	VPADDQ       Z2, Z0, Z0
	VPADDQ       Z3, Z0, Z0
	MULFOLD8(Z1, Z2, Z3, Z4, Z5, Z6)
	VPADDQ       Z1, Z0, Z0
	AVALANCHE8(Z0, Z15, Z1)
	STORE(VMOVDQU64, $8, Z0, nineTo16, noMiddle)

noMiddle:
	VZEROUPPER
	RET
