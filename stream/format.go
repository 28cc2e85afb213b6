package stream

// A Format is how records stand in an input: JSONLines.
type Format interface {
	newCutter() cutter    // for the goroutine that reads
	newParser() parser    // for a worker
	fieldNames() []string // that problems speak of by their number
}

// A cutter finds where records end, in an input that comes block by block.
type cutter interface {
	// restart says that what find sees next begins with a record.
	restart()
	// find returns the index behind the last record that ends in buf, or behind the first one, or 0 if none does. What it has seen
	// of buf before are the first bytes. After an error the input cannot be followed any more.
	find(buf []byte, seen int, first bool) (end int, err error)
	// pending returns how many bytes of buf are certain to belong to a record that has not ended in it.
	pending(buf []byte) int
	// terminator is what ends the last record of an input, where that does not do it itself.
	terminator() []byte
}

// A parser takes a batch apart. It may own scratch memory.
type parser interface {
	// next returns where the record that starts at buf[start] ends: its body, and its terminator behind that.
	next(buf []byte, start int) (body, end int)
	// appendText appends the text of a record's body to dst, unless it has a problem.
	appendText(dst, body []byte) ([]byte, problem)
}
