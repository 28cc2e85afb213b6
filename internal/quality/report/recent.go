package report

// What is kept of texts, so that an original can be shown beside the record that resembles it.
const (
	recentBytes   = 32 << 20
	recentRecords = 1 << 18
	recentChunk   = 1 << 20 // what is allocated at once: a slice that grows would leave copies behind
)

// recent holds the texts of the last records, as far as there is room.
type recent struct {
	text  [][]byte // a ring of recentBytes, in chunks
	ends  []uint64 // of the records, a ring: how many bytes were added up to there
	first uint64   // the number of the first record
	count uint64   // records that were added
	added uint64   // bytes
}

// add takes the text of the next record. The first one may have any number; each later one has the
// next number.
func (r *recent) add(number uint64, text []byte) {
	if r.count == 0 {
		r.first = number
	}
	for rest := text; len(rest) > 0; {
		at := r.added % recentBytes
		if at/recentChunk == uint64(len(r.text)) {
			r.text = append(r.text, make([]byte, recentChunk))
		}
		n := copy(r.text[at/recentChunk][at%recentChunk:], rest)
		rest, r.added = rest[n:], r.added+uint64(n)
	}
	if at := int(r.count % recentRecords); at == len(r.ends) {
		r.ends = append(r.ends, r.added)
	} else {
		r.ends[at] = r.added
	}
	r.count++
}

// find returns the text of a record, unless it is one of before or has made room for others.
func (r *recent) find(number uint64) (text []byte, found bool) {
	if number < r.first || number-r.first >= r.count || r.first+r.count-number >= recentRecords {
		return nil, false
	}
	i, start := number-r.first, uint64(0)
	if i > 0 {
		start = r.ends[(i-1)%recentRecords]
	}
	end := r.ends[i%recentRecords]
	if r.added-start > recentBytes {
		return nil, false
	}
	for start < end {
		at := start % recentBytes
		part := r.text[at/recentChunk][at%recentChunk:]
		part = part[:min(end-start, uint64(len(part)))]
		text = append(text, part...)
		start += uint64(len(part))
	}
	return text, true
}
