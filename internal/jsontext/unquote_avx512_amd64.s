//go:build !purego

#include "textflag.h"

// Broadcasts a byte to a register.
#define BROADCAST(byte, zmm) \
	MOVL         $byte, AX \
	VPBROADCASTB AX, zmm

// func copyUnescapedAVX512(to, from *byte, n int, unescaped *[256]byte) (written, read int, stopped
// bool)
//
// Each block of 64 bytes begins outside an escape: one that ends with the backslash of an escape is
// one byte shorter. Which backslashes begin an escape is found as in simdjson ("Parsing Gigabytes
// of JSON per Second", G. Langdale, D. Lemire, 2019), by a subtraction in which runs of them carry.
TEXT ·copyUnescapedAVX512(SB), NOSPLIT, $0-49
	MOVQ      to+0(FP), DI
	MOVQ      from+8(FP), SI
	MOVQ      n+16(FP), R8
	MOVQ      unescaped+24(FP), R9
	LEAQ      -64(SI)(R8*1), R8 // no block starts after this
	BROADCAST(0x5c, Z8)
	BROADCAST(0x22, Z9)
	BROADCAST(0x20, Z10)
	VMOVDQU64 (R9), Z11
	VMOVDQU64 64(R9), Z12       // bytes over 0x7f make no escape
	MOVQ      $0xaaaaaaaaaaaaaaaa, R9
	MOVL      $64, R13
	XORL      DX, DX

block:
	CMPQ      SI, R8
	JA        done
	VMOVDQU64 (SI), Z0
	VPCMPEQB  Z8, Z0, K1
	VPCMPEQB  Z9, Z0, K2
	VPCMPUB   $1, Z10, Z0, K3
	KORQ      K2, K3, K2
	KORTESTQ  K1, K2
	JNZ       special
	VMOVDQU64 Z0, (DI)
	ADDQ      $64, SI
	ADDQ      $64, DI
	JMP       block

special:
	KMOVQ      K1, AX           // backslashes
	KMOVQ      K2, BX           // quotes, controls
	LEAQ       (AX)(AX*1), CX
	ORQ        R9, CX
	SUBQ       AX, CX
	XORQ       R9, CX           // where escapes begin, and what is escaped, but for backslashes in both
	MOVQ       CX, R10
	XORQ       AX, R10          // what is escaped
	ANDQ       AX, CX           // where escapes begin
	VMOVDQA64  Z0, Z1
	VPERMI2B   Z12, Z11, Z1     // what each byte would stand for
	VPMOVB2M   Z0, K3
	VPTESTMB   Z1, Z1, K4
	KANDNQ     K4, K3, K4
	KMOVQ      K4, R11
	ANDNQ      R10, R11, R11    // escaped bytes that make no escape of two bytes
	SHRQ       $1, R11
	ANDNQ      BX, R10, BX      // specials that are not escaped
	ORQ        R11, BX          // where to stop
	MOVQ       R13, R12         // how far this block goes
	MOVQ       CX, R11
	SHRQ       $63, R11
	SUBQ       R11, R12
	TESTQ      BX, BX
	JZ         pack
	TZCNTQ     BX, R12
	MOVL       $1, DX

pack:
	KMOVQ      R10, K5
	VMOVDQU8   Z1, K5, Z0
	NOTQ       CX
	BZHIQ      R12, CX, CX      // what is kept
	KMOVQ      CX, K6
	VPCOMPRESSB Z0, K6, Z0
	VMOVDQU64  Z0, (DI)
	POPCNTQ    CX, CX
	ADDQ       CX, DI
	ADDQ       R12, SI
	TESTL      DX, DX
	JZ         block

done:
	SUBQ to+0(FP), DI
	SUBQ from+8(FP), SI
	MOVQ DI, written+32(FP)
	MOVQ SI, read+40(FP)
	MOVB DX, stopped+48(FP)
	VZEROUPPER
	RET
