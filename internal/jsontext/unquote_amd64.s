//go:build !purego

#include "textflag.h"

// Broadcasts a byte to a register.
#define BROADCAST(byte, xmm, ymm) \
	MOVQ         $byte, AX \
	VMOVQ        AX, xmm   \
	VPBROADCASTB xmm, ymm

// Sets the bits of the special bytes among the 32 at off.
#define SPECIAL(off, mask) \
	VMOVDQU   off(SI), Y0 \
	VPMINUB   Y0, Y10, Y1 \
	VPCMPEQB  Y0, Y1, Y1  \
	VPCMPEQB  Y0, Y8, Y2  \
	VPCMPEQB  Y0, Y9, Y3  \
	VPOR      Y2, Y1, Y1  \
	VPOR      Y3, Y1, Y1  \
	VPMOVMSKB Y1, mask

// Broadcasts what SPECIAL compares with: quotes, a backslash, the last control character.
#define SPECIALS \
	BROADCAST(0x22, X8, Y8) \
	BROADCAST(0x5c, X9, Y9) \
	BROADCAST(0x1f, X10, Y10)

// Copies the 64 bytes from CX of the block to DI: what of them is too many is written over.
#define COPY \
	VMOVDQU (SI)(CX*1), Y0   \
	VMOVDQU 32(SI)(CX*1), Y1 \
	VMOVDQU Y0, (DI)         \
	VMOVDQU Y1, 32(DI)

// func copyUnescapedAVX2(to, from *byte, n int, unescaped *[256]byte) (written, read int, stopped
// bool)
TEXT ·copyUnescapedAVX2(SB), NOSPLIT, $0-49
	MOVQ to+0(FP), DI
	MOVQ from+8(FP), SI
	MOVQ n+16(FP), R8
	MOVQ unescaped+24(FP), R9
	LEAQ -130(SI)(R8*1), R8   // no block may start after this: 130 bytes from there on may be read
	SPECIALS
	XORL CX, CX               // where in the block that begins which has not been copied
	XORL DX, DX

block:
	CMPQ  SI, R8
	JA    done
	SPECIAL(0, AX)
	SPECIAL(32, BX)
	SHLQ  $32, BX
	ORQ   BX, AX
	SHRQ  CX, AX
	SHLQ  CX, AX
	TESTQ AX, AX
	JZ    rest

escape:
	BSFQ    AX, BX
	COPY
	ADDQ    BX, DI
	SUBQ    CX, DI
	MOVQ    BX, CX
	CMPB    (SI)(BX*1), $0x5c
	JNE     stop
	MOVBLZX 1(SI)(BX*1), R10
	MOVBLZX (R9)(R10*1), R10
	TESTL   R10, R10
	JZ      stop
	MOVB    R10, (DI)
	INCQ    DI
	ADDQ    $2, CX
	BTRQ    BX, AX
	INCQ    BX                // 64 is 0 here, which is clear by now
	BTRQ    BX, AX
	TESTQ   AX, AX
	JNZ     escape

rest:
	COPY
	ADDQ $64, SI
	SUBQ $64, CX
	JGE  block
	SUBQ CX, DI
	XORL CX, CX
	JMP  block

stop:
	MOVL $1, DX

done:
	ADDQ CX, SI
	SUBQ to+0(FP), DI
	SUBQ from+8(FP), SI
	MOVQ DI, written+32(FP)
	MOVQ SI, read+40(FP)
	MOVB DX, stopped+48(FP)
	VZEROUPPER
	RET

// func plainBytesAVX2(from *byte, n int) int
TEXT ·plainBytesAVX2(SB), NOSPLIT, $0-24
	MOVQ from+0(FP), SI
	MOVQ n+8(FP), R8
	SPECIALS
	XORL CX, CX

plain:
	ADDQ  $64, CX
	CMPQ  CX, R8
	JGT   over
	SPECIAL(0, AX)
	SPECIAL(32, BX)
	ADDQ  $64, SI
	SHLQ  $32, BX
	ORQ   BX, AX
	JZ    plain
	BSFQ  AX, AX
	ADDQ  AX, CX

over:
	SUBQ $64, CX
	MOVQ CX, ret+16(FP)
	VZEROUPPER
	RET
