package dedup

import (
	"errors"
	"sync"

	"github.com/mithril-stream/mithril-stream/stream"
)

// A Deduplicator remembers texts and says whether further ones resemble them, for servers that get
// texts one at a time. Its methods may be called by several goroutines: these sketch texts at the
// same time, and take turns to compare them.
type Deduplicator struct {
	sketchers sync.Pool // of *sketching
	within    string    // Options.Within

	mutex  sync.Mutex
	memory *remembered // nil when it is closed
	added  uint64      // texts since the last commit
	out    [1]stream.Verdict
}

// sketching is a sketcher with room for a sketch.
type sketching struct {
	stream.Sketcher
	confiner stream.Confiner // nil without Options.Within
	words    []uint64
}

// ErrClosed is the error of a Deduplicator that was closed.
var ErrClosed = errors.New("the deduplicator is closed")

// Open returns a Deduplicator with what Options.Index remembers, or an empty one. It locks the
// index until it is closed. An error is a ConfigError, an IOError or a MemoryError.
func Open(o Options) (*Deduplicator, error) {
	m, err := o.open()
	if err != nil {
		return nil, err
	}
	d := &Deduplicator{memory: m, within: o.Within}
	d.sketchers.New = func() any {
		s := &sketching{Sketcher: m.newSketcher()}
		if o.Within != "" {
			s.confiner, _ = stream.Ability[stream.Confiner](s.Sketcher)
		}
		return s
	}
	return d, nil
}

// Add says whether a text resembles one that was added before, and remembers it in any case: a
// later text that resembles a duplicate is a duplicate too. After an error the text is not
// remembered. A MemoryError means that there is no more room, and an IOError that the index failed.
// With Options.Within use AddWithin: Add returns a ConfigError.
func (d *Deduplicator) Add(text string) (Verdict, error) {
	if err := d.checkUnconfined("AddWithin"); err != nil {
		return Verdict{Text: text, Original: -1}, err
	}
	return d.add(text, value{})
}

func (d *Deduplicator) add(text string, of value) (Verdict, error) {
	s := d.sketch(text, of)
	defer d.sketchers.Put(s)
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.memory == nil {
		return Verdict{Text: text, Original: -1}, ErrClosed
	}
	b := stream.Batch{Words: s.words, Ends: []int{len(s.words)}, Problems: []stream.Problem{{}}}
	if len(s.words) == 0 {
		b.Problems[0] = stream.NoText
	}
	if _, err := d.memory.session.Judge().Decide(b, d.out[:]); err != nil {
		return Verdict{Text: text, Original: -1}, d.memory.options.judgeError(err, d.memory.detector.Bytes())
	}
	d.added++
	if err := d.memory.name(d.out[0]); err != nil {
		return Verdict{Text: text, Original: -1}, &IOError{"Index", err}
	}
	return d.memory.verdict(text, d.out[0]), nil
}

// Seen says whether a text resembles one that was added before, and does not remember it. With
// Options.Within use SeenWithin: Seen returns a ConfigError. So it does with Options.Run, since
// what it would say of a run that is repeated is not what it said the first time.
func (d *Deduplicator) Seen(text string) (Verdict, error) {
	if err := d.checkUnconfined("SeenWithin"); err != nil {
		return Verdict{Text: text, Original: -1}, err
	}
	return d.seen(text, value{})
}

func (d *Deduplicator) seen(text string, of value) (Verdict, error) {
	s := d.sketch(text, of)
	defer d.sketchers.Put(s)
	d.mutex.Lock()
	defer d.mutex.Unlock()
	switch {
	case d.memory == nil:
		return Verdict{Text: text, Original: -1}, ErrClosed
	case d.memory.options.Run != "":
		return Verdict{Text: text, Original: -1}, &ConfigError{"Run",
			errors.New("Seen has no answer that could be repeated: Add, or open Index without a Run")}
	case len(s.words) == 0:
		return Verdict{Text: text, Original: -1}, nil
	}
	v, err := d.memory.detector.Query(s.words)
	if err != nil {
		return Verdict{Text: text, Original: -1}, d.memory.options.judgeError(err, d.memory.detector.Bytes())
	}
	return d.memory.verdict(text, v), nil
}

// sketch makes the sketch of a text of a value, which is empty if the text has nothing to compare.
func (d *Deduplicator) sketch(text string, of value) *sketching {
	s := d.sketchers.Get().(*sketching)
	if s.confiner != nil {
		s.confiner.Within(of.bytes, of.isText)
	}
	var ok bool
	if s.words, ok = s.Append(s.words[:0], []byte(text)); !ok {
		s.words = s.words[:0]
	}
	return s
}

// Commit makes durable what was added: after a crash Options.Index remembers it, and nothing that
// was added later. Call it when what Add let through is durable itself, so that no text is taken
// for a duplicate of one that was lost. Without Options.Index it does nothing. With Options.Run it
// ends the run: Add returns a ConfigError from then on.
func (d *Deduplicator) Commit() error {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.memory == nil {
		return ErrClosed
	}
	err := d.memory.commit(d.added)
	if err == nil {
		d.added = 0
	}
	return err
}

// Close ends the use of the index, which forgets what was added and not committed. Further calls
// return ErrClosed, but Close itself, which does nothing then.
func (d *Deduplicator) Close() error {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.memory == nil {
		return nil
	}
	err := d.memory.close()
	d.memory = nil
	return err
}
