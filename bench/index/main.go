//go:build linux

// Command index measures what the index on disk costs: folding, opening with verification, a day's append, checkpoints. It makes
// an index of each size in a directory, measures, and removes it.
//
//	go run ./bench/index -dir /var/tmp -gib 1,8
package main

import (
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"golang.org/x/sys/unix"
)

const (
	bands = 14 // the default banding: T = .85, 128 permutations, tuned for recall
	rows  = 9

	day            = 1_000_000 // records
	checkpoint     = 20_000    // records
	checkpoints    = 41
	linesOfMemory  = 64 // bytes
	touchesPerLine = 3  // so that hardly any line of a filled index is empty
)

func main() {
	log.SetFlags(0)
	dir := flag.String("dir", os.TempDir(), "directory on the disk to measure")
	sizes := flag.String("gib", "1,8", "sizes of the index")
	flag.Parse()
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "filters\trecords\tcommit, fold\tmemory\tread cold\topen cold\topen warm\tverify warm\tday: observe\tday: commit, close\tday: bytes\tbase written\tcheckpoint median\tp90\tmax")
	for size := range strings.SplitSeq(*sizes, ",") {
		gib, err := strconv.ParseFloat(size, 64)
		if err != nil {
			log.Fatal(err)
		}
		idx, err := os.MkdirTemp(*dir, "bench-index-")
		if err != nil {
			log.Fatal(err)
		}
		m := &measurement{dir: filepath.Join(idx, "idx"), params: paramsOfSize(gib * (1 << 30)), keys: make([]bloomlsh.Key, bands)}
		err = m.run(table)
		os.RemoveAll(idx)
		if err != nil {
			log.Fatal(err)
		}
		table.Flush()
	}
}

func paramsOfSize(bytes float64) bloomlsh.Params {
	p := bloomlsh.Params{Bands: bands, Capacity: 1 << 24, FPRate: 1e-8, Filter: bloomlsh.FilterPaged,
		Remember: bloomlsh.RememberAll, OnFull: bloomlsh.OnFullRefuse}
	plan, err := bloomlsh.PlanIndex(p, rows)
	if err != nil {
		log.Fatal(err)
	}
	p.Capacity = uint64(bytes / float64(plan.Memory) * float64(p.Capacity))
	return p
}

// measurement goes through the life of one index.
type measurement struct {
	dir    string
	params bloomlsh.Params
	keys   []bloomlsh.Key
	state  uint64 // of SplitMix64, which draws the keys
	row    []string
}

func (m *measurement) run(table *tabwriter.Writer) error {
	for _, step := range []func() error{m.fill, m.memory, m.readCold, m.openCold, m.openWarm, m.verify, m.appendDay, m.commitOften} {
		if err := step(); err != nil {
			return err
		}
	}
	fmt.Fprintln(table, strings.Join(m.row, "\t"))
	return nil
}

func (m *measurement) open() (*bloomlsh.Store, error) { return bloomlsh.Open(m.dir, m.params, nil) }

// fill inserts as many records as it takes to touch all of the memory, and writes them to a base file.
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
	// If the log is too long for the filters, the commit is the fold already, and there is nothing left to compact.
	took, err := timed(func() error {
		if err := s.Commit(bloomlsh.Position{Records: records}); err != nil {
			return err
		}
		if err := s.Close(); err != nil {
			return err
		}
		return bloomlsh.Compact(m.dir)
	})
	m.add(fmt.Sprintf("%.2f GB", float64(g.Bits)/8e9), fmt.Sprint(records), took)
	return err
}

// memory is the first thing that opening is held against: taking as much memory as the filters, and nothing else.
func (m *measurement) memory() error {
	plan, err := bloomlsh.PlanIndex(m.params, rows)
	if err != nil {
		return err
	}
	took, err := timed(func() error {
		raw, err := unix.Mmap(-1, 0, int(plan.Memory), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
		if err != nil {
			return err
		}
		_ = unix.Madvise(raw, unix.MADV_HUGEPAGE)
		for i := 0; i < len(raw); i += 4096 {
			raw[i] = 1
		}
		return unix.Munmap(raw)
	})
	m.add(took)
	return err
}

// readCold is the other: reading the files, and nothing else.
func (m *measurement) readCold() error {
	if err := m.evict(); err != nil {
		return err
	}
	files, err := m.files()
	if err != nil {
		return err
	}
	took, err := timed(func() error {
		for name := range files {
			if err := readAll(filepath.Join(m.dir, name)); err != nil {
				return err
			}
		}
		return nil
	})
	m.add(took)
	return err
}

func readAll(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.CopyBuffer(struct{ io.Writer }{io.Discard}, struct{ io.Reader }{f}, make([]byte, 1<<20))
	return err
}

func (m *measurement) openCold() error {
	if err := m.evict(); err != nil {
		return err
	}
	return m.openWarm()
}

func (m *measurement) openWarm() error {
	var s *bloomlsh.Store
	took, err := timed(func() (err error) { s, err = m.open(); return err })
	if err != nil {
		return err
	}
	m.add(took)
	return s.Close()
}

func (m *measurement) verify() error {
	took, err := timed(func() error { _, err := bloomlsh.Verify(m.dir); return err })
	m.add(took)
	return err
}

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
	commit, err := timed(func() error {
		if err := s.Commit(bloomlsh.Position{}); err != nil {
			return err
		}
		return s.Close()
	})
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
		for i := range m.keys {
			m.keys[i] = bloomlsh.Key{Hi: m.draw(), Lo: m.draw()}
		}
		if _, err := s.Observe(m.keys); err != nil {
			return err
		}
	}
	return nil
}

func (m *measurement) draw() uint64 {
	m.state += 0x9e3779b97f4a7c15
	z := m.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
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
	files, err := m.files()
	if err != nil {
		return err
	}
	for name := range files {
		f, err := os.Open(filepath.Join(m.dir, name))
		if err != nil {
			return err
		}
		err = unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED)
		f.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

func (m *measurement) add(values ...any) {
	for _, value := range values {
		if took, ok := value.(time.Duration); ok {
			value = took.Round(10 * time.Microsecond)
		}
		m.row = append(m.row, fmt.Sprint(value))
	}
}

func timed(f func() error) (time.Duration, error) {
	start := time.Now()
	err := f()
	return time.Since(start), err
}
