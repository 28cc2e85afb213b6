package sketchers

import (
	"encoding/binary"

	"github.com/mithril-stream/mithril-stream/sketch"
	"github.com/mithril-stream/mithril-stream/stream"
)

// An ExamineSketch examines what distinguishes the sketch of a text from others, and may ask for
// the case-folded text. Both are valid until it returns. It is called concurrently.
type ExamineSketch func(sketch []byte, folded func() []byte)

// WatchSketches returns a function that makes sketchers like made, and has examine see each sketch.
func WatchSketches(made func() stream.Sketcher, examine ExamineSketch) func() stream.Sketcher {
	return func() stream.Sketcher {
		folded, _ := sketch.NewNormalizer("nfkc-fold") // the name is right
		return &watched{Sketcher: made(), examine: examine, folded: folded}
	}
}

// watched is a sketcher whose sketches are examined.
type watched struct {
	stream.Sketcher
	examine ExamineSketch
	folded  sketch.Normalizer
	key     []byte // scratch
	text    []byte // scratch
}

// Unwrap returns the watched sketcher.
func (w *watched) Unwrap() stream.Sketcher { return w.Sketcher }

// Append appends the sketch of a text.
func (w *watched) Append(dst []uint64, text []byte) (words []uint64, ok bool) {
	words, ok = w.Sketcher.Append(dst, text)
	if !ok || len(words) == len(dst) {
		return words, ok
	}
	w.key = w.key[:0]
	for _, word := range words[len(dst):] {
		w.key = binary.LittleEndian.AppendUint64(w.key, word)
	}
	w.examine(w.key, func() []byte {
		w.text = w.folded.Append(w.text[:0], text)
		return w.text
	})
	if cap(w.text) > MaxText {
		w.text = nil
	}
	return words, ok
}

// WatchTexts returns a function that makes sketchers like made, and has examine see each sketch and
// its text. Both are valid until it returns. It is called concurrently.
func WatchTexts(made func() stream.Sketcher, examine func(sketch []uint64, text []byte)) func() stream.Sketcher {
	return func() stream.Sketcher { return &watchedTexts{made(), examine} }
}

// watchedTexts is a sketcher whose sketches are examined together with the texts.
type watchedTexts struct {
	stream.Sketcher
	examine func(sketch []uint64, text []byte)
}

// Unwrap returns the watched sketcher.
func (w *watchedTexts) Unwrap() stream.Sketcher { return w.Sketcher }

// Append appends the sketch of a text.
func (w *watchedTexts) Append(dst []uint64, text []byte) (words []uint64, ok bool) {
	if words, ok = w.Sketcher.Append(dst, text); ok {
		w.examine(words[len(dst):], text)
	}
	return words, ok
}
