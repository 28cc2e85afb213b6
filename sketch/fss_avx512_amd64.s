//go:build !purego

#include "textflag.h"

// func settleAVX512(slots, hashes *uint64, k, n int, rounds *fssRound, from, to int) (settled bool)
// The frame has a bit for each slot that is not settled, and from 64 on the hashes that fall into
// such a one, the slot above the value: of 512 hashes at a time, and room for what is stored after
// them.
TEXT ·settleAVX512(SB), 0, $4224-57
	MOVQ         slots+0(FP), DI
	MOVQ         k+16(FP), R13
	MOVQ         n+24(FP), BX
	MOVQ         hashes+8(FP), SI
	LEAQ         -64(SI)(BX*8), BX
	MOVQ         from+40(FP), R15
	MOVQ         R15, R12
	SHLQ         $32, R12
	VPBROADCASTQ R12, Z7            // what a slot has at least that is not settled
	VPXORQ       Z0, Z0, Z0
	VMOVDQU64    Z0, 0(SP)
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
	INCQ        CX
	SUBQ        $8, R13
	JGT         bits

	MOVL         $0x5555, AX
	KMOVW        AX, K2             // the lower half of each word
	VPTERNLOGQ   $0xff, Z10, Z10, Z10
	VPSRLQ       $63, Z10, Z8       // 1
	VPSRLQ       $32, Z10, Z10
	VPBROADCASTQ k+16(FP), Z15
	LEAQ         64(SP), R9
	MOVQ         R15, R13
	SHLQ         $4, R13
	ADDQ         rounds+32(FP), R13

round:
	VMOVDQU64    0(SP), Z9
	VPTESTMQ     Z9, Z9, K1
	KORTESTB     K1, K1
	JEQ          all
	CMPQ         R15, to+48(FP)
	JEQ          over
	VPBROADCASTQ 0(R13), Z13
	VPBROADCASTQ 8(R13), Z12
	VPSRLQ       $32, Z12, Z11
	MOVQ         hashes+8(FP), SI
	MOVQ         R15, R12
	SHLQ         $32, R12

some:
	MOVL $64, CX
	XORL DX, DX                     // how many are kept

more:
	// THROW in fss_amd64.s has the same steps.
	VPXORQ      (SI), Z13, Z0
	VPSRLQ      $32, Z0, Z1
	VPMULUDQ    Z12, Z0, Z2
	VPMULUDQ    Z12, Z1, Z3
	VPMULUDQ    Z11, Z0, Z0
	VPMULUDQ    Z11, Z1, Z1
	VPSRLQ      $32, Z2, Z4
	VPADDQ      Z4, Z0, Z0
	VPANDQ      Z10, Z3, Z4
	VPADDQ      Z4, Z0, Z0
	VPSRLQ      $32, Z3, Z3
	VPADDQ      Z3, Z1, Z1
	VPSRLQ      $32, Z0, Z4
	VPADDQ      Z4, Z1, Z1
	VPSRLQ      $32, Z1, Z3
	VPXORQ      Z3, Z0, Z0
	VPMULUDQ    Z15, Z0, Z0
	VPXORD      Z1, Z2, K2, Z0      // the slot, and below it the value

	VPSRLQ        $38, Z0, Z3
	VPSRLQ        $32, Z0, Z1
	VPERMQ        Z9, Z3, Z3
	VPROLVQ       Z1, Z8, Z1
	VPTESTMQ      Z1, Z3, K1
	VPCOMPRESSQ.Z Z0, K1, Z1
	VMOVDQU64     Z1, (R9)(DX*8)
	KMOVB         K1, AX
	POPCNTL       AX, AX
	ADDQ          AX, DX
	CMPQ          SI, BX
	JEQ           last
	ADDQ          $64, SI
	CMPQ          SI, BX
	CMOVQCC       BX, SI
	DECL          CX
	JNZ           more
	JMP           anyKept

last:
	XORL SI, SI                     // the round has no more
	JMP  anyKept

kept:
	MOVL    -4(R9)(DX*8), AX
	MOVL    -8(R9)(DX*8), CX
	ORQ     R12, CX
	MOVQ    (DI)(AX*8), R11
	CMPQ    R11, CX
	CMOVQCS R11, CX
	MOVQ    CX, (DI)(AX*8)
	MOVL    AX, CX
	SHRL    $5, CX
	MOVL    (SP)(CX*4), R11         // Z9 has it until the round is over
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
