//go:build !purego

#include "textflag.h"
#include "constants_amd64.h"

// Spaces, and what makes the numbers of the bits of a second byte those of the second half of a
// register.
ALL(spaces, 0x2020202020202020)
DATA upper<>+0(SB)/8, $0
DATA upper<>+8(SB)/8, $0x0808080808080808
GLOBL upper<>(SB), RODATA|NOPTR, $16

// Which byte of a mask of 64 bits a byte of a block has its bit in, by halves, and which bit of it.
LOWER_WORDS(maskByte, 0x0000000000000000, 0x0101010101010101, 0x0202020202020202, 0x0303030303030303)
UPPER_WORDS(maskByte, 0x0404040404040404, 0x0505050505050505, 0x0606060606060606, 0x0707070707070707)
ALL(maskBit, 0x8040201008040201)

// Puts spaces for the bytes of x whose bits are not set in Y6. half has the bytes of the mask that
// they are in.
#define BLANK(half, x) \
	VPSHUFB   half, Y6, Y4   \
	VPAND     Y11, Y4, Y4    \
	VPCMPEQB  Y11, Y4, Y4    \
	VPBLENDVB Y4, x, Y12, x

// Stores at DI the 16 bytes of x whose bits in BX are set, and goes on after them and to the next
// bits.
#define JOIN16(x) \
	MOVBLZX BL, AX             \
	MOVBLZX BH, DX             \
	SHRQ    $16, BX            \
	VMOVQ   (R8)(AX*8), X4     \
	VMOVHPS (R8)(DX*8), X4, X4 \
	VPOR    X13, X4, X4        \
	VPSHUFB X4, x, X4          \
	VMOVQ   X4, (DI)           \
	POPCNTL AX, AX             \
	ADDQ    AX, DI             \
	VMOVHPS X4, (DI)           \
	POPCNTL DX, DX             \
	ADDQ    DX, DI

// func joinBlocksAVX2(dst, flat *byte, blocks *block, n int, inside uint64) (size, done int)
TEXT ·joinBlocksAVX2(SB), NOSPLIT, $0-56
	MOVQ    dst+0(FP), DI
	MOVQ    flat+8(FP), SI
	MOVQ    blocks+16(FP), R9
	MOVQ    n+24(FP), CX
	MOVQ    inside+32(FP), R10
	LEAQ    ·setBits(SB), R8
	VMOVDQU maskByte<>+0(SB), Y9
	VMOVDQU maskByte<>+32(SB), Y10
	VMOVDQU maskBit<>(SB), Y11
	VMOVDQU spaces<>(SB), Y12
	VMOVDQU upper<>(SB), X13

join:
	MOVQ         (R9), AX
	LEAQ         (R10)(AX*2), BX // bytes after one that is in a token
	MOVQ         8(R9), DX
	ANDQ         AX, DX
	TESTQ        BX, DX
	JNZ          joined
	VPBROADCASTQ (R9), Y6
	VMOVDQU      (SI), Y0
	VMOVDQU      32(SI), Y2
	BLANK(Y9, Y0)
	BLANK(Y10, Y2)
	VEXTRACTI128 $1, Y0, X1
	VEXTRACTI128 $1, Y2, X3
	ORQ          AX, BX
	SHRQ         $63, AX
	MOVQ         AX, R10
	JOIN16(X0)
	JOIN16(X1)
	JOIN16(X2)
	JOIN16(X3)
	ADDQ         $24, R9
	ADDQ         $64, SI
	DECQ         CX
	JNZ          join

joined:
	MOVQ n+24(FP), AX
	SUBQ CX, AX
	MOVQ AX, done+48(FP)
	SUBQ dst+0(FP), DI
	MOVQ DI, size+40(FP)
	VZEROUPPER
	RET

// Stores at DI the places of the bits of mask, a byte, counted from first on: as many as found has
// room for, at most. Goes on after them and to the next 8 places. All are of 4 bytes.
#define PLACES(mask, found, first, eight) \
	VPMOVZXBD (R8)(mask*8), found \
	VPADDD    first, found, found \
	VPADDD    eight, first, first \
	VMOVDQU   found, (DI)         \
	POPCNTL   mask, mask          \
	LEAQ      (DI)(mask*4), DI

// The same for the 32 bits of BX.
#define PLACES32(found, first, eight) \
	MOVBLZX BL, AX                 \
	MOVBLZX BH, DX                 \
	SHRL    $16, BX                \
	PLACES(AX, found, first, eight) \
	PLACES(DX, found, first, eight) \
	MOVBLZX BL, AX                 \
	MOVBLZX BH, DX                 \
	PLACES(AX, found, first, eight) \
	PLACES(DX, found, first, eight)

// func afterSpacesAVX2(out *uint32, text *byte, n, base int) int
TEXT ·afterSpacesAVX2(SB), NOSPLIT, $0-40
	MOVQ         out+0(FP), DI
	MOVQ         text+8(FP), SI
	MOVQ         n+16(FP), CX
	MOVQ         base+24(FP), AX
	LEAQ         ·setBits(SB), R8
	VMOVDQU      spaces<>(SB), Y12
	INCQ         AX
	VMOVQ        AX, X2
	VPBROADCASTD X2, X2
	MOVQ         $8, AX
	VMOVQ        AX, X3
	VPBROADCASTD X3, X3
	JMP          any

after:
	VPCMPEQB  (SI), Y12, Y4
	VPCMPEQB  32(SI), Y12, Y5
	VPMOVMSKB Y4, BX
	VPMOVMSKB Y5, R10
	PLACES32(X1, X2, X3)
	MOVL      R10, BX
	PLACES32(X1, X2, X3)
	ADDQ      $64, SI
	SUBQ      $64, CX

any:
	TESTQ CX, CX
	JGT   after

	SUBQ out+0(FP), DI
	SHRQ $2, DI
	MOVQ DI, ret+32(FP)
	VZEROUPPER
	RET

// The last of the bytes that go on with a code point, as signed ones: all others are greater.
ALL(continued, 0xbfbfbfbfbfbfbfbf)

// func codePointsAVX2(out *uint32, text *byte, n, base int) int
TEXT ·codePointsAVX2(SB), NOSPLIT, $0-40
	MOVQ         out+0(FP), DI
	MOVQ         text+8(FP), SI
	MOVQ         n+16(FP), CX
	LEAQ         ·setBits(SB), R8
	VMOVDQU      continued<>(SB), Y0
	VPBROADCASTD base+24(FP), Y2
	MOVQ         $8, AX
	VMOVQ        AX, X3
	VPBROADCASTD X3, Y3
	JMP          any

more:
	VMOVDQU   (SI), Y4
	VPCMPGTB  Y0, Y4, Y4
	VPMOVMSKB Y4, BX
	PLACES32(Y1, Y2, Y3)
	ADDQ      $32, SI
	SUBQ      $32, CX

any:
	TESTQ CX, CX
	JGT   more

	SUBQ out+0(FP), DI
	SHRQ $2, DI
	MOVQ DI, ret+32(FP)
	VZEROUPPER
	RET
