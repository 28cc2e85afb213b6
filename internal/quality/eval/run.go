package eval

import (
	"fmt"
	"runtime"
	"sync"

	"github.com/mithril-stream/mithril-stream/bloomlsh/lsh"
	"github.com/mithril-stream/mithril-stream/internal/record"
	"github.com/mithril-stream/mithril-stream/sketch"
	"github.com/mithril-stream/mithril-stream/stream"
)

// An Evaluator runs methods. It is safe for concurrent use.
type Evaluator struct {
	// Text configures how texts become sets. ShingleSize, NumPerm, Bands and Rows come from the
	// setting.
	Text sketch.Params
	// sketch.New, or a version with more tokenizers
	NewSketcher func(sketch.Params) (*sketch.Sketcher, error)
	FPRate      float64  // of filters
	Vectors     *Vectors // for Embedding; else nil

	rules rules
}

// A Result says how a setting performed on a corpus.
type Result struct {
	Setting
	Rule             string // the banding rule; empty for other methods
	Records          int
	Duplicates       int     // according to the truth
	Right            int     // removed duplicates: TP
	Wrong            int     // removed records that are not duplicates: FP
	SketchingSeconds float64 // CPU seconds for sketching
	JudgingSeconds   float64 // CPU seconds for judging
	Bytes            uint64  // memory at the end
	ByKind           Kinds   // nil if the corpus has no kinds
}

// Missed returns the number of duplicates that were kept: FN.
func (r Result) Missed() int { return r.Duplicates - r.Right }

// Precision returns the share of removed records that are duplicates, or 1 if none was removed.
func (r Result) Precision() float64 { return share(r.Right, r.Right+r.Wrong) }

// Recall returns the share of duplicates that were removed, or 1 without duplicates.
func (r Result) Recall() float64 { return share(r.Right, r.Duplicates) }

// F1 returns TP/(TP+½(FP+FN)), or 1 if there was nothing to remove and nothing was.
func (r Result) F1() float64 { return share(2*r.Right, 2*r.Right+r.Wrong+r.Missed()) }

// Seconds returns the CPU time of both steps.
func (r Result) Seconds() float64 { return r.SketchingSeconds + r.JudgingSeconds }

func share(part, all int) float64 {
	if all == 0 {
		return 1
	}
	return float64(part) / float64(all)
}

// batchRecords is the number of records sketched before they are judged, as in a stream.
const batchRecords = 256

// Run applies a setting to a corpus.
func (e *Evaluator) Run(c Corpus, s Setting) (r Result, err error) {
	m := find(s.Method)
	if m == nil {
		return r, fmt.Errorf("method %q is not known", s.Method)
	}
	of := size{records: max(1, len(c.Texts))}
	for _, text := range c.Texts {
		of.bytes += len(text)
	}
	trial, err := m.begin(e, s, of)
	if err != nil {
		return r, fmt.Errorf("%s: %w", s, err)
	}
	r = Result{Setting: s, Rule: trial.rule, Records: len(c.Texts), Duplicates: c.Duplicates(), ByKind: c.byKind()}
	if err := trial.run(c, &r); err != nil {
		return r, fmt.Errorf("%s: %w", s, err)
	}
	r.Bytes = trial.bytes()
	return r, trial.close()
}

// run measures the CPU time of its thread, so that other work of the machine has little effect.
func (t *trial) run(c Corpus, r *Result) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var batch stream.Batch
	var readable []int // records of the batch with something to compare
	verdicts := make([]stream.Verdict, batchRecords)
	for start := 0; start < len(c.Texts); start += batchRecords {
		batch.Words, batch.Ends, readable = batch.Words[:0], batch.Ends[:0], readable[:0]
		began := cpuSeconds()
		for i := start; i < min(start+batchRecords, len(c.Texts)); i++ {
			words, ok := t.sketcher.Append(batch.Words, c.Texts[i])
			if ok {
				batch.Words, batch.Ends = words, append(batch.Ends, len(words))
				readable = append(readable, i)
			}
		}
		batch.Problems = make([]record.Problem, len(readable))
		sketched := cpuSeconds()
		if _, err := t.judge.Decide(batch, verdicts[:len(readable)]); err != nil {
			return err
		}
		r.SketchingSeconds, r.JudgingSeconds = r.SketchingSeconds+sketched-began, r.JudgingSeconds+cpuSeconds()-sketched
		for at, i := range readable {
			switch {
			case !verdicts[at].Duplicate:
			case c.Parents[i] >= 0:
				r.Right++
				r.ByKind.found(c, i)
			default:
				r.Wrong++
			}
		}
	}
	return nil
}

// rules caches the results of tuning, which takes longer than some runs.
type rules struct {
	mu    sync.Mutex
	found map[ruleKey]lsh.Banding
}

type ruleKey struct {
	how            string
	threshold      float64
	numPerm, votes int
}

func (r *rules) find(o lsh.TuneOptions) (lsh.Banding, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	key := ruleKey{o.How, o.Threshold, o.NumPerm, o.Votes}
	if rule, ok := r.found[key]; ok {
		return rule, nil
	}
	rule, err := lsh.Tune(o)
	if err != nil {
		return rule, err
	}
	if r.found == nil {
		r.found = map[ruleKey]lsh.Banding{}
	}
	r.found[key] = rule
	return rule, nil
}
