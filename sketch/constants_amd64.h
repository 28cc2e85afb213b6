// A constant in all four words of a register, one in the lower two and another in the upper two, or
// one in each word. Of eight words the lower ones come first.
#define ALL(name, value) TWICE(name, value, value)
#define TWICE(name, low, high) FOUR_WORDS(name, low, low, high, high)
#define FOUR_WORDS(name, a, b, c, d) \
	LOWER_WORDS(name, a, b, c, d); \
	GLOBL name<>(SB), RODATA|NOPTR, $32
#define LOWER_WORDS(name, a, b, c, d) \
	DATA name<>+0(SB)/8, $a;  \
	DATA name<>+8(SB)/8, $b;  \
	DATA name<>+16(SB)/8, $c; \
	DATA name<>+24(SB)/8, $d
#define UPPER_WORDS(name, e, f, g, h) \
	DATA name<>+32(SB)/8, $e; \
	DATA name<>+40(SB)/8, $f; \
	DATA name<>+48(SB)/8, $g; \
	DATA name<>+56(SB)/8, $h; \
	GLOBL name<>(SB), RODATA|NOPTR, $64
