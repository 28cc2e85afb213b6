//go:build !purego

#include "textflag.h"

// func addVectorAVX2(sum, vector *float32, n int)
TEXT ·addVectorAVX2(SB), NOSPLIT, $0-24
	MOVQ sum+0(FP), DI
	MOVQ vector+8(FP), SI
	MOVQ n+16(FP), CX
	XORL AX, AX

next:
	VMOVUPS (DI)(AX*4), Y0
	VADDPS  (SI)(AX*4), Y0, Y0
	VMOVUPS Y0, (DI)(AX*4)
	ADDQ    $8, AX
	CMPQ    AX, CX
	JB      next
	VZEROUPPER
	RET
