package stream

// A link does one thing with records that were decided about. It knows no other link. One goroutine
// calls it.
type link interface {
	// begin announces the batch of the next records.
	begin(b *batch) error
	// process is called for each record of the batch, in order.
	process(r *passing) error
	// done is called after the last record of a batch, or after an error. The link keeps nothing
	// that points into the batch.
	done() error
	// inputFailed says why the input of the last batch cannot be read any further.
	inputFailed(why error)
	// flush passes on buffered records.
	flush() error
	// end completes what the link writes. It is called for a run that has come to its end.
	end() error
}

// passive is what a link does that only takes records.
type passive struct{}

func (passive) begin(*batch) error { return nil }
func (passive) done() error        { return nil }
func (passive) inputFailed(error)  {}
func (passive) flush() error       { return nil }
func (passive) end() error         { return nil }

// A plan has what links are made from.
type plan struct {
	*Options
	stats *Stats
	gate  *gate
	lane  lane    // that the links of an output are for
	out   *output // of that lane
}

// chainLinks are the links that all records pass, in this order. A row returns nil if the run has
// no use for its link.
var chainLinks = []func(p plan) link{
	newRepeating,
	newDivide,
	newInsert,
	newObserve,
	newBranch(toDuplicates),
	newBranch(toRejects),
	newBranch(toOutput),
}

// outputLinks are the links that the records of an output pass, in this order, before they are
// written.
var outputLinks = []func(p plan) link{
	newConverting,
	newUniting,
	newEditing,
	newPacking,
	newAnnotating,
	newMembersLink,
}

// A chain is links that records pass one after the other. It is flushed from the last link to the
// first, so that what is said of records leaves after them.
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

// done tells all links, since each of them may point into the batch.
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

// inserting returns the link that inserts records; nil if the run has none.
func (c chain) inserting() *insert {
	for _, l := range c {
		if n, ok := l.(*insert); ok {
			return n
		}
	}
	return nil
}

// stop is called when no more records come, before flush, also if the run was stopped.
func (c chain) stop() error { return c.inserting().stop() }
