package memory

// LowHalf returns the low half of a band key, in which any bits distinguish keys. A key whose high
// half is 0 is a sum of minima (docs/design/sketch.md, section 5), a small number, whose first bits
// are nearly always the same. It is multiplied by 2⁶⁴/φ (Knuth: The Art of Computer Programming,
// volume 3, section 6.4). Other keys are hashes.
func LowHalf(high, low uint64) uint64 {
	if high == 0 {
		low *= 0x9e3779b97f4a7c15
	}
	return low
}
