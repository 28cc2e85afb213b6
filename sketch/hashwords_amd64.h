// What the files share that hash words of 1 to 3 and of 9 to 16 bytes.

// For 1 to 3 bytes, by their number: which of them comes last, none for the number, which comes
// first and which is in the middle, and what these four are xored with, the number included. For 0,
// which the upper half of a word has, there is nothing.
DATA tinyBytes<>+0(SB)/8, $0x0000800080808080
DATA tinyBytes<>+8(SB)/8, $0x0100800201008001
DATA tinyBytes<>+16(SB)/8, $0
DATA tinyBytes<>+24(SB)/8, $0
GLOBL tinyBytes<>(SB), RODATA|NOPTR, $32
DATA tiny<>+0(SB)/8, $0x87275b9b00000000
DATA tiny<>+8(SB)/8, $0x8727599b8727589b
DATA tiny<>+16(SB)/8, $0
DATA tiny<>+24(SB)/8, $0
GLOBL tiny<>(SB), RODATA|NOPTR, $32
// The bytes of every second word are 8 further on.
DATA further<>+0(SB)/8, $0
DATA further<>+8(SB)/8, $0x0808080808080808
DATA further<>+16(SB)/8, $0
DATA further<>+24(SB)/8, $0x0808080808080808
GLOBL further<>(SB), RODATA|NOPTR, $32
// The halves of the multipliers.
ALL(tiny1Low, 0x27d4eb4f)
ALL(tiny1High, 0xc2b2ae3d)
ALL(tiny2Low, 0x9e3779f9)
ALL(tiny2High, 0x165667b1)

// For 9 to 16 bytes: what the first eight and the last eight are xored with, and the order of bytes
// turned round.
ALL(middleHead, 0x6782737bea4239b9)
ALL(middleTail, 0xaf56bc3b0996523a)
DATA turned<>+0(SB)/8, $0x0001020304050607
DATA turned<>+8(SB)/8, $0x08090a0b0c0d0e0f
DATA turned<>+16(SB)/8, $0x0001020304050607
DATA turned<>+24(SB)/8, $0x08090a0b0c0d0e0f
GLOBL turned<>(SB), RODATA|NOPTR, $32
