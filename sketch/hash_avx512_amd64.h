// What the files share that hash eight spans at a time. Z31 has low32.

// x = the exclusive or of the halves of the 128-bit products of the words of x and y. The others
// are scratch.
#define MULFOLD8(x, y, xh, yh, hl, ll) \
	VPMULUDQ   y, x, ll           \
	VPSRLQ     $32, x, xh         \
	VPSRLQ     $32, y, yh         \
	VPMULUDQ   y, xh, hl          \
	VPMULUDQ   yh, x, x           \
	VPMULUDQ   yh, xh, xh         \
	VPSRLQ     $32, ll, yh        \
	VPADDQ     yh, x, x           \
	VPANDQ     Z31, hl, yh        \
	VPADDQ     yh, x, x           \
	VPSRLQ     $32, hl, hl        \
	VPADDQ     hl, xh, xh         \
	VPSRLQ     $32, x, yh         \
	VPADDQ     yh, xh, xh         \
	VPSLLQ     $32, x, x          \
	VPTERNLOGQ $0x78, Z31, ll, xh \
	VPXORQ     xh, x, x

// x ^= x >> n. a is scratch.
#define XORSHIFT8(n, x, a) \
	VPSRLQ n, x, a \
	VPXORQ a, x, x

// x = avalanche(x), by the multiplier prime. a is scratch.
#define AVALANCHE8(x, prime, a) \
	XORSHIFT8($37, x, a) \
	VPMULLQ prime, x, x  \
	XORSHIFT8($32, x, a)

ALL(avalanchePrime, 0x165667919e3779f9)
