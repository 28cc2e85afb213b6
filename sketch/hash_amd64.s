//go:build !purego

#include "textflag.h"

// What the words of a head and of a tail are xored with: a word of two spans, and the one 16 bytes on.
DATA head0<>+0(SB)/8, $0xbe4ba423396cfeb8
DATA head0<>+8(SB)/8, $0xbe4ba423396cfeb8
DATA head0<>+16(SB)/8, $0x78e5c0cc4ee679cb
DATA head0<>+24(SB)/8, $0x78e5c0cc4ee679cb
GLOBL head0<>(SB), RODATA|NOPTR, $32
DATA head8<>+0(SB)/8, $0x1cad21f72c81017c
DATA head8<>+8(SB)/8, $0x1cad21f72c81017c
DATA head8<>+16(SB)/8, $0x2172ffcc7dd05a82
DATA head8<>+24(SB)/8, $0x2172ffcc7dd05a82
GLOBL head8<>(SB), RODATA|NOPTR, $32
DATA tail0<>+0(SB)/8, $0x8e2443f7744608b8
DATA tail0<>+8(SB)/8, $0x8e2443f7744608b8
DATA tail0<>+16(SB)/8, $0xdb979083e96dd4de
DATA tail0<>+24(SB)/8, $0xdb979083e96dd4de
GLOBL tail0<>(SB), RODATA|NOPTR, $32
DATA tail8<>+0(SB)/8, $0x4c263a81e69035e0
DATA tail8<>+8(SB)/8, $0x4c263a81e69035e0
DATA tail8<>+16(SB)/8, $0x1f67b3b7a4a44072
DATA tail8<>+24(SB)/8, $0x1f67b3b7a4a44072
GLOBL tail8<>(SB), RODATA|NOPTR, $32

// Halves of the multipliers, and what the 17 that are missing in a length give.
DATA lengthLow<>+0(SB)/8, $0x85ebca87
DATA lengthLow<>+8(SB)/8, $0x85ebca87
DATA lengthLow<>+16(SB)/8, $0x85ebca87
DATA lengthLow<>+24(SB)/8, $0x85ebca87
GLOBL lengthLow<>(SB), RODATA|NOPTR, $32
DATA lengthHigh<>+0(SB)/8, $0x9e3779b1
DATA lengthHigh<>+8(SB)/8, $0x9e3779b1
DATA lengthHigh<>+16(SB)/8, $0x9e3779b1
DATA lengthHigh<>+24(SB)/8, $0x9e3779b1
GLOBL lengthHigh<>(SB), RODATA|NOPTR, $32
DATA length17<>+0(SB)/8, $0x81af14c9e4a872f7
DATA length17<>+8(SB)/8, $0x81af14c9e4a872f7
DATA length17<>+16(SB)/8, $0x81af14c9e4a872f7
DATA length17<>+24(SB)/8, $0x81af14c9e4a872f7
GLOBL length17<>(SB), RODATA|NOPTR, $32
DATA avalancheLow<>+0(SB)/8, $0x9e3779f9
DATA avalancheLow<>+8(SB)/8, $0x9e3779f9
DATA avalancheLow<>+16(SB)/8, $0x9e3779f9
DATA avalancheLow<>+24(SB)/8, $0x9e3779f9
GLOBL avalancheLow<>(SB), RODATA|NOPTR, $32
DATA avalancheHigh<>+0(SB)/8, $0x16566791
DATA avalancheHigh<>+8(SB)/8, $0x16566791
DATA avalancheHigh<>+16(SB)/8, $0x16566791
DATA avalancheHigh<>+24(SB)/8, $0x16566791
GLOBL avalancheHigh<>(SB), RODATA|NOPTR, $32

DATA low32<>+0(SB)/8, $0xffffffff
DATA low32<>+8(SB)/8, $0xffffffff
DATA low32<>+16(SB)/8, $0xffffffff
DATA low32<>+24(SB)/8, $0xffffffff
GLOBL low32<>(SB), RODATA|NOPTR, $32
DATA fifteen<>+0(SB)/8, $0xf
DATA fifteen<>+8(SB)/8, $0xf
DATA fifteen<>+16(SB)/8, $0xf
DATA fifteen<>+24(SB)/8, $0xf
GLOBL fifteen<>(SB), RODATA|NOPTR, $32
DATA mostOver17<>+0(SB)/4, $0x2f
DATA mostOver17<>+4(SB)/4, $0x2f
DATA mostOver17<>+8(SB)/4, $0x2f
DATA mostOver17<>+12(SB)/4, $0x2f
GLOBL mostOver17<>(SB), RODATA|NOPTR, $16

// For spans of 4 to 8 bytes: what their words are xored with, the halves of the multiplier, and the bounds.
DATA short<>+0(SB)/8, $0xc73ab174c5ecd5a2
DATA short<>+8(SB)/8, $0xc73ab174c5ecd5a2
DATA short<>+16(SB)/8, $0xc73ab174c5ecd5a2
DATA short<>+24(SB)/8, $0xc73ab174c5ecd5a2
GLOBL short<>(SB), RODATA|NOPTR, $32
DATA shortLow<>+0(SB)/8, $0x1e98df25
DATA shortLow<>+8(SB)/8, $0x1e98df25
DATA shortLow<>+16(SB)/8, $0x1e98df25
DATA shortLow<>+24(SB)/8, $0x1e98df25
GLOBL shortLow<>(SB), RODATA|NOPTR, $32
DATA shortHigh<>+0(SB)/8, $0x9fb21c65
DATA shortHigh<>+8(SB)/8, $0x9fb21c65
DATA shortHigh<>+16(SB)/8, $0x9fb21c65
DATA shortHigh<>+24(SB)/8, $0x9fb21c65
GLOBL shortHigh<>(SB), RODATA|NOPTR, $32
DATA four<>+0(SB)/4, $4
DATA four<>+4(SB)/4, $4
DATA four<>+8(SB)/4, $4
DATA four<>+12(SB)/4, $4
GLOBL four<>(SB), RODATA|NOPTR, $16

// out = the exclusive or of the halves of the 128-bit products of the words of x and y. Y11 has low32; x, xh, yh and hl are scratch.
#define MULFOLD(x, y, xh, yh, hl, out) \
	VPMULUDQ y, x, out           \
	VPSRLQ   $32, x, xh          \
	VPSRLQ   $32, y, yh          \
	VPMULUDQ y, xh, hl           \
	VPMULUDQ yh, x, x            \
	VPMULUDQ yh, xh, xh          \
	VPSRLQ   $32, out, yh        \
	VPADDQ   yh, x, x            \
	VPAND    Y11, hl, yh         \
	VPADDQ   yh, x, x            \
	VPSRLQ   $32, hl, hl         \
	VPADDQ   hl, xh, xh          \
	VPSRLQ   $32, x, yh          \
	VPADDQ   yh, xh, xh          \
	VPSLLQ   $32, x, x           \
	VPBLENDD $0xaa, x, out, out  \
	VPXOR    xh, out, out

// sums = for two spans the sums of their outer products, then those of their inner ones.
#define PAIR(start0, start1, next0, next1, sums) \
	VMOVDQU     (BX)(start0*1), Y0       \
	VMOVDQU     (BX)(start1*1), Y1       \
	VPUNPCKLQDQ Y1, Y0, Y2               \
	VPUNPCKHQDQ Y1, Y0, Y3               \
	VPXOR       Y12, Y2, Y2              \
	VPXOR       Y13, Y3, Y3              \
	MULFOLD(Y2, Y3, Y4, Y5, Y6, Y7)      \
	VMOVDQU     (DX)(next0*1), Y0        \
	VMOVDQU     (DX)(next1*1), Y1        \
	VPUNPCKLQDQ Y1, Y0, Y2               \
	VPUNPCKHQDQ Y1, Y0, Y3               \
	VPXOR       Y14, Y2, Y2              \
	VPXOR       Y15, Y3, Y3              \
	MULFOLD(Y2, Y3, Y4, Y5, Y6, Y0)      \
	VPERMQ      $0x4e, Y0, Y0            \
	VPADDQ      Y0, Y7, sums

// func hashSpansAVX2(out *uint64, text *byte, starts, nexts *uint32, gap, n int) int
TEXT ·hashSpansAVX2(SB), NOSPLIT, $0-56
	MOVQ    out+0(FP), R8
	MOVQ    text+8(FP), BX
	MOVQ    starts+16(FP), SI
	MOVQ    nexts+24(FP), DI
	MOVQ    gap+32(FP), AX
	MOVQ    n+40(FP), CX
	MOVQ    BX, DX
	SUBQ    AX, DX
	SUBQ    $32, DX                  // DX+next is where the tail is
	ADDQ    $17, AX
	MOVQ    AX, X10
	VPBROADCASTD X10, X10            // next-start less this is n-17
	VMOVDQU low32<>(SB), Y11
	VMOVDQU head0<>(SB), Y12
	VMOVDQU head8<>(SB), Y13
	VMOVDQU tail0<>(SB), Y14
	VMOVDQU tail8<>(SB), Y15
	XORQ    R9, R9                   // how many are done

loop:
	LEAQ      4(R9), R10
	CMPQ      R10, CX
	JA        done
	VMOVDQU   (DI)(R9*4), X0
	VPSUBD    (SI)(R9*4), X0, X0
	VPSUBD    X10, X0, X0
	VPMINUD   mostOver17<>(SB), X0, X1
	VPCMPEQD  X0, X1, X1
	VMOVMSKPS X1, AX
	CMPL      AX, $15
	JNE       done

	MOVL (SI)(R9*4), R11
	MOVL 4(SI)(R9*4), R12
	MOVL (DI)(R9*4), R13
	MOVL 4(DI)(R9*4), AX
	PAIR(R11, R12, R13, AX, Y8)
	MOVL 8(SI)(R9*4), R11
	MOVL 12(SI)(R9*4), R12
	MOVL 8(DI)(R9*4), R13
	MOVL 12(DI)(R9*4), AX
	PAIR(R11, R12, R13, AX, Y9)
	VPERM2I128 $0x20, Y9, Y8, Y0    // outer
	VPERM2I128 $0x31, Y9, Y8, Y1    // inner

	VMOVDQU   (DI)(R9*4), X2
	VPSUBD    (SI)(R9*4), X2, X2
	VPSUBD    X10, X2, X2
	VPMOVZXDQ X2, Y2                 // n-17
	VPCMPGTQ  fifteen<>(SB), Y2, Y3
	VPAND     Y3, Y1, Y1
	VPADDQ    Y1, Y0, Y0
	VPMULUDQ  lengthLow<>(SB), Y2, Y3
	VPMULUDQ  lengthHigh<>(SB), Y2, Y4
	VPSLLQ    $32, Y4, Y4
	VPADDQ    length17<>(SB), Y0, Y0
	VPADDQ    Y3, Y0, Y0
	VPADDQ    Y4, Y0, Y0

	VPSRLQ   $37, Y0, Y1
	VPXOR    Y1, Y0, Y0
	VPSRLQ   $32, Y0, Y3
	VPMULUDQ avalancheLow<>(SB), Y0, Y1
	VPMULUDQ avalancheHigh<>(SB), Y0, Y2
	VPMULUDQ avalancheLow<>(SB), Y3, Y3
	VPADDQ   Y3, Y2, Y2
	VPSLLQ   $32, Y2, Y2
	VPADDQ   Y2, Y1, Y1
	VPSRLQ   $32, Y1, Y0
	VPXOR    Y1, Y0, Y0
	VMOVDQU  Y0, (R8)(R9*8)
	MOVQ     R10, R9
	JMP      loop

done:
	MOVQ R9, ret+48(FP)
	VZEROUPPER
	RET

// x *= the multiplier, whose halves Y14 and Y15 have. a and b are scratch.
#define MULSHORT(x, a, b) \
	VPSRLQ   $32, x, a \
	VPMULUDQ Y14, a, a \
	VPMULUDQ Y15, x, b \
	VPMULUDQ Y14, x, x \
	VPADDQ   b, a, a   \
	VPSLLQ   $32, a, a \
	VPADDQ   a, x, x

// func hashShortAVX2(out *uint64, text *byte, starts, nexts *uint32, gap, n int) int
TEXT ·hashShortAVX2(SB), NOSPLIT, $0-56
	MOVQ    out+0(FP), R8
	MOVQ    text+8(FP), BX
	MOVQ    starts+16(FP), SI
	MOVQ    nexts+24(FP), DI
	MOVQ    gap+32(FP), AX
	MOVQ    n+40(FP), CX
	ADDQ    $4, AX
	MOVQ    AX, X10
	VPBROADCASTD X10, X10            // next-start less this is n-4
	VMOVDQU four<>(SB), X11
	VPMOVZXDQ X11, Y12
	VMOVDQU short<>(SB), Y13
	VMOVDQU shortLow<>(SB), Y14
	VMOVDQU shortHigh<>(SB), Y15
	XORQ    R9, R9                   // how many are done

loop:
	LEAQ      4(R9), R10
	CMPQ      R10, CX
	JA        done
	VMOVDQU   (DI)(R9*4), X0
	VPSUBD    (SI)(R9*4), X0, X0
	VPSUBD    X10, X0, X0            // n-4
	VPMINUD   X11, X0, X1
	VPCMPEQD  X0, X1, X1
	VMOVMSKPS X1, AX
	CMPL      AX, $15
	JNE       done

	MOVL    (SI)(R9*4), R11
	MOVL    4(SI)(R9*4), R12
	MOVL    8(SI)(R9*4), R13
	MOVL    12(SI)(R9*4), AX
	VMOVQ   (BX)(R11*1), X1
	VMOVHPS (BX)(R12*1), X1, X1
	VMOVQ   (BX)(R13*1), X2
	VMOVHPS (BX)(AX*1), X2, X2
	VINSERTI128 $1, X2, Y1, Y1

	VPMOVZXDQ X0, Y0
	VPSLLQ   $3, Y0, Y2
	VPSRLVQ  Y2, Y1, Y2              // the last four bytes, below the first four
	VPSLLQ   $32, Y1, Y1
	VPBLENDD $0xaa, Y1, Y2, Y1
	VPXOR    Y13, Y1, Y1
	VPSLLQ   $49, Y1, Y2
	VPSRLQ   $15, Y1, Y3
	VPSLLQ   $24, Y1, Y4
	VPSRLQ   $40, Y1, Y5
	VPXOR    Y2, Y3, Y2
	VPXOR    Y4, Y5, Y4
	VPXOR    Y2, Y1, Y1
	VPXOR    Y4, Y1, Y1
	MULSHORT(Y1, Y2, Y3)
	VPSRLQ   $35, Y1, Y2
	VPADDQ   Y0, Y2, Y2
	VPADDQ   Y12, Y2, Y2
	VPXOR    Y2, Y1, Y1
	MULSHORT(Y1, Y2, Y3)
	VPSRLQ   $28, Y1, Y2
	VPXOR    Y2, Y1, Y1
	VMOVDQU  Y1, (R8)(R9*8)
	MOVQ     R10, R9
	JMP      loop

done:
	MOVQ R9, ret+48(FP)
	VZEROUPPER
	RET
