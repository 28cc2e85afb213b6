package bloomlsh

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"unsafe"
)

func TestAvailableMemory(t *testing.T) {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	meminfo := file("MemTotal: 2000 kB\nMemAvailable:    1000 kB\n")
	for name, c := range map[string]struct {
		root  fstest.MapFS
		want  uint64
		known bool
	}{
		"nothing to read": {fstest.MapFS{}, 0, false},
		"no limit":        {fstest.MapFS{"proc/meminfo": meminfo}, 1000 << 10, true},
		"version 2, limit of a parent": {fstest.MapFS{
			"proc/meminfo":                     meminfo,
			"proc/self/cgroup":                 file("0::/a/b\n"),
			"sys/fs/cgroup/a/b/memory.max":     file("max\n"),
			"sys/fs/cgroup/a/memory.max":       file("600000\n"),
			"sys/fs/cgroup/a/memory.current":   file("500000\n"),
			"sys/fs/cgroup/a/memory.stat":      file("anon 1\ninactive_file 100000\n"),
			"sys/fs/cgroup/a/b/memory.current": file("1\n"),
		}, 200000, true},
		"version 1": {fstest.MapFS{
			"proc/meminfo":     meminfo,
			"proc/self/cgroup": file("9:name=systemd:/\n4:memory:/x\n0::/\n"),
			"sys/fs/cgroup/memory/x/memory.limit_in_bytes": file("300000\n"),
			"sys/fs/cgroup/memory/x/memory.usage_in_bytes": file("400000\n"),
			"sys/fs/cgroup/memory/memory.limit_in_bytes":   file("9223372036854771712\n"),
		}, 0, true},
	} {
		if got, known := availableIn(c.root); got != c.want || known != c.known {
			t.Errorf("%s: %d, %v, want %d, %v", name, got, known, c.want, c.known)
		}
	}
}

func TestNewRefusesMoreThanMemory(t *testing.T) {
	p := Params{Bands: 14, Capacity: 1 << 40, FPRate: 1e-8, Filter: FilterPaged, Remember: RememberAll,
		OnFull: OnFullGrow}
	_, err := New(p)
	if !errors.Is(err, ErrMemory) || !strings.Contains(err.Error(), "would fit") {
		t.Fatalf("error %v", err)
	}
	t.Log(err)
}

// TestMemoryOfFirstRecordsCounts checks that the first records are counted: they coexist with the
// filters while these are filled.
func TestMemoryOfFirstRecordsCounts(t *testing.T) {
	p := Params{Bands: 14, Capacity: 10_000, FPRate: 1e-8, Filter: FilterPaged, Remember: RememberAll,
		OnFull: OnFullGrow}
	g := planGeneration(p, 0)
	with := func(usable uint64) error {
		x, err := newIndex(p, func() (uint64, bool) { return uint64(float64(usable)/usableShare) + 1, true })
		if err == nil {
			err = x.Close()
		}
		return err
	}
	if err := with(g.bytes() + 8*g.firstWords(1)); err != nil {
		t.Error(err)
	}
	if err := with(g.bytes() + 8*g.firstWords(1) - 8); !errors.Is(err, ErrMemory) {
		t.Errorf("error %v, want %v", err, ErrMemory)
	}
}

func TestWhatFits(t *testing.T) {
	p := Params{Bands: 14, Capacity: 1_000_000_000, FPRate: 1e-8, Filter: FilterPaged, Remember: RememberAll,
		OnFull: OnFullGrow}
	const want = "a capacity of 800000000 would fit, or a false-positive rate of 1e-06"
	if got := fittingParameters(p, 70e9); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := fittingParameters(p, 1000), "no capacity would fit"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestFirstRecordTakesLittleMemory checks that the first record waits for little memory, however
// many bands there are.
func TestFirstRecordTakesLittleMemory(t *testing.T) {
	for bands, most := range map[int]uint64{14: 8 << 20, 42: 16 << 20, 450: 20 << 20} {
		plan := geometry{bands: bands, capacity: 1_000_000}
		p := Params{Bands: bands, Capacity: plan.firstGeometry(1).capacity * firstShare, FPRate: 1e-8,
			Filter: FilterPaged, Remember: RememberAll, OnFull: OnFullGrow}
		x := mustNew(t, p)
		g := x.current()
		observeUnrelated(t, x, 1)
		if taken := residentBytes(t, g.first.memory, g.words); taken > most {
			t.Errorf("%d bands: %d bytes are taken for one record", bands, taken)
		}
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestFewRecordsTakeLittleMemory checks that a short stream does not wait for memory that only a
// long one needs.
func TestFewRecordsTakeLittleMemory(t *testing.T) {
	p := Params{Bands: 14, Capacity: 1_000_000, FPRate: 1e-8, Filter: FilterPaged, Remember: RememberAll,
		OnFull: OnFullGrow}
	for _, workers := range []int{0, 2} {
		x := mustNew(t, p)
		x.Parallelize(workers)
		g := x.current()
		observeUnrelated(t, x, 1000)
		if taken := residentBytes(t, g.first.memory, g.words); taken > 12<<20 {
			t.Errorf("%d workers: %d bytes are taken for 1000 records", workers, taken)
		}
		observeUnrelated(t, x, 39_000)
		if taken := residentBytes(t, g.words); taken < g.bytes()*9/10 || g.first != nil {
			t.Errorf("%d workers: of the %d bytes of the filters %d are in use after 40,000 records", workers,
				g.bytes(), taken)
		}
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	}
}

func observeUnrelated(t *testing.T, x *Index, records int) {
	t.Helper()
	stream, keys := &keyStream{x.observed}, make([]Key, x.params.Bands)
	for range records {
		stream.fill(keys)
		if _, err := observeRecords(x, keys, make([]bool, 1)); err != nil {
			t.Fatal(err)
		}
	}
}

// residentBytes returns how much memory the system has provided for words, including what it counts
// together with them.
func residentBytes(t *testing.T, words ...[]uint64) (bytes uint64) {
	t.Helper()
	maps, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Skip(err)
	}
	within := false
	for line := range strings.Lines(string(maps)) {
		var from, to, kib uint64
		if _, err := fmt.Sscanf(line, "%x-%x ", &from, &to); err == nil {
			within = slices.ContainsFunc(words, func(w []uint64) bool {
				first := uint64(uintptr(unsafe.Pointer(&w[0])))
				return to > first && from < first+uint64(len(w))*8
			})
		} else if _, err := fmt.Sscanf(line, "Rss: %d kB", &kib); err == nil && within {
			bytes += kib * 1024
		}
	}
	return bytes
}
