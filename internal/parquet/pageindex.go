package parquet

// A pageEntry is what the page indexes say about a data page: PageLocation, and an entry of each
// list of ColumnIndex.
type pageEntry struct {
	size     int   // including its header
	row      int64 // the first row, within its row group
	nulls    int64
	min, max []byte // bounds of its values
	allNull  bool
	known    bool // the bounds are known
}

// offsetIndex returns the OffsetIndex of pages; at is the offset of the first one in the file.
func offsetIndex(pages []pageEntry, at int64) []byte {
	var t thriftWriter
	t.open()
	t.list(1, thriftStruct, len(pages))
	for _, p := range pages {
		t.open()
		t.i64(1, at)
		t.i32(2, int32(p.size))
		t.i64(3, p.row)
		t.close()
		at += int64(p.size)
	}
	t.close()
	return t.buf
}

// The order of pages by their bounds (BoundaryOrder).
const unordered, ascending, descending = 0, 1, 2

// columnIndex returns the ColumnIndex of pages, or nil if the bounds of a page are not known.
func columnIndex(pages []pageEntry, compare order) []byte {
	for _, p := range pages {
		if !p.allNull && !p.known {
			return nil
		}
	}
	var t thriftWriter
	t.open()
	t.list(1, thriftTrue, len(pages))
	for _, p := range pages {
		t.element8(p.allNull)
	}
	t.list(2, thriftBinary, len(pages))
	for _, p := range pages {
		t.element(string(p.min))
	}
	t.list(3, thriftBinary, len(pages))
	for _, p := range pages {
		t.element(string(p.max))
	}
	t.i32(4, boundaryOrder(pages, compare))
	t.list(5, thriftI64, len(pages))
	for _, p := range pages {
		t.varint(p.nulls)
	}
	t.close()
	return t.buf
}

func boundaryOrder(pages []pageEntry, compare order) int32 {
	up, down := true, true
	var last *pageEntry
	for i := range pages {
		p := &pages[i]
		if p.allNull {
			continue
		}
		if last != nil {
			least, most := compare(last.min, p.min), compare(last.max, p.max)
			up, down = up && least <= 0 && most <= 0, down && least >= 0 && most >= 0
		}
		last = p
	}
	switch {
	case up:
		return ascending
	case down:
		return descending
	}
	return unordered
}
