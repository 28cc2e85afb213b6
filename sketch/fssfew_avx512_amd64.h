// What the rounds for few hashes have in common: one hash in eight rounds at a time.

#include "textflag.h"
#include "constants_amd64.h"

LOWER_WORDS(ordinals, 0, 0x100000000, 0x200000000, 0x300000000)
UPPER_WORDS(ordinals, 0x400000000, 0x500000000, 0x600000000, 0x700000000)

// Broadcasts what all rounds share: the lower half of each word, and the round of the first eight,
// above the values.
#define SHARED(from) \
	VPTERNLOGQ   $0xff, Z10, Z10, Z10    \
	VPSRLQ       $32, Z10, Z10           \
	MOVQ         from, R12               \
	SHLQ         $32, R12                \
	VPBROADCASTQ R12, Z14                \
	VPADDQ       ordinals<>(SB), Z14, Z14 \
	MOVQ         $0x800000000, R12       \
	VPBROADCASTQ R12, Z7

// Loads the constants of eight rounds. Z6 has the lower halves of the multipliers 20 bits higher,
// so that bit 52 of a product by it is bit 32 of a product of halves.
#define ROUNDS8(xors, muls) \
	VMOVDQU64 xors, Z13    \
	VMOVDQU64 muls, Z12    \
	VPSRLQ    $32, Z12, Z11 \
	VPSLLQ    $32, Z12, Z6  \
	VPSRLQ    $12, Z6, Z6

// h = the hash at x, hashed anew in eight rounds: both halves of the product, folded. The upper one
// is made as in PRODUCTS8 of fss_avx512_amd64.s.
#define REHASH(x, h) \
	VPBROADCASTQ x, Z0       \
	VPXORQ       Z13, Z0, Z0 \
	VPSRLQ       $32, Z0, Z1 \
	VPANDQ       Z10, Z0, Z2 \
	VPMULUDQ     Z12, Z1, Z3 \
	VPMULUDQ     Z11, Z0, Z4 \
	VPMULUDQ     Z11, Z1, Z5 \
	VPMULLQ      Z12, Z0, Z0 \
	VPMADD52HUQ  Z6, Z2, Z4  \
	VPMADD52HUQ  Z6, Z1, Z5  \
	VPANDQ       Z10, Z3, Z3 \
	VPADDQ       Z3, Z4, Z4  \
	VPSRLQ       $32, Z4, Z4 \
	VPADDQ       Z4, Z5, Z5  \
	VPXORQ       Z5, Z0, h

// h = the values that fall into slots: the round, and below it the lower half of h.
#define VALUES(h) VPTERNLOGQ $0xea, Z14, Z10, h
