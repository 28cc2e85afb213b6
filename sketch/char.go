package sketch

import "encoding/binary"

// char takes each code point as a token.
type char struct{}

func (char) Append(dst *Tokens, text []byte) {
	dst.joined = true
	base := uint32(len(dst.text))
	dst.text = append(dst.text, text...)
	i := 0
	for ; i+8 <= len(text); i += 8 {
		x := binary.LittleEndian.Uint64(text[i:])
		if x&highs == 0 {
			p := base + uint32(i)
			dst.starts = append(dst.starts, p, p+1, p+2, p+3, p+4, p+5, p+6, p+7)
			continue
		}
		for j, c := range text[i : i+8] {
			if c&0xc0 != 0x80 {
				dst.starts = append(dst.starts, base+uint32(i+j))
			}
		}
	}
	for ; i < len(text); i++ {
		if text[i]&0xc0 != 0x80 {
			dst.starts = append(dst.starts, base+uint32(i))
		}
	}
}
