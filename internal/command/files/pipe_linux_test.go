package files

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// newPipe returns a pipe whose ends are closed when the test ends.
func newPipe(t *testing.T) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		r.Close()
		w.Close() // which the test may have done
	})
	return r, w
}

func TestWiden(t *testing.T) {
	r, w := newPipe(t)
	if _, err := unix.FcntlInt(w.Fd(), unix.F_SETPIPE_SZ, pipeSize); err != nil {
		t.Skip("pipes may not be so large here:", err)
	}
	for _, before := range []int{64 << 10, 2 * pipeSize} {
		if _, err := unix.FcntlInt(w.Fd(), unix.F_SETPIPE_SZ, before); err != nil {
			continue // more than a user without privileges may have
		}
		widen(r)
		if size, err := unix.FcntlInt(r.Fd(), unix.F_GETPIPE_SZ, 0); err != nil || size != max(before, pipeSize) {
			t.Errorf("a pipe of %d bytes holds %d, %v", before, size, err)
		}
	}
}

// What is no pipe is left alone.
func TestWidenFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte("content"), 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	widen(f)
	if text, err := io.ReadAll(f); string(text) != "content" {
		t.Errorf("the file reads %q, %v", text, err)
	}
	f.Close()
	widen(f) // closed: nothing to do, no panic
}

// Whatever the rhythm of the writer, every byte comes, in order.
func TestPaced(t *testing.T) {
	r, w := newPipe(t)
	var want []byte
	for i := range 300 {
		want = append(want, bytes.Repeat([]byte{byte(i)}, 1+i*37%5000)...)
	}
	go func() {
		defer w.Close()
		for rest := want; len(rest) > 0; {
			n := min(len(rest), 1+len(rest)%3001)
			w.Write(rest[:n])
			rest = rest[n:]
		}
	}()
	in := paced(r, r, allCores())
	if _, ok := in.(*pacedPipe); !ok {
		t.Fatalf("a pipe is read by %T", in)
	}
	if got, err := io.ReadAll(in); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%d of %d bytes, %v", len(got), len(want), err)
	}
}

// What was read before is worked on while a read waits, even if there is but one core.
func TestPacedWaitsLast(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	r, w := newPipe(t)
	w.Close() // so that a read returns at once, and nothing takes the core from it
	in := paced(r, r, allCores())
	const reads = 1000
	missed := 0
	for range reads {
		done := make(chan struct{}, 1)
		go func() { done <- struct{}{} }()
		if _, err := in.Read(make([]byte, 1)); err != io.EOF {
			t.Fatal(err)
		}
		missed += 1 - len(done)
		<-done
	}
	if missed > reads/200 { // one in 61 is too many; now and then the runtime has something to do of its own
		t.Errorf("%d of %d reads went before the work that was ready", missed, reads)
	}
}

// A read of the first few bytes, which tell what a stream is, does not make the next one wait for
// more.
func TestPacedAfterTheFirstBytes(t *testing.T) {
	r, w := newPipe(t)
	if _, err := w.Write(make([]byte, 10)); err != nil {
		t.Fatal(err)
	}
	in := paced(r, r, allCores()).(*pacedPipe)
	for _, c := range []struct {
		room, want int
		known      bool // how fast the writer is
	}{{4, 4, false}, {100, 6, true}} {
		if n, err := in.Read(make([]byte, c.room)); n != c.want || err != nil {
			t.Fatalf("%d bytes, %v, want %d", n, err, c.want)
		}
		if known := !in.last.IsZero(); known != c.known {
			t.Errorf("after a read of %d bytes at most the writer's speed is known: %t, want %t", c.room, known,
				c.known)
		}
	}
}

func TestAFileIsNotPaced(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if in := paced(f, f, allCores()); in != io.ReadCloser(f) {
		t.Errorf("%T", in)
	}
}

// While the writer is the slower one, one core is enough; when it waits for us, and when there is
// no more, all are ours.
func TestPacedLeavesTheWriterItsCore(t *testing.T) {
	const cores = 3
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
	r, w := newPipe(t)
	size, err := unix.FcntlInt(r.Fd(), unix.F_GETPIPE_SZ, 0)
	if err != nil {
		t.Fatal(err)
	}
	in := paced(r, r, allCores())
	buf := make([]byte, size)
	write := func(n int) {
		t.Helper()
		if _, err := w.Write(buf[:n]); err != nil {
			t.Fatal(err)
		}
	}
	read := func(n, want int) {
		t.Helper()
		if got, err := io.ReadFull(in, buf[:n]); err != nil {
			t.Fatal(got, err)
		}
		if got := runtime.GOMAXPROCS(0); got != want {
			t.Errorf("%d cores are in use, not %d", got, want)
		}
	}
	write(100)
	read(100, 1)
	write(size)
	read(size/8, cores)
	read(size/8*4, cores) // neither full nor empty: as before
	read(size/8*3, 1)
	write(size / 2)
	read(size/8, 1)
	w.Close()
	if _, err := io.ReadAll(in); err != nil {
		t.Fatal(err)
	}
	if got := runtime.GOMAXPROCS(0); got != cores {
		t.Errorf("%d cores are in use after the end, not %d", got, cores)
	}
}
