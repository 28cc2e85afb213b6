package files

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"

	"github.com/mithril-stream/mithril-stream/internal/compress"
)

// windowed are streams that read compressed inputs with windows of 1 MiB.
var windowed = Streams{InputAccess: InputAccess{MaxWindow: 1 << 20}}

// writeGzip writes some megabytes, so that a file has more chunks than one.
func writeGzip(t *testing.T, path string, content []byte) {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write(content)
	z.Close()
	if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
}

// Files that are opened ahead come in order, whole, whatever they are: compressed, plain, broken,
// missing.
func TestFilesAreOpenedAhead(t *testing.T) {
	dir := t.TempDir()
	var paths []string
	var want [][]byte
	for i := range 6 {
		content := []byte(strings.Repeat(fmt.Sprint("line of file ", i, "\n"), 60_000+i))
		path := filepath.Join(dir, fmt.Sprint(i, ".gz"))
		switch i {
		case 2:
			os.WriteFile(path, content, 0o666) // not compressed
		case 3:
			writeGzip(t, path, content)
			os.Truncate(path, 1000)
		case 4:
			content = nil // missing
		default:
			writeGzip(t, path, content)
		}
		paths, want = append(paths, path), append(want, content)
	}
	for files := 1; files <= maxAhead; files++ {
		a := &ReadAhead{paths: paths, std: windowed, files: files, opened: map[int]*aheadFile{}}
		for i, in := range Inputs(paths, a.std) {
			r, err := a.open(i, in.Open)
			if i == 4 {
				if !errors.Is(err, os.ErrNotExist) {
					t.Errorf("a missing file: %v", err)
				}
				continue
			} else if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(r)
			if i == 3 {
				if !errors.As(err, new(*compress.DamageError)) || !bytes.HasPrefix(want[i], got) {
					t.Errorf("a broken file: %d bytes, %v", len(got), err)
				}
			} else if err != nil || !bytes.Equal(got, want[i]) {
				t.Errorf("file %d: %d bytes of %d, %v", i, len(got), len(want[i]), err)
			}
			if err := r.Close(); err != nil {
				t.Error(err)
			}
		}
		if err := a.Close(); err != nil || len(a.opened) > 0 {
			t.Error(err)
		}
	}
}

// What was opened ahead and is not needed is closed, and its goroutine ends.
func TestFilesAheadAreClosed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "large.gz")
	writeGzip(t, path, make([]byte, 40<<20))
	before := runtime.NumGoroutine()
	a := &ReadAhead{paths: []string{path, path, path}, std: windowed, files: maxAhead,
		opened: map[int]*aheadFile{}}
	r, err := a.open(0, Inputs(a.paths, a.std)[0].Open)
	if err != nil || len(a.opened) != 2 {
		t.Fatalf("%d files are open ahead, %v", len(a.opened), err)
	}
	if err := errors.Join(r.Close(), a.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := a.open(1, nil); !errors.Is(err, os.ErrClosed) {
		t.Errorf("opened after the end: %v", err)
	}
	for deadline := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > before; runtime.Gosched() {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines, there were %d", runtime.NumGoroutine(), before)
		}
	}
}
