package boilerplate

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"github.com/mithril-stream/mithril-stream/internal/memory/overlap"
)

// A sentence has at least leastWords words, or leastWide bytes where it ends in a mark of Chinese
// or Japanese, which need no space. What is shorter belongs to the next one, so that "Dr." is none.
const (
	leastWords = 3
	leastWide  = 18
)

// sentenceEnd returns where the sentence ends that starts there, at the end of its line at the
// latest, and where the next one begins on the line: after the white space between them. A sentence
// ends after ".", "!", "?" or "…", with the quotes and brackets that close after it, if white space
// and no small letter follow; and after "。", "！" or "？".
func sentenceEnd(line []byte) (end, next int) {
	for i := 0; i < len(line); {
		r, size := utf8.DecodeRune(line[i:])
		i += size
		isWide := r == '。' || r == '！' || r == '？'
		if !isWide && r != '.' && r != '!' && r != '?' && r != '…' {
			continue
		}
		end = i + closing(line[i:])
		next = end
		for next < len(line) && isSpace(line[next]) {
			next++
		}
		following, _ := utf8.DecodeRune(line[next:])
		switch {
		case next == len(line):
			return len(line), next
		case isWide && end >= leastWide:
			return end, next
		case !isWide && next > end && !unicode.IsLower(following) && len(bytes.Fields(line[:end])) >= leastWords:
			return end, next
		}
	}
	return len(line), len(line)
}

// closing returns the length of the quotes and brackets that close at the beginning of a text.
func closing(text []byte) (length int) {
	for length < len(text) {
		r, size := utf8.DecodeRune(text[length:])
		if r != '"' && r != '\'' && !unicode.In(r, unicode.Pe, unicode.Pf) {
			break
		}
		length += size
	}
	return length
}

// sentences yields the sentences of a text, line by line; a blank line is one part.
func sentences(text []byte, yield func(part) bool) {
	for start := 0; start < len(text); {
		lineEnd := lineEnd(text, start)
		for at := start; ; {
			end, next := sentenceEnd(text[at:lineEnd])
			p := part{start: at, end: at + end, isInLine: at+next < lineEnd}
			if !p.isInLine {
				p.end = lineEnd
			}
			body := trim(text[p.start:p.end])
			p.isBlank, p.hash = len(body) == 0, hashOf(body)
			if !yield(p) {
				return
			}
			if at += next; !p.isInLine {
				break
			}
		}
		start = lineEnd + 1
	}
}

// sentenceCuts appends the ranges to cut from a text of that length: of the sentences of a line
// that are cut, with the white space after them, or before those at the end of the line; and of a
// line that is cut as a whole, with its newline.
func (c *Cutter) sentenceCuts(length int) []overlap.Piece {
	cuts := c.cuts[:0]
	for first := 0; first < len(c.parts); first++ {
		if !c.isCut[first] {
			continue
		}
		last := first
		for c.parts[last].isInLine && c.isCut[last+1] {
			last++
		}
		cut := overlap.Piece{Start: c.parts[first].start, End: c.parts[last].end}
		isAtStart := first == 0 || !c.parts[first-1].isInLine
		switch isAtEnd := !c.parts[last].isInLine; {
		case !isAtEnd:
			cut.End = c.parts[last+1].start
		case !isAtStart:
			cut.Start = c.parts[first-1].end
		case cut.End < length:
			cut.End++
		case cut.Start > 0 && (len(cuts) == 0 || cuts[len(cuts)-1].End < cut.Start):
			cut.Start--
		}
		cuts = append(cuts, cut)
		first = last
	}
	return cuts
}
