package compress

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/klauspost/compress/gzip"
)

// membersOf compresses content in members of some of its bytes each.
func membersOf(t *testing.T, content []byte, member int) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	for len(content) > 0 {
		n := min(member, len(content))
		z.Reset(&b)
		z.Write(content[:n])
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		content = content[n:]
	}
	return b.Bytes()
}

// noise compresses badly, so that a small file has many bytes, and looks like heads of members here
// and there. It is made once, and not to be changed.
func noise(bytes int) []byte { return allNoise()[:bytes:bytes] }

var allNoise = sync.OnceValue(func() []byte {
	random := rand.New(rand.NewPCG(1, 2))
	content := make([]byte, 24<<20)
	for i := range content {
		content[i] = byte(random.Uint32() >> 3 & 0x7f)
	}
	for at := 0; at+headBytes < len(content); at += 100_000 {
		copy(content[at:], "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03")
	}
	return content
})

// readUpTo is io.ReadAll with room for so many bytes, which need not move while they grow.
func readUpTo(r io.Reader, size int) ([]byte, error) {
	var b bytes.Buffer
	b.Grow(size + bytes.MinRead)
	_, err := b.ReadFrom(r)
	return b.Bytes(), err
}

func openAsFile(t *testing.T, data []byte) (io.ReadCloser, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file.gz")
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return NewReader(f, path, 0)
}

func isSegmented(r io.Reader) bool {
	d, ok := r.(*decompressor)
	if !ok {
		return false
	}
	_, ok = d.Reader.(*segments)
	return ok
}

// Members of any size come in order and whole. Stored ones have bytes in them that look like heads.
func TestSegments(t *testing.T) {
	if runtime.GOMAXPROCS(0) < 2 {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	}
	content := noise(24 << 20)
	for name, c := range map[string]struct {
		data      []byte
		segmented bool
	}{
		"small": {membersOf(t, content, 60_000), true}, "medium": {membersOf(t, content, 3<<20), true},
		"large": {membersOf(t, content, 11<<20), true}, "few": {membersOf(t, content[:1<<20], 60_000), false},
	} {
		r, err := openAsFile(t, c.data)
		if err != nil {
			t.Fatal(err)
		}
		if got := isSegmented(r); got != c.segmented {
			t.Errorf("%s: in segments: %v", name, got)
		}
		got, err := readUpTo(r, len(content))
		if err != nil || !bytes.HasPrefix(content, got) || len(got) != min(len(content), len(got)) || len(got) < 1<<20 {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
		if name != "few" && len(got) != len(content) {
			t.Errorf("%s: %d bytes of %d", name, len(got), len(content))
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Where bytes only look like heads, in a member that is not compressed, the stream is read all the
// same.
func TestFalseHeads(t *testing.T) {
	content := noise(24 << 20)
	var b bytes.Buffer
	for _, part := range [][]byte{content[:9<<20], content[9<<20:]} {
		z, _ := gzip.NewWriterLevel(&b, gzip.NoCompression)
		z.Write(part)
		z.Close()
	}
	r, err := openAsFile(t, b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	got, err := readUpTo(r, len(content))
	if err != nil || !bytes.Equal(got, content) {
		t.Errorf("%d bytes of %d, %v", len(got), len(content), err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

// What stands before damage is read, and the place of the damage is right to a member.
func TestDamagedSegments(t *testing.T) {
	content := noise(16 << 20)
	data := membersOf(t, content, 100_000)
	whole, err := readUpTo(mustOpen(t, data), len(content))
	if err != nil || !bytes.Equal(whole, content) {
		t.Fatal(err)
	}
	places := []int{100, 3 << 20, len(data) / 2, len(data) - 3}
	if testing.Short() {
		places = places[:2]
	}
	for _, at := range places {
		for name, damaged := range map[string][]byte{
			"cut": data[:at], "changed": slices.Concat(data[:at], []byte{data[at] ^ 0x55}, data[at+1:]),
			"garbage after it": append(bytes.Clone(data), "garbage"...),
		} {
			if name == "garbage after it" && at != 100 {
				continue // it is the same wherever the others are damaged
			}
			r, err := openAsFile(t, damaged)
			if err != nil {
				continue // where the first head was met
			}
			got, err := readUpTo(r, len(content))
			var damage *DamageError
			if name == "changed" { // what is in a member is known to be wrong when it ends
				got = got[:max(0, min(len(got), at)-200_000)]
			}
			if !errors.As(err, &damage) || !bytes.HasPrefix(content, got) {
				t.Errorf("%s at %d: %d bytes, %v", name, at, len(got), err)
			} else if want := int64(at); name != "garbage after it" && (damage.Offset < want-200_000 ||
				damage.Offset > want+200_000) {
				t.Errorf("%s at %d: the damage is said to be at %d", name, at, damage.Offset)
			}
			if err := r.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

func mustOpen(t *testing.T, data []byte) io.Reader {
	t.Helper()
	r, err := openAsFile(t, data)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// Closing early waits until no goroutine uses the file any more, and ends all of them. They let go
// of the file before they are gone, which the bubble waits for.
func TestSegmentsAreClosed(t *testing.T) {
	if runtime.GOMAXPROCS(0) < 2 {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	}
	data := membersOf(t, noise(24<<20), 60_000)
	synctest.Test(t, func(t *testing.T) {
		r, err := openAsFile(t, data)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.Read(make([]byte, 10)); err != nil {
			t.Fatal(err)
		}
		if !isSegmented(r) {
			t.Fatal("it is read in one piece")
		}
		s := r.(*decompressor).Reader.(*segments)
		running := append([]*segment{s.at}, s.ahead...)
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		for _, segment := range running {
			select {
			case <-segment.stopped:
			default:
				t.Errorf("the segment at %d still reads the file", segment.start)
			}
		}
	})
}
