//go:build !purego

#include "fssfew_avx512_amd64.h"
#include "lower_avx512_amd64.h"

// func scatterFewAVX512(slots, hashes *uint64, k, n int, xors, muls *uint64, from, to int) (settled
// bool)
//
// The frame has at most 256 hashes.
TEXT ·scatterFewAVX512(SB), 0, $4096-65
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
	MOVQ         n+24(FP), R8
	SHLQ         $3, R8
	NEGQ         R8
	ADDQ         $256, R8 // how many may be in the buffer for eight rounds more

some:
	CMPQ R13, R15
	JCC  done
	XORL CX, CX

rounds:
	ROUNDS8((R13), (R14))
	MOVQ SI, AX

hash:
	REHASH((AX), Z0)
	VPSRLQ    $32, Z0, Z1
	VPMULUDQ  Z15, Z1, Z1
	VALUES(Z0)
	VMOVDQU64 Z1, 0(SP)(CX*8)
	VMOVDQU64 Z0, 2048(SP)(CX*8)
	ADDQ      $8, CX
	ADDQ      $8, AX
	CMPQ      AX, BX
	JNE       hash
	VPADDQ    Z7, Z14, Z14
	ADDQ      $64, R13
	ADDQ      $64, R14
	CMPQ      R13, R15
	JCC       full
	CMPQ      CX, R8
	JLS       rounds

full:
	XORL DX, DX

lower:
	LOWER(0)
	LOWER(8)
	LOWER(16)
	LOWER(24)
	LOWER(32)
	LOWER(40)
	LOWER(48)
	LOWER(56)
	ADDQ $8, DX
	CMPQ DX, CX
	JNE  lower
	JMP  some

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
	REHASH((AX), Z0)
	VALUES(Z0)
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
