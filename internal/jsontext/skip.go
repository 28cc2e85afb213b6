package jsontext

// SkipSpace returns the index of the first byte at or after src[i] that is no white space.
func SkipSpace(src []byte, i int) int {
	for i < len(src) && src[i] <= ' ' && (src[i] == ' ' || src[i] == '\t' || src[i] == '\n' || src[i] == '\r') {
		i++
	}
	return i
}

// SkipLiteral returns the index after a literal at src[i:], or -1 if another one stands there.
func SkipLiteral(src []byte, i int, literal string) int {
	if len(src)-i < len(literal) || string(src[i:i+len(literal)]) != literal {
		return -1
	}
	return i + len(literal)
}

// SkipNumber returns the index after the number at src[i:], or -1 if no number is there.
func SkipNumber(src []byte, i int) int {
	if src[i] == '-' {
		i++
	}
	whole := i
	if i = skipDigits(src, i); i == whole || src[whole] == '0' && i > whole+1 {
		return -1
	}
	if i < len(src) && src[i] == '.' {
		fraction := i + 1
		if i = skipDigits(src, fraction); i == fraction {
			return -1
		}
	}
	if i < len(src) && src[i]|0x20 == 'e' {
		if i++; i < len(src) && (src[i] == '+' || src[i] == '-') {
			i++
		}
		exponent := i
		if i = skipDigits(src, exponent); i == exponent {
			return -1
		}
	}
	return i
}

// skipDigits returns the index of the first byte at or after src[i] that is no digit.
func skipDigits(src []byte, i int) int {
	for i < len(src) && '0' <= src[i] && src[i] <= '9' {
		i++
	}
	return i
}
