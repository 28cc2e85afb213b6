//go:build !purego

#include "textflag.h"

// func dotsAVX2(out *int32, wide *int16, rows *int8, bytes, n int)
TEXT ·dotsAVX2(SB), NOSPLIT, $0-40
	MOVQ out+0(FP), DI
	MOVQ wide+8(FP), SI
	MOVQ rows+16(FP), DX
	MOVQ bytes+24(FP), R8
	MOVQ n+32(FP), CX

row:
	VPXOR Y4, Y4, Y4
	VPXOR Y5, Y5, Y5
	XORL  AX, AX

next:
	VPMOVSXBW (DX)(AX*1), Y0
	VPMOVSXBW 16(DX)(AX*1), Y1
	VPMADDWD  (SI)(AX*2), Y0, Y0
	VPMADDWD  32(SI)(AX*2), Y1, Y1
	VPADDD    Y0, Y4, Y4
	VPADDD    Y1, Y5, Y5
	ADDQ      $32, AX
	CMPQ      AX, R8
	JB        next

	VPADDD       Y5, Y4, Y4
	VEXTRACTI128 $1, Y4, X5
	VPADDD       X5, X4, X4
	VPSHUFD      $0x4e, X4, X5
	VPADDD       X5, X4, X4
	VPSHUFD      $0xb1, X4, X5
	VPADDD       X5, X4, X4
	VMOVD        X4, (DI)

	ADDQ R8, DX
	ADDQ $4, DI
	DECQ CX
	JNZ  row
	VZEROUPPER
	RET
