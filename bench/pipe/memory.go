package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/mithril-stream/mithril-stream/bench/harness/markdown"
	"github.com/mithril-stream/mithril-stream/bench/harness/program"
)

type memoryCommand struct{ common }

// Budgets of the design.
const (
	budgetAllocations = 0.01 // a record, in steady state: none but what happens once in a long while
	budgetMemory      = 64 << 20
	longRecord        = 32 << 20
)

func (c memoryCommand) Run(out io.Writer, w workplace) error {
	a := markdown.New("records", "allocations a record in steady state")
	var over []error // budgets that are not kept: the tables are written all the same
	m := markdown.New("records", "threads", "index, MiB", "peak beyond the index, MiB", "budget, MiB")
	var generated data
	err := c.eachFile(w, func(i int, d data) error {
		if i == 0 {
			generated = d
		}
		perRecord, err := steadyAllocations(d)
		if err != nil {
			return err
		}
		a.Add(d, perRecord)
		within, err := c.peaks(m, d)
		if err != nil {
			return err
		}
		over = append(over, within)
		if perRecord > budgetAllocations {
			over = append(over, fmt.Errorf("%s: %g allocations a record", d.name, perRecord))
		}
		return nil
	})
	if err != nil {
		return err
	}
	path, err := w.books()
	if err != nil {
		return err
	}
	books, err := w.load(path)
	if err != nil {
		return err
	}
	within, err := c.peaks(m, books)
	if err != nil {
		return err
	}
	over = append(over, within)
	long := `{"text":"` + strings.Repeat("word ", longRecord/5) + `"}` + "\n"
	within, err = c.peak(m, "generated, with one record of 32 MiB", 8, generated, long)
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "Allocations: the second half of a file, by the difference between half of it and all of it.")
	fmt.Fprintln(out)
	a.Write(out)
	fmt.Fprintln(out, "Peak resident memory less the index; the index is small here (--capacity), so that all of it "+
		"is resident.\nThe budget is 64 MiB and twice the longest record.")
	fmt.Fprintln(out)
	m.Write(out)
	return errors.Join(append(over, within)...)
}

// steadyAllocations is what the second half of the file adds.
func steadyAllocations(d data) (float64, error) {
	f, err := os.Open(d.path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	measure := func(bytes int64) (uint64, uint64, error) {
		return allocations(io.NewSectionReader(f, 0, bytes))
	}
	if _, _, err := measure(d.bytes); err != nil { // fills tables and pools
		return 0, err
	}
	half, halfRecords, err := measure(d.bytes / 2)
	if err != nil {
		return 0, err
	}
	whole, records, err := measure(d.bytes)
	if err != nil {
		return 0, err
	}
	return (float64(whole) - float64(half)) / float64(records-halfRecords), nil
}

// peaks is peak with one thread and with eight.
func (c memoryCommand) peaks(t *markdown.Table, d data) (within, err error) {
	for _, threads := range []int{1, 8} {
		one, err := c.peak(t, d.String(), threads, d, "")
		if err != nil {
			return nil, err
		}
		within = errors.Join(within, one)
	}
	return within, nil
}

// peak runs the program on the file, with a long record in front, and adds a row. It returns first
// whether the budget was kept.
func (c memoryCommand) peak(t *markdown.Table, name string, threads int, d data, long string) (within, err error) {
	f, err := os.Open(d.path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	stats, err := program.Run(c.Program, []string{
		"--threads", strconv.Itoa(threads), "--capacity", strconv.Itoa(d.records + 1), "--fp-rate", "1e-4",
	}, io.MultiReader(strings.NewReader(long), f))
	if err != nil {
		return nil, err
	}
	const mib = 1 << 20
	beyond := int64(stats.PeakMemory) - int64(stats.IndexBytes())
	budget := int64(budgetMemory + 2*max(d.longest, len(long)))
	t.Add(name, threads, float64(stats.IndexBytes())/mib, float64(beyond)/mib, float64(budget)/mib)
	if beyond > budget {
		within = fmt.Errorf("%s, %d threads: %d bytes beyond the index, the budget is %d", name, threads, beyond,
			budget)
	}
	return within, nil
}
