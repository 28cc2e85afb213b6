package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mithril-stream/mithril-stream/bench/harness/records"
)

type englishCommand struct {
	Count int    `default:"100000" help:"Records."`
	Bytes int    `default:"2000" help:"Of a text, at least: 1500000 is a book."`
	Seed  uint64 `default:"1" help:"Seed of the texts."`
}

func (c englishCommand) Run(out io.Writer) error { return writeEnglish(out, c.Count, c.Bytes, c.Seed) }

// english writes texts that look like English to a tokeniser: words by Zipf's law, their lengths
// those of English, sentences and paragraphs, capitals, numbers, and now and then a character
// beyond ASCII. Every document is another one: a tokeniser that sees the same few documents again
// and again looks up to twice as fast as it is, since the processor learns them by heart.
type english struct {
	rng        *rand.Rand
	vocabulary []string
	cumulative []float64 // of the words' probabilities
}

// The most frequent words are these; the others are made of syllables.
var frequent = strings.Fields(`the of and to a in is that it was for on are as with his they at be
	this from have or by one had not but what all were when we there can an your which their said if
	do will each about how up out them then she many some so these would other into has more her two
	like him see time could no make than first been its who now people my made over did down only`)

const (
	vocabularySize = 40_000
	pageBytes      = 2000      // of a text, before it is made JSON
	bookBytes      = 1_500_000 // of a long one
)

func newEnglish(seed uint64) *english {
	e := &english{rng: rand.New(rand.NewPCG(seed, 0))}
	known := map[string]bool{}
	for _, w := range frequent {
		known[w] = true
		e.vocabulary = append(e.vocabulary, w)
	}
	for len(e.vocabulary) < vocabularySize {
		if w := e.newWord(); !known[w] {
			known[w] = true
			e.vocabulary = append(e.vocabulary, w)
		}
	}
	sum := 0.0
	for rank := range e.vocabulary {
		sum += 1 / (float64(rank) + 2.7) // Zipf, Mandelbrot
		e.cumulative = append(e.cumulative, sum)
	}
	return e
}

var (
	onsets = strings.Fields("b c d f g h l m n p r s t v w st tr pr ch sh th pl gr cr sp con de re in un")
	nuclei = strings.Fields("a e i o u a e i o ea ou ai io")
	codas  = strings.Fields("n r s t l d m nd st ng ck ly tion ment ed er es")
)

// newWord makes a word of one to four syllables.
func (e *english) newWord() string {
	var b strings.Builder
	for range 1 + e.rng.IntN(2) + e.rng.IntN(3)/2 {
		b.WriteString(onsets[e.rng.IntN(len(onsets))])
		b.WriteString(nuclei[e.rng.IntN(len(nuclei))])
	}
	b.WriteString(codas[e.rng.IntN(len(codas))])
	return b.String()
}

func (e *english) word() string {
	x := e.rng.Float64() * e.cumulative[len(e.cumulative)-1]
	rank, _ := slices.BinarySearch(e.cumulative, x)
	return e.vocabulary[rank]
}

// text makes a document of about the given length in bytes.
func (e *english) text(bytes int) string {
	var b strings.Builder
	for b.Len() < bytes {
		e.sentence(&b)
		switch {
		case b.Len() >= bytes:
		case e.rng.IntN(6) == 0:
			b.WriteString("\n\n")
		default:
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// sentence has some twenty words; see Sigurd, Eeg-Olofsson, van de Weijer 2004 for such lengths.
func (e *english) sentence(b *strings.Builder) {
	words := max(3, int(20+8*e.rng.NormFloat64()))
	quoted := e.rng.IntN(12) == 0
	if quoted {
		b.WriteString("“")
	}
	for i := range words {
		w := e.word()
		switch {
		case i == 0 || e.rng.IntN(25) == 0:
			w = strings.ToUpper(w[:1]) + w[1:]
		case e.rng.IntN(60) == 0:
			w = fmt.Sprint(int(math.Exp(e.rng.Float64() * 9)))
		case e.rng.IntN(80) == 0:
			w += "’s"
		}
		if i > 0 {
			b.WriteString(e.gap())
		}
		b.WriteString(w)
	}
	b.WriteByte(".....?!:"[e.rng.IntN(8)])
	if quoted {
		b.WriteString("”")
	}
}

// gap is what stands between two words.
func (e *english) gap() string {
	switch n := e.rng.IntN(200); {
	case n < 12:
		return ", "
	case n == 12:
		return " – "
	case n < 15:
		return "-"
	case n == 15:
		return " \""
	}
	return " "
}

// writeEnglish writes JSON Lines.
func writeEnglish(out io.Writer, count, bytes int, seed uint64) error {
	e := newEnglish(seed)
	w := bufio.NewWriterSize(out, 1<<20)
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	for i := range count {
		err := encoder.Encode(struct {
			ID   string `json:"id"`
			Text string `json:"text"`
		}{fmt.Sprintf("english-%d", i), e.text(bytes)})
		if err != nil {
			return err
		}
	}
	return w.Flush()
}

// english writes the generated records to a file, unless that was done before.
func (w workplace) english(count int) (path string, err error) { return w.generated(count, pageBytes) }

// books are 50 records of 1.5 MB.
func (w workplace) books() (path string, err error) { return w.generated(50, bookBytes) }

func (w workplace) generated(count, bytes int) (path string, err error) {
	path = filepath.Join(string(w), fmt.Sprintf("english-%d-%d.jsonl", count, bytes))
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	return path, records.Write(path, func(w *bufio.Writer) error { return writeEnglish(w, count, bytes, 1) })
}
