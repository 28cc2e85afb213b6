// What the files that hash shingles share.

#include "constants_amd64.h"

// The lower half of a word, and the halves of the multipliers of the length and of the avalanche.
ALL(low32, 0xffffffff)
ALL(lengthLow, 0x85ebca87)
ALL(lengthHigh, 0x9e3779b1)
ALL(avalancheLow, 0x9e3779f9)
ALL(avalancheHigh, 0x16566791)

// out = the exclusive or of the halves of the 128-bit products of the words of x and y. Y11 has
// low32; x, xh, yh and hl are scratch.
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

// x *= the multiplier whose halves are low and high. a and b are scratch.
#define MUL(x, low, high, a, b) \
	VPSRLQ   $32, x, a        \
	VPMULUDQ low<>(SB), a, a  \
	VPMULUDQ high<>(SB), x, b \
	VPMULUDQ low<>(SB), x, x  \
	VPADDQ   b, a, a          \
	VPSLLQ   $32, a, a        \
	VPADDQ   a, x, x

// x ^= x >> n. a is scratch.
#define XORSHIFT(n, x, a) \
	VPSRLQ n, x, a \
	VPXOR  a, x, x

// x = avalanche(x). a and b are scratch.
#define AVALANCHE(x, a, b) \
	XORSHIFT($37, x, a)                       \
	MUL(x, avalancheLow, avalancheHigh, a, b) \
	XORSHIFT($32, x, a)

// The frame of a function of four spans at a time: hash(out *uint64, text *byte, starts, nexts
// *uint32, gap, n int) int. ARGUMENTS loads them, LENGTHS leaves the lengths of the next four
// spans, less least, in X0 and goes to done if one is not from 0 to most, and NEXT stores their
// hashes. DX plus the span's place in nexts is where its last bytes begin; last says how many they
// are. R9 counts the spans that are done.
#define ARGUMENTS(least, last) \
	MOVQ         out+0(FP), R8     \
	MOVQ         text+8(FP), BX    \
	MOVQ         starts+16(FP), SI \
	MOVQ         nexts+24(FP), DI  \
	MOVQ         gap+32(FP), AX    \
	MOVQ         n+40(FP), CX      \
	MOVQ         BX, DX            \
	SUBQ         AX, DX            \
	SUBQ         last, DX          \
	ADDQ         least, AX         \
	VMOVQ        AX, X10           \
	VPBROADCASTD X10, X10          \
	XORQ         R9, R9
#define LENGTHS(most) \
	LEAQ      4(R9), R10          \
	CMPQ      R10, CX             \
	JA        done                \
	VMOVDQU   (DI)(R9*4), X0      \
	VPSUBD    (SI)(R9*4), X0, X0  \
	VPSUBD    X10, X0, X0         \
	VPMINUD   most<>(SB), X0, X1  \
	VPCMPEQD  X0, X1, X1          \
	VMOVMSKPS X1, AX              \
	CMPL      AX, $15             \
	JNE       done
#define NEXT(hashes) \
	VMOVDQU hashes, (R8)(R9*8) \
	MOVQ    R10, R9            \
	JMP     loop
