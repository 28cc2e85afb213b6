package eval

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"
)

// Findings are the results of a comparison. The best setting of a method has the highest F1 in the
// grid; ties go to the cheapest, that is, the fewest bytes, then the shortest signature, then the
// first.
type Findings struct {
	Grid   []Result      // of all settings
	Best   []Result      // the best of each method
	Tested []Result      // the best on the test corpus, if there is one
	Shares []ShareResult // the best by share of duplicates
	Sizes  []Result      // the best on prefixes of the records of increasing length
}

// Judged returns the best settings with results on the test corpus, or on the only corpus.
func (f Findings) Judged() []Result {
	if len(f.Tested) > 0 {
		return f.Tested
	}
	return f.Best
}

// A ShareResult is the result for a corpus with a given share of duplicates.
type ShareResult struct {
	Share float64
	Result
}

// The parts of a comparison after the grid.
var (
	shares = []float64{.1, .2, .3, .4, .5, .6, .7, .8, .9}
	sizes  = []int{16, 8, 4, 2, 1} // fractions of the records, as denominators
)

// leastShare is the minimum number of records of a corpus by share.
const leastShare = 100

// Compare runs the grid on c, and the best setting of each method on parts of test, or of c if test
// is empty. done is called after each run, by one goroutine at a time.
func (e *Evaluator) Compare(ctx context.Context, c, test Corpus, g Grid, threads int, done func(runs, of int)) (
	f Findings, err error,
) {
	settings := g.Settings()
	p := &progress{done: done, of: len(settings) + len(g.Methods)*(len(shares)+len(sizes)+1)}
	tasks := make([]task, len(settings))
	for i, s := range settings {
		tasks[i] = task{c, s}
	}
	if f.Grid, err = e.runAll(ctx, tasks, threads, p); err != nil {
		return f, err
	}
	f.Best = best(f.Grid)
	if len(test.Texts) > 0 {
		if f.Tested, err = e.runAll(ctx, tasksOf(test, f.Best), threads, p); err != nil {
			return f, err
		}
		c = test
	}
	if err := e.byShare(ctx, c, &f, threads, p); err != nil {
		return f, err
	}
	for _, part := range sizes {
		if len(c.Texts)/part < 1 {
			continue
		}
		results, err := e.runAll(ctx, tasksOf(c.Head(len(c.Texts)/part), f.Best), threads, p)
		if err != nil {
			return f, err
		}
		f.Sizes = append(f.Sizes, results...)
	}
	return f, nil
}

// byShare uses corpora of the same size, the largest for which all shares are possible, or else as
// many shares as possible.
func (e *Evaluator) byShare(ctx context.Context, c Corpus, f *Findings, threads int, p *progress) error {
	for _, of := range sharesOf(c) {
		results, err := e.runAll(ctx, tasksOf(of.Corpus, f.Best), threads, p)
		if err != nil {
			return err
		}
		for _, r := range results {
			f.Shares = append(f.Shares, ShareResult{of.share, r})
		}
	}
	return nil
}

type shared struct {
	share float64
	Corpus
}

// sharesOf returns parts of a corpus with different shares of duplicates.
func sharesOf(c Corpus) []shared {
	for most := len(shares); most > 1; most-- {
		low, high := leastShare, len(c.Texts)+1
		fits := func(n int) bool {
			for _, share := range shares[:most] {
				if _, ok := c.WithShare(n, share, 1); !ok {
					return false
				}
			}
			return true
		}
		if len(c.Texts) < leastShare || !fits(low) {
			continue
		}
		for high-low > 1 { // fits(low), and not fits(high)
			if middle := (low + high) / 2; fits(middle) {
				low = middle
			} else {
				high = middle
			}
		}
		var parts []shared
		for _, share := range shares[:most] {
			part, _ := c.WithShare(low, share, 1)
			parts = append(parts, shared{share, part})
		}
		return parts
	}
	return nil
}

// best returns the best result of each method.
func best(results []Result) (list []Result) {
	for _, r := range results {
		i := slices.IndexFunc(list, func(b Result) bool { return b.Method == r.Method })
		switch {
		case i < 0:
			list = append(list, r)
		case better(r, list[i]):
			list[i] = r
		}
	}
	return list
}

// better reports whether a is better than b. It ignores time, which varies between runs.
func better(a, b Result) bool {
	switch {
	case a.F1() != b.F1():
		return a.F1() > b.F1()
	case a.Bytes != b.Bytes:
		return a.Bytes < b.Bytes
	}
	return a.NumPerm < b.NumPerm
}

// Tied says which other settings are as good as the best ones and why they are not listed, or
// returns "".
func (f Findings) Tied() string {
	var parts []string
	for _, of := range f.Best {
		count := -1 // the best setting itself
		for _, r := range f.Grid {
			if r.Method == of.Method && r.F1() == of.F1() {
				count++
			}
		}
		if count > 0 {
			parts = append(parts, fmt.Sprintf("%d of %s", count, of.Method))
		}
	}
	if parts == nil {
		return ""
	}
	return "Other settings have the same F1 as the one that is named: " + strings.Join(parts, ", ") +
		". It takes the fewest bytes of them, then the shortest signatures."
}

// A task is a setting on a corpus.
type task struct {
	Corpus
	Setting
}

func tasksOf(c Corpus, of []Result) (tasks []task) {
	for _, r := range of {
		tasks = append(tasks, task{c, r.Setting})
	}
	return tasks
}

// A progress counts runs.
type progress struct {
	mu       sync.Mutex
	runs, of int
	done     func(runs, of int)
}

func (p *progress) add() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.runs++
	p.done(p.runs, p.of)
}

// runAll runs the tasks on several threads, and returns results in the same order. It stops at the
// first error.
func (e *Evaluator) runAll(ctx context.Context, tasks []task, threads int, p *progress) ([]Result, error) {
	results := make([]Result, len(tasks))
	workers, going := errgroup.WithContext(ctx)
	workers.SetLimit(max(1, threads))
	for i, of := range tasks {
		workers.Go(func() (err error) {
			if going.Err() != nil {
				return nil
			}
			defer p.add()
			results[i], err = e.Run(of.Corpus, of.Setting)
			return err
		})
	}
	if err := workers.Wait(); err != nil {
		return nil, err
	}
	return results, context.Cause(ctx)
}
