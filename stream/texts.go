package stream

import (
	"iter"
)

// Texts judges texts one after the other, in order, for callers that have no records: the i-th
// verdict is about the i-th text. It ends after the first error. A text with nothing to compare is
// not a duplicate.
//
// It runs in the goroutine that iterates. Run is many times faster, since it works in parallel.
func (m Method) Texts(texts iter.Seq[[]byte]) iter.Seq2[Verdict, error] {
	return func(yield func(Verdict, error) bool) {
		sketcher := m.NewSketcher()
		var b Batch
		var out [1]Verdict
		for text := range texts {
			b.reset()
			p, ok := Problem{}, false
			if b.Words, ok = sketcher.Append(b.Words, text); !ok {
				p = NoText
			}
			b.add(p)
			_, err := m.Judge.Decide(b, out[:])
			if err != nil {
				yield(Verdict{}, err)
				return
			}
			if !p.IsReadable() {
				out[0] = Verdict{}
			}
			if !yield(out[0], nil) {
				return
			}
		}
	}
}
