package bloomlsh

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"
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
	p := Params{Bands: 14, Capacity: 1 << 40, FPRate: 1e-8, Filter: FilterPaged, Remember: RememberAll, OnFull: OnFullGrow}
	_, err := New(p)
	if !errors.Is(err, ErrMemory) || !strings.Contains(err.Error(), "would fit") {
		t.Fatalf("error %v", err)
	}
	t.Log(err)
}

func TestWhatFits(t *testing.T) {
	p := Params{Bands: 14, Capacity: 1_000_000_000, FPRate: 1e-8, Filter: FilterPaged, Remember: RememberAll, OnFull: OnFullGrow}
	if got, want := whatFits(p, 70e9), "a capacity of 780000000 would fit, or a false-positive rate of 1e-06"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := whatFits(p, 1000), "no capacity would fit"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestFormatBytes(t *testing.T) {
	for n, want := range map[uint64]string{
		0: "0 B", 999: "999 B", 1000: "1.00 kB", 99_960: "100 kB", 999_700: "1.00 MB", 12_345_678: "12.3 MB", 1 << 63: "9.22 EB",
	} {
		if got := formatBytes(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}
