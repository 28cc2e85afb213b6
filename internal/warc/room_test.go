package warc

import (
	"bytes"
	"io"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/mithril-stream/mithril-stream/internal/record"
)

// However many goroutines decode long bodies, they take the memory of two of them.
func TestLongBodiesShareMemory(t *testing.T) {
	const most, goroutines, bodies = 8 << 20, 4, 3
	long := strings.Repeat("\xe9t\xe9 ", most/8)
	packed := response("Content-Type: text/plain; charset=iso-8859-1\r\nContent-Encoding: gzip, gzip\r\n",
		encoded(newGzip, encoded(newGzip, long)))
	want := strings.ReplaceAll(long, "\xe9", "é")
	b := newBudget(most)
	var wait sync.WaitGroup
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range goroutines {
		wait.Go(func() {
			tx := newText(b)
			for range bodies {
				got, problem := tx.Text([]byte(packed))
				if string(got) != want || problem != (record.Problem{}) {
					t.Errorf("%d bytes, %+v; want %d bytes", len(got), problem, len(want))
				}
				tx.Release()
			}
		})
	}
	wait.Wait()
	runtime.ReadMemStats(&after)
	if taken := after.TotalAlloc - before.TotalAlloc; taken > 2*most+goroutines*8*smallBody {
		t.Errorf("took %d bytes of memory", taken)
	}
}

func newGzip(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) }

func TestTextsThatGrowTooLong(t *testing.T) {
	tx := newText(newBudget(4000))
	latin := response("Content-Type: text/plain; charset=iso-8859-1\r\n", strings.Repeat("\xe9", 3000))
	if got, problem := tx.Text([]byte(latin)); problem != record.TooLong {
		t.Errorf("%d bytes, %+v", len(got), problem)
	}
}

// As an encoding of HTTP zstd has windows of 8 MiB and less.
func TestZstdWindow(t *testing.T) {
	for window, want := range map[int]record.Problem{8 << 20: {}, 64 << 20: record.BadPayload} {
		var packed bytes.Buffer
		z, err := zstd.NewWriter(&packed, zstd.WithWindowSize(window))
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(z, river)
		z.Flush() // so that the length is not known at the head, and the window is
		io.WriteString(z, river)
		z.Close()
		tx := newText(newBudget(limit))
		body := response("Content-Type: text/plain\r\nContent-Encoding: zstd\r\n", packed.String())
		got, problem := tx.Text([]byte(body))
		if problem != want || want == (record.Problem{}) && string(got) != river+river {
			t.Errorf("a window of %d: %q, %+v; want %+v", window, got, problem, want)
		}
	}
}
