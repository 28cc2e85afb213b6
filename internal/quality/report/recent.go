package report

// Limits on the texts kept to show originals.
const (
	recentBytes   = 32 << 20
	recentRecords = 1 << 18
	recentChunk   = 1 << 20 // allocation unit: growing one slice would leave garbage
)

// recent keeps the texts of the latest records, within a limit.
type recent struct {
	text  [][]byte // a ring of recentBytes, in chunks
	ends  []uint64 // a ring with the number of bytes added up to each record
	first uint64   // number of the first record
	count uint64   // number of records added
	added uint64   // number of bytes added
}

// add adds the text of the next record. The first number is arbitrary; the others are consecutive.
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

// find returns the text of a record, unless it is too old.
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
