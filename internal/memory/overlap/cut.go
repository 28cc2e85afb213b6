package overlap

// Cuts appends to dst the ranges to cut from a text of the given length to remove the seen pieces:
// each with the newline after it, and the one at the end of the text with the newline before it.
func Cuts(dst []Piece, seen []Piece, length int) []Piece {
	first := len(dst)
	for _, p := range seen {
		end := min(p.End+1, length)
		if last := len(dst) - 1; last >= first && dst[last].End == p.Start {
			dst[last].End = end
			continue
		}
		dst = append(dst, Piece{p.Start, end})
	}
	if last := len(dst) - 1; last >= first && seen[len(seen)-1].End == length && dst[last].Start > 0 {
		dst[last].Start--
	}
	return dst
}
