package command

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/mithril-stream/mithril-stream/internal/command/files"
)

const reportPeak = "MITHRIL_TEST_REPORT_PEAK"

func TestMain(m *testing.M) {
	if os.Getenv(reportPeak) != "" {
		fmt.Print(files.PeakMemory())
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// A process does not count the memory of the one that started it, and does count its own after it
// has given it back.
func TestPeakMemory(t *testing.T) {
	const large = 256 << 20
	block, err := unix.Mmap(-1, 0, large, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(block); i += 4096 {
		block[i] = 1
	}
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), reportPeak+"=1")
	out, err := child.Output()
	if err != nil {
		t.Fatal(err)
	}
	if peak, err := strconv.ParseUint(string(out), 10, 64); err != nil || peak == 0 || peak >= large {
		t.Errorf("the child of a process of %d bytes reports %q", large, out)
	}
	if err := unix.Munmap(block); err != nil {
		t.Fatal(err)
	}
	if peak := files.PeakMemory(); peak < large {
		t.Errorf("peak %d after %d bytes were used", peak, large)
	}
}
