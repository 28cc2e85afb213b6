// Package dedup removes near-duplicates from texts by the rule of the program: a text is a
// duplicate if it resembles any earlier text. Unique and Verdicts take a sequence of texts, Filter
// takes JSON Lines, and a Deduplicator takes one text at a time, from any number of goroutines.
//
// An index is the same as that of the program: either continues what the other has written, if the
// options are the same, as with mithril-stream --index DIR, --memory exact, --threshold and
// --within. For other sketches, formats and outputs use the packages sketch, bloomlsh and stream.
package dedup

import (
	"errors"
	"iter"
)

// Options say what counts as a duplicate, and what is remembered. Their zero value is the default
// of the program.
type Options struct {
	// Threshold is the Jaccard similarity of sets of five words from which two texts should count
	// as duplicates, between 0 and 1; 0 means 0.85.
	Threshold float64

	// Index is a directory that remembers the texts for later sequences; if it is empty, nothing is
	// remembered. It is created if it is not there. It may be one that the program has written to
	// with the same rule, and the program may go on with it.
	Index string

	// Run names what is added to Index in one go, such as a day, so that it can be done again: with
	// the same texts in the same order, the same Run gets the same verdicts, whatever was added
	// since, and Index stays as it is. So a task that has failed to store what was let through can
	// be run again. Other texts, or another order, are a ConfigError at the latest when a sequence
	// or a Filter ends, or by Commit; do not use verdicts of before that. The last 30 runs of Index
	// can be repeated, and mithril-stream index undo takes the last one back.
	Run string

	// Exact remembers which text is which in place of Bloom filters, so that a Verdict says which
	// text a duplicate resembles, and how much. A text takes some 115 bytes in place of 70, and two
	// bytes in Index, or in an unnamed temporary file, for each of its shingles.
	Exact bool

	// Capacity is the expected number of texts. More are not an error, without MaxMemory. 0 means
	// the capacity of an existing index, or a million for a new one.
	Capacity uint64

	// MaxMemory is how many bytes may be taken for what is remembered; 0: as many as there are. A
	// text for which there is no more room ends the sequence with a MemoryError. Without Capacity
	// filters are as large as that allows. It does not go with Index, which is on disk too.
	MaxMemory uint64

	// Within compares a text only with those of the same value, such as a language or a site, with
	// the results of a run for each value. It names that value as the program's --within does: as a
	// field that Filter reads, and to bind Index to it. With a form, as in "url:domain", it
	// compares that part of a URL. A Deduplicator takes values through AddWithin and SeenWithin.
	Within string
}

// A Verdict is what is known of a text.
type Verdict struct {
	Text      string
	Duplicate bool

	// Original is the position of the most similar earlier text, from 0 and since the index was
	// begun, and Similarity their Jaccard similarity, or an estimate if Index was made without
	// shingles. Without Options.Exact, and of a text that is no duplicate, they are -1 and 0.
	Original   int
	Similarity float64
}

// Unique yields the texts that resemble no earlier one, in their order. A text without a letter or
// digit resembles another one if both have the same bytes, and a blank one resembles nothing. An
// error, after which nothing follows, comes with an empty text; it is of a kind that errors.As
// finds (ConfigError, IOError, MemoryError).
//
// With Options.Index texts are remembered when all of them were read and the last one was yielded.
// A loop that is left before, or an error, leaves the index as it was, so that no text is removed
// later that was not yielded here. Nothing is opened before the first text is asked for; one
// sequence at a time can use a directory.
func Unique(texts iter.Seq[string], o Options) iter.Seq2[string, error] {
	return UniqueSeq2(infallible(texts), o)
}

// UniqueSeq2 is Unique for texts whose reading may fail, such as lines of a file. An error of texts
// ends the sequence as an IOError, and leaves the index as it was; the text beside it is not looked
// at.
func UniqueSeq2(texts iter.Seq2[string, error], o Options) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for v, err := range VerdictsSeq2(texts, o) {
			if (err != nil || !v.Duplicate) && !yield(v.Text, err) {
				return
			}
		}
	}
}

// Verdicts yields a verdict for each text, in their order, and otherwise does what Unique does.
func Verdicts(texts iter.Seq[string], o Options) iter.Seq2[Verdict, error] {
	return VerdictsSeq2(infallible(texts), o)
}

// VerdictsSeq2 is Verdicts for texts whose reading may fail, as UniqueSeq2 takes them.
func VerdictsSeq2(texts iter.Seq2[string, error], o Options) iter.Seq2[Verdict, error] {
	return func(yield func(Verdict, error) bool) {
		if o.Within != "" {
			yield(Verdict{Original: -1}, &ConfigError{"Within",
				errors.New("a sequence of texts has no values: use Filter or Deduplicator.AddWithin")})
			return
		}
		d, err := Open(o)
		if err != nil {
			yield(Verdict{Original: -1}, err)
			return
		}
		if err = d.rememberAll(texts, yield); err != nil && !errors.Is(err, errLeft) {
			yield(Verdict{Original: -1}, err)
		}
	}
}

// rememberAll adds texts, yields their verdicts, commits and closes. It closes also if texts or the
// body of the loop panics, or ends its goroutine.
func (d *Deduplicator) rememberAll(texts iter.Seq2[string, error], yield func(Verdict, error) bool) (err error) {
	defer func() { err = errors.Join(err, d.Close()) }()
	if err = d.addAll(texts, yield); err == nil {
		err = d.Commit()
	}
	return err
}

// infallible are texts that are read without an error.
func infallible(texts iter.Seq[string]) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for text := range texts {
			if !yield(text, nil) {
				return
			}
		}
	}
}

// errLeft says that the loop was left, so that nothing may be yielded any more.
var errLeft = errors.New("the loop was left")

// addAll adds texts and yields their verdicts.
func (d *Deduplicator) addAll(texts iter.Seq2[string, error], yield func(Verdict, error) bool) error {
	for text, err := range texts {
		if err != nil {
			return &IOError{Of: "input", Err: err}
		}
		v, err := d.Add(text)
		if err != nil {
			return err
		}
		if !yield(v, nil) {
			return errLeft
		}
	}
	return nil
}
