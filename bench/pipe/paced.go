package main

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"os"
	"time"

	"github.com/mithril-stream/mithril-stream/bench/harness/markdown"
	"github.com/mithril-stream/mithril-stream/stream"
)

// slowness is how many times as long each stage takes in a paced run as in a real one. The more it
// is, the less of the time is real work, which few cores have to share.
const slowness = 50

// paced runs the real pipeline with stages that sleep for as long as their work would take on a
// core of their own, slowness times as long. So the way of the batches between them, their number
// and their order are real, whatever the number of cores, and only the work is not: what is less
// than the model's figure is lost on that way.
func (c coresCommand) paced(out io.Writer, path string, s stageCosts, four, eight float64) error {
	t := markdown.New("workers", "paced, records/s", "bound", "share of the bound", "narrowest")
	for _, threads := range []int{1, 2, 4, 8, 16, 32, 64} {
		index := s.index
		switch {
		case threads >= 32:
			index = eight
		case threads >= 16:
			index = four
		}
		p := paces{reader: s.reader, worker: s.all - s.reader - s.committer, committer: s.committer - s.index + index}
		rate, err := p.run(path, threads)
		if err != nil {
			return err
		}
		bound, narrowest := p.bound(threads)
		t.Add(threads, math.Round(rate), math.Round(bound), rate/bound, narrowest)
	}
	fmt.Fprintf(out, "The program's pipeline with stages that sleep in place of their work, %d times as long "+
		"(the reader %.2f µs a record, a worker %.2f, the committer as in the model), its speed times %d:\n\n",
		slowness, s.reader, s.all-s.reader-s.committer, slowness)
	t.Write(out)
	return nil
}

// paces are what a record costs the stages, in microseconds.
type paces struct{ reader, worker, committer float64 }

// bound is the records a second of the narrowest stage, and which one that is.
func (p paces) bound(threads int) (rate float64, stage string) {
	cost, stage := p.worker/float64(threads), "workers"
	if p.reader > cost {
		cost, stage = p.reader, "reader"
	}
	if p.committer > cost {
		cost, stage = p.committer, "committer"
	}
	return 1e6 / cost, stage
}

// run returns how many records a second a paced run takes, as if nothing were slowed down.
func (p paces) run(path string, threads int) (rate float64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	records, err := countLines(f)
	if err != nil {
		return 0, err
	}
	perByte := float64(records) / float64(info.Size())
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return 0, err
	}
	started := time.Now()
	_, err = pipeline(&pacedReader{in: f, pacer: newPacer(p.reader * perByte)}, io.Discard, threads, stream.Method{
		NewSketcher: func() stream.Sketcher { return &pacedSketcher{newPacer(p.worker * perByte)} },
		Judge:       &pacedJudge{pacer: newPacer(p.committer)},
	})
	return float64(records) / time.Since(started).Seconds() * slowness, err
}

func countLines(r io.Reader) (n int, err error) {
	lines := bufio.NewReaderSize(r, 1<<20)
	for err == nil {
		if _, err = lineLength(lines); err == nil {
			n++
		}
	}
	if err == io.EOF {
		err = nil
	}
	return n, err
}

// A pacer lets what passes take its time. It sleeps for a while at once, since a short sleep lasts
// longer than it should, and makes up for what a sleep was too long.
type pacer struct {
	unit time.Duration // of a thousand units
	next time.Time     // when what has passed is done
}

const (
	leastSleep = 2 * time.Millisecond
	mostCredit = time.Millisecond // longer than that was no sleep that took too long, but idle
)

// newPacer makes a pacer of units of so many microseconds before they are slowed down.
func newPacer(microseconds float64) pacer {
	return pacer{unit: time.Duration(microseconds * slowness * 1e6)}
}

func (p *pacer) pass(units int) {
	now := time.Now()
	if now.Sub(p.next) > mostCredit {
		p.next = now.Add(-mostCredit)
	}
	p.next = p.next.Add(time.Duration(units) * p.unit / 1000)
	if ahead := p.next.Sub(now); ahead > leastSleep {
		time.Sleep(ahead)
	}
}

type pacedReader struct {
	in io.Reader
	pacer
}

func (r *pacedReader) Read(p []byte) (n int, err error) {
	n, err = r.in.Read(p)
	r.pass(n)
	return n, err
}

type pacedSketcher struct{ pacer }

// Append makes a sketch of one word, since a text without one has nothing to compare.
func (s *pacedSketcher) Append(dst []uint64, text []byte) (words []uint64, ok bool) {
	s.pass(len(text))
	return append(dst, 1), true
}

type pacedJudge struct {
	stream.KeepAll
	pacer
}

func (j *pacedJudge) Judge(b stream.Batch, out []stream.Verdict) (judged int, err error) {
	j.pass(b.Len())
	return j.KeepAll.Judge(b, out)
}
