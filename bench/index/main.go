//go:build linux

// Command index measures what the index on disk costs: folding, opening with verification, a day's
// append, checkpoints. It makes an index of each size in a directory, measures, and removes it.
//
//	go run ./index -dir /var/tmp -gib 1,8
//
// With -beyond it measures instead an index that is larger than the memory that it may take, on the
// records of a file:
//
//	go run ./index -dir /var/tmp -beyond FILE.jsonl
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"text/tabwriter"
	"time"

	"github.com/mithril-stream/mithril-stream/bench/harness/program"
	"github.com/mithril-stream/mithril-stream/bench/harness/recipe"
	"github.com/mithril-stream/mithril-stream/bench/harness/turns"
	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/internal/index"
	"golang.org/x/sync/errgroup"
	"golang.org/x/sys/unix"
)

const (
	bands, rows, votes = 32, 8, 8 // the default rule

	day            = 1_000_000 // records
	checkpoint     = 20_000    // records
	checkpoints    = 41
	coldRounds     = 3
	readers        = 8       // of the disk, at once
	readSize       = 1 << 20 // bytes
	linesOfMemory  = 64      // bytes
	touchesPerLine = 3       // so that hardly any line of a filled index is empty
)

func main() {
	log.SetFlags(0)
	dir := flag.String("dir", os.TempDir(), "directory on the disk to measure")
	sizes := flag.String("gib", "1,8", "sizes of the index")
	file := flag.String("beyond", "", "judge this file by an index larger than -limit, and by the same one in memory")
	l := limited{}
	flag.StringVar(&l.limit, "limit", "2GiB", "with -beyond: memory of the limited run")
	flag.IntVar(&l.capacity, "capacity", 200_000_000, "with -beyond: records that the index is planned for")
	flag.IntVar(&l.records, "records", 150_000_000, "with -beyond: records that are in it")
	flag.IntVar(&l.rounds, "rounds", 3, "with -beyond: how often each way is run")
	binary := program.Flag()
	flag.Parse()
	if l.binary = *binary; *file != "" {
		if err := inDirectory(*dir, func(dir string) error { return l.measure(dir, *file) }); err != nil {
			log.Fatal(err)
		}
		return
	}
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "filters\trecords\tcommit, fold\tmemory\tdisk\tread cold\topen cold\tverify "+
		"cold\topen/disk\tverify/disk\topen/read\topen warm\tverify warm\tday: observe\tday: commit, close\tday: "+
		"bytes\tbase written\tcheckpoint median\tp90\tmax")
	for size := range strings.SplitSeq(*sizes, ",") {
		gib, err := strconv.ParseFloat(size, 64)
		if err != nil {
			log.Fatal(err)
		}
		err = inDirectory(*dir, func(dir string) (err error) {
			m := &measurement{dir: filepath.Join(dir, "idx"), keys: make([]bloomlsh.Key, bands)}
			if m.params, err = recipe.OfSize(params, rows, gib*(1<<30)); err != nil {
				return err
			}
			return m.run(table)
		})
		if err != nil {
			log.Fatal(err)
		}
		table.Flush()
	}
}

// inDirectory calls run with a new directory in dir, which is gone afterwards.
func inDirectory(dir string, run func(dir string) error) error {
	made, err := os.MkdirTemp(dir, "bench-index-")
	if err != nil {
		return err
	}
	return errors.Join(run(made), os.RemoveAll(made))
}

// params are the defaults of an index that grows no further.
var params = bloomlsh.Params{Bands: bands, Votes: votes, FPRate: 1e-8, Filter: bloomlsh.FilterPaged,
	Remember: bloomlsh.RememberAll, OnFull: bloomlsh.OnFullRefuse}

// measurement goes through the life of one index.
type measurement struct {
	dir    string
	params bloomlsh.Params
	keys   []bloomlsh.Key
	random rand.PCG
	row    []string
}

func (m *measurement) run(table *tabwriter.Writer) error {
	for _, step := range []func() error{m.fill, m.memory, m.cold, m.openWarm, m.verifyWarm, m.appendDay,
		m.commitOften} {
		if err := step(); err != nil {
			return err
		}
	}
	fmt.Fprintln(table, strings.Join(m.row, "\t"))
	return nil
}

func (m *measurement) open() (*bloomlsh.Store, error) { return bloomlsh.Open(m.dir, m.params, nil) }

// fill inserts as many records as it takes to touch all of the memory, and writes them to a base
// file.
func (m *measurement) fill() error {
	s, err := m.open()
	if err != nil {
		return err
	}
	g := s.Stats().Generations[0]
	records := min(g.Bits/8/linesOfMemory*touchesPerLine/uint64(bands*g.Probes), g.Capacity-day-checkpoints*checkpoint)
	if err := m.observe(s, int(records)); err != nil {
		return err
	}
	// If the log is too long for the filters, the commit is the fold already, and there is nothing
	// left to compact.
	took, err := timed(func() error {
		if err := errors.Join(s.Commit(bloomlsh.Position{Records: records}), s.Close()); err != nil {
			return err
		}
		return bloomlsh.Compact(m.dir, index.Undo{})
	})
	m.add(fmt.Sprintf("%.2f GB", float64(g.Bits)/8e9), fmt.Sprint(records), took)
	return err
}

// memory takes as much memory as the filters, and nothing else.
func (m *measurement) memory() error {
	plan, err := bloomlsh.PlanIndex(m.params, rows)
	if err != nil {
		return err
	}
	return m.time(func() error {
		raw, err := takeMemory(int(plan.Memory))
		if err != nil {
			return err
		}
		for i := 0; i < len(raw); i += 4096 {
			raw[i] = 1
		}
		return unix.Munmap(raw)
	})
}

func takeMemory(size int) ([]byte, error) {
	raw, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err == nil {
		_ = unix.Madvise(raw, unix.MADV_HUGEPAGE)
	}
	return raw, err
}

// cold holds opening and verifying files that are not in the page cache against reading them and
// nothing else: past the page cache as fast as the disk gives (disk), and from end to end as any
// program does (read). By turns, since neither the disk nor the memory of a shared machine is
// always the same; of each the median, and of the ratios within a round.
func (m *measurement) cold() error {
	steps := []func() error{m.readDisk, m.readCold, m.openAndClose, m.verify}
	var rounds [coldRounds][]time.Duration
	for i := range rounds {
		for _, step := range steps {
			if err := m.evict(); err != nil {
				return err
			}
			took, err := timed(step)
			if err != nil {
				return err
			}
			rounds[i] = append(rounds[i], took)
		}
	}
	for step := range steps {
		m.add(time.Duration(medianOf(rounds[:], func(took []time.Duration) float64 { return float64(took[step]) })))
	}
	for _, ratio := range [][2]int{{2, 0}, {3, 0}, {2, 1}} {
		m.add(fmt.Sprintf("%.2f", medianOf(rounds[:],
			func(took []time.Duration) float64 { return took[ratio[0]].Seconds() / took[ratio[1]].Seconds() })))
	}
	return nil
}

func medianOf(rounds [][]time.Duration, value func([]time.Duration) float64) float64 {
	var values []float64
	for _, round := range rounds {
		values = append(values, value(round))
	}
	return turns.Median(values)
}

func (m *measurement) readDisk() error {
	return m.eachFile(os.O_RDONLY|unix.O_DIRECT, func(f *os.File, size int64) error {
		memory, err := takeMemory(readers * readSize)
		if err != nil {
			return err
		}
		defer unix.Munmap(memory)
		var next atomic.Int64
		var group errgroup.Group
		for reader := range readers {
			group.Go(func() error {
				for {
					offset := (next.Add(1) - 1) * readSize
					if offset >= size {
						return nil
					}
					if _, err := f.ReadAt(memory[reader*readSize:][:readSize], offset); err != nil && err != io.EOF {
						return err
					}
				}
			})
		}
		return group.Wait()
	})
}

func (m *measurement) readCold() error {
	return m.eachFile(os.O_RDONLY, func(f *os.File, _ int64) error {
		_, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, struct{ io.Reader }{f}, make([]byte, readSize))
		return err
	})
}

func (m *measurement) eachFile(flags int, read func(f *os.File, size int64) error) error {
	files, err := m.files()
	if err != nil {
		return err
	}
	for name, info := range files {
		f, err := os.OpenFile(filepath.Join(m.dir, name), flags, 0)
		if err != nil {
			return err
		}
		if err := errors.Join(read(f, info.Size()), f.Close()); err != nil {
			return err
		}
	}
	return nil
}

func (m *measurement) openAndClose() error {
	s, err := m.open()
	if err != nil {
		return err
	}
	return s.Close()
}

func (m *measurement) verify() error {
	return bloomlsh.Verify(m.dir)
}

// openWarm opens what is in the page cache.
func (m *measurement) openWarm() error {
	if err := m.readCold(); err != nil {
		return err
	}
	return m.time(m.openAndClose)
}

func (m *measurement) verifyWarm() error { return m.time(m.verify) }

// appendDay observes and commits a day's records. Opening is measured above.
func (m *measurement) appendDay() error {
	before, err := m.files()
	if err != nil {
		return err
	}
	s, err := m.open()
	if err != nil {
		return err
	}
	observe, err := timed(func() error { return m.observe(s, day) })
	if err != nil {
		return err
	}
	commit, err := timed(func() error { return errors.Join(s.Commit(bloomlsh.Position{}), s.Close()) })
	if err != nil {
		return err
	}
	after, err := m.files()
	if err != nil {
		return err
	}
	base := "no"
	var written int64
	for name, info := range after {
		old, was := before[name]
		if was && old.ModTime().Equal(info.ModTime()) {
			continue
		}
		if strings.HasPrefix(name, "base-") {
			base = "yes"
		}
		written += info.Size()
		if was {
			written -= old.Size()
		}
	}
	m.add(observe, commit, fmt.Sprintf("%.0f MB", float64(written)/1e6), base)
	return nil
}

func (m *measurement) commitOften() error {
	s, err := m.open()
	if err != nil {
		return err
	}
	var all []time.Duration
	for range checkpoints {
		if err := m.observe(s, checkpoint); err != nil {
			return err
		}
		took, err := timed(func() error { return s.Commit(bloomlsh.Position{}) })
		if err != nil {
			return err
		}
		all = append(all, took)
	}
	slices.Sort(all)
	m.add(all[len(all)/2], all[len(all)*9/10], all[len(all)-1])
	return s.Close()
}

func (m *measurement) observe(s *bloomlsh.Store, records int) error {
	for range records {
		recipe.Random(m.keys, &m.random)
		if _, err := s.Observe(m.keys, make([]uint16, 1)); err != nil {
			return err
		}
	}
	return nil
}

func (m *measurement) files() (map[string]os.FileInfo, error) {
	entries, err := os.ReadDir(m.dir)
	files := map[string]os.FileInfo{}
	for _, entry := range entries {
		if files[entry.Name()], err = entry.Info(); err != nil {
			return nil, err
		}
	}
	return files, err
}

// evict drops the files from the page cache.
func (m *measurement) evict() error {
	return m.eachFile(os.O_RDONLY, func(f *os.File, _ int64) error {
		return unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED)
	})
}

func (m *measurement) add(values ...any) {
	for _, value := range values {
		if took, ok := value.(time.Duration); ok {
			value = took.Round(10 * time.Microsecond)
		}
		m.row = append(m.row, fmt.Sprint(value))
	}
}

// time adds how long something takes.
func (m *measurement) time(f func() error) error {
	took, err := timed(f)
	m.add(took)
	return err
}

func timed(f func() error) (time.Duration, error) {
	start := time.Now()
	err := f()
	return time.Since(start), err
}
