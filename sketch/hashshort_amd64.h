// What the files share that hash spans of 4 to 8 bytes.

// What their words are xored with, the halves of the multiplier, and a 4 in each word.
ALL(short, 0xc73ab174c5ecd5a2)
ALL(shortLow, 0x1e98df25)
ALL(shortHigh, 0x9fb21c65)
ALL(fours, 4)
// The bytes of each word, turned by 24 bits.
FOUR_WORDS(rotated24, 0x0403020100070605, 0x0c0b0a09080f0e0d, 0x0403020100070605, 0x0c0b0a09080f0e0d)

// x = the hashes of spans of 4 to 8 bytes, of which x has the last four and above them the first
// four; n is their lengths. a and b are scratch.
#define MIX(x, n, a, b) \
	VPXOR   short<>(SB), x, x         \
	VPSLLQ  $49, x, a                 \
	VPSRLQ  $15, x, b                 \
	VPXOR   a, b, a                   \
	VPSHUFB rotated24<>(SB), x, b     \
	VPXOR   a, x, x                   \
	VPXOR   b, x, x                   \
	MUL(x, shortLow, shortHigh, a, b) \
	VPSRLQ  $35, x, a                 \
	VPADDQ  n, a, a                   \
	VPXOR   a, x, x                   \
	MUL(x, shortLow, shortHigh, a, b) \
	XORSHIFT($28, x, a)

// out = the hashes of spans of 4 to 8 bytes, whose first eight bytes are in w; n is their lengths,
// and Y13 has fours. a and b are scratch.
#define SHORT(w, n, out, a, b) \
	VPSUBQ   Y13, n, a          \
	VPSLLQ   $3, a, a           \
	VPSRLVQ  a, w, out          \
	VPSLLQ   $32, w, a          \
	VPBLENDD $0xaa, a, out, out \
	MIX(out, n, a, b)

// out = the four words at R11, R12, R13 and AX from base on. outx is its lower half, ax is scratch.
#define WORDS(base, out, outx, ax) \
	VMOVQ       (base)(R11*1), outx       \
	VMOVHPS     (base)(R12*1), outx, outx \
	VMOVQ       (base)(R13*1), ax         \
	VMOVHPS     (base)(AX*1), ax, ax      \
	VINSERTI128 $1, ax, out, out
