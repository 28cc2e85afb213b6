// What the files share that hash words of 1 to 3 and of 9 to 16 bytes.

// For 1 to 3 bytes, by their number: which of them comes last, none for the number, which comes
// first and which is in the middle, and what these four are xored with, the number included. For 0,
// which the upper half of a word has, there is nothing.
FOUR_WORDS(tinyBytes, 0x0000800080808080, 0x0100800201008001, 0, 0)
FOUR_WORDS(tiny, 0x87275b9b00000000, 0x8727599b8727589b, 0, 0)
// The bytes of every second word are 8 further on.
FOUR_WORDS(further, 0, 0x0808080808080808, 0, 0x0808080808080808)
// The halves of the multipliers.
ALL(tiny1Low, 0x27d4eb4f)
ALL(tiny1High, 0xc2b2ae3d)
ALL(tiny2Low, 0x9e3779f9)
ALL(tiny2High, 0x165667b1)

// For 9 to 16 bytes: what the first eight and the last eight are xored with, and the order of bytes
// turned round.
ALL(middleHead, 0x6782737bea4239b9)
ALL(middleTail, 0xaf56bc3b0996523a)
FOUR_WORDS(turned, 0x0001020304050607, 0x08090a0b0c0d0e0f, 0x0001020304050607, 0x08090a0b0c0d0e0f)

// Begins with a class of CX spans, or goes to none. R9 counts them, and DX is where the last ones
// begin that are hashed together.
#define CLASS(together, none) \
	XORL    R9, R9       \
	TESTQ   CX, CX       \
	JZ      none         \
	MOVQ    CX, DX       \
	SUBQ    together, DX \
	CMOVQLT R9, DX

// out = the four words of the text at four places of a list, counted from base on. outx is its
// lower half, ax is scratch.
#define FOUR(base, list, out, outx, ax) \
	MOVL (list+0)(SP)(R9*4), R11 \
	MOVL (list+4)(SP)(R9*4), R12 \
	MOVL (list+8)(SP)(R9*4), R13 \
	MOVL (list+12)(SP)(R9*4), AX \
	WORDS(base, out, outx, ax)

// Stores hashes and goes on to the next spans, or to done after the last, some of which may have
// been hashed before.
#define STORE(move, together, hashes, loop, done) \
	move    hashes, (R8)(R9*8) \
	CMPQ    R9, DX             \
	JEQ     done               \
	ADDQ    together, R9       \
	CMPQ    R9, DX             \
	CMOVQGT DX, R9             \
	JMP     loop
