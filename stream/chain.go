package stream

// A link does one thing to records that have been decided. It knows no other link, and a single
// goroutine calls it.
type link interface {
	// begin is called before the records of a batch.
	begin(b *batch) error
	// process is called for each record of the batch, in order.
	process(r *passing) error
	// done is called after the last record of a batch, or after an error. From then on, the link
	// keeps nothing that points into the batch.
	done() error
	// inputFailed is called when the input of the last batch cannot be read any further.
	inputFailed(why error)
	// flush passes on all buffered records.
	flush() error
	// end completes the output of a run that has reached its end.
	end() error
}

// passive implements the methods of a link that only processes records.
type passive struct{}

func (passive) begin(*batch) error { return nil }
func (passive) done() error        { return nil }
func (passive) inputFailed(error)  {}
func (passive) flush() error       { return nil }
func (passive) end() error         { return nil }

// A plan holds everything that links are made from.
type plan struct {
	*Options
	stats *Stats
	gate  *gate
	lane  lane    // that the links of an output are for
	out   *output // of that lane

	header []byte // of the input that a resumed run goes on with, if its records are rows below one
}

// chainLinks make the links that all records pass, in this order. Each returns nil if the run does
// not need its link.
var chainLinks = []func(p plan) link{
	newRepeating,
	newDivide,
	newInsert,
	newObserve,
	newBranch(toDuplicates),
	newBranch(toRejects),
	newBranch(toOutput),
}

// outputLinks make the links that the records of an output pass before they are written, in this
// order.
var outputLinks = []func(p plan) link{
	newConverting,
	newUniting,
	newEditing,
	newPacking,
	newAnnotating,
	newMembersLink,
}

// A chain is a sequence of links that records pass. It is flushed from the last link to the first,
// so that a record leaves before anything that refers to it.
type chain []link

// newChain makes the links of a run.
func newChain(p plan, rows []func(p plan) link) (c chain) {
	for _, row := range rows {
		if l := row(p); l != nil {
			c = append(c, l)
		}
	}
	return c
}

func (c chain) begin(b *batch) error {
	for _, l := range c {
		if err := l.begin(b); err != nil {
			return err
		}
	}
	return nil
}

func (c chain) process(r *passing) error {
	for _, l := range c {
		if err := l.process(r); err != nil {
			return err
		}
	}
	return nil
}

// done calls all links even after an error, since each of them may point into the batch.
func (c chain) done() (err error) {
	for _, l := range c {
		if failed := l.done(); err == nil {
			err = failed
		}
	}
	return err
}

func (c chain) inputFailed(why error) {
	for _, l := range c {
		l.inputFailed(why)
	}
}

func (c chain) flush() error {
	for i := len(c) - 1; i >= 0; i-- {
		if err := c[i].flush(); err != nil {
			return err
		}
	}
	return nil
}

func (c chain) end() error {
	for _, l := range c {
		if err := l.end(); err != nil {
			return err
		}
	}
	return nil
}

// inserting returns the link that inserts records, or nil if the run has none.
func (c chain) inserting() *insert {
	for _, l := range c {
		if n, ok := l.(*insert); ok {
			return n
		}
	}
	return nil
}

// stop is called before flush once no more records follow, even if the run was stopped.
func (c chain) stop() error { return c.inserting().stop() }
