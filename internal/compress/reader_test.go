package compress

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"testing/iotest"
)

// The files in testdata are sample() in two members each, written by gzip, zstd, bzip2 and xz;
// there is a skippable frame between those of zstd.
var samples = []string{"sample.gz", "sample.zst", "sample.bz2", "sample.xz"}

func sample() []byte {
	words := []string{"ox", "elk", "hen", "heron", "otter", "badger", "lynx", "newt", "toad", "crane", "ibis", "vole",
		"stoat", "wren"}
	var b bytes.Buffer
	x := uint32(1)
	for i := range 4000 {
		fmt.Fprint(&b, i)
		for range 8 {
			x = x*1103515245 + 12345
			b.WriteString(" " + words[(x>>16)%14])
		}
		b.WriteByte('\n')
	}
	return b.Bytes()
}

func compressed(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// readAll returns everything that comes before the end or an error.
func readAll(src io.Reader, name string) ([]byte, error) {
	r, err := NewReader(io.NopCloser(src), name, 0)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(r)
	return data, errors.Join(err, r.Close())
}

func TestEveryFormatIsRead(t *testing.T) {
	for _, name := range samples {
		data := compressed(t, name)
		for _, src := range []io.Reader{bytes.NewReader(data), iotest.OneByteReader(bytes.NewReader(data)),
			iotest.DataErrReader(bytes.NewReader(data))} {
			got, err := readAll(src, "")
			if err != nil || !bytes.Equal(got, sample()) {
				t.Errorf("%s: %d bytes, %v", name, len(got), err)
			}
		}
	}
}

func TestWhatIsNotCompressedStaysAsItIs(t *testing.T) {
	for _, plain := range []string{"", "{", "{\"text\":1}\n", "BZ", "BZh9 is a text", "\x1f", "\x28\xb5", "P*M",
		"\xfd7zXY\x00", "\x1f\x8b\x07gzip with a method that is none"} {
		for _, src := range []io.Reader{bytes.NewReader([]byte(plain)),
			iotest.OneByteReader(bytes.NewReader([]byte(plain)))} {
			if got, err := readAll(src, "file.jsonl"); err != nil || string(got) != plain {
				t.Errorf("%q becomes %q, %v", plain, got, err)
			}
		}
	}
}

func TestAPlainFileIsReturnedItself(t *testing.T) {
	path := filepath.Join(t.TempDir(), "plain.gz") // contents decide, not names
	if err := os.WriteFile(path, []byte("before\nplain\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	f.Seek(7, io.SeekStart) // as the shell may have left it
	r, err := NewReader(f, path, 0)
	if err != nil || r != io.ReadCloser(f) {
		t.Fatalf("%T, %v", r, err)
	}
	if got, _ := io.ReadAll(r); string(got) != "plain\n" {
		t.Errorf("%q", got)
	}
}

// TestAFileGivesLargeBlocks is about speed: a block is what goes from goroutine to goroutine.
func TestAFileGivesLargeBlocks(t *testing.T) {
	for _, name := range samples {
		f, err := os.Open(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		r, err := NewReader(f, name, 0)
		if err != nil {
			t.Fatal(err)
		}
		block := make([]byte, len(sample())-1)
		if n, err := r.Read(block); n != len(block) || err != nil {
			t.Errorf("%s: %d bytes, %v", name, n, err)
		}
		r.Close()
	}
}

// TestAFileThatWasCutToNothing is about downloads that failed at once: by its name there should be
// a compressed stream.
func TestAFileThatWasCutToNothing(t *testing.T) {
	for _, name := range samples {
		for n := range 3 {
			_, err := readAll(bytes.NewReader(compressed(t, name)[:n]), name)
			if !errors.As(err, new(*DamageError)) || !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("%s of %d bytes: %v", name, n, err)
			}
		}
	}
}

// TestDamage cuts and changes each stream at many places: it always ends with an error, and what
// comes before the damage comes.
func TestDamage(t *testing.T) {
	want := sample()
	first := bytes.Index(want, []byte("\n2000 ")) + 1 // the first member holds 2000 lines
	places := 200
	if testing.Short() {
		places = 20
	}
	for _, name := range samples {
		data := compressed(t, name)
		second := memberEnd(name, data)
		rng := rand.New(rand.NewPCG(1, 1))
		longest := 0
		for range places {
			at := 10 + rng.IntN(len(data)-10)
			got, err := readAll(bytes.NewReader(data[:at]), name)
			whole := at == second
			if !whole && !errors.As(err, new(*DamageError)) || whole && err != nil {
				t.Errorf("%s cut after %d of %d bytes: %v", name, at, len(data), err)
			}
			if !bytes.HasPrefix(want, got) {
				t.Errorf("%s cut after %d bytes: %d bytes that are no prefix", name, at, len(got))
			}
			if at >= second && len(got) < first {
				t.Errorf("%s cut after %d of %d bytes gives only %d of %d", name, at, len(data), len(got), len(want))
			}
			longest = max(longest, len(got))

			changed := bytes.Clone(data)
			changed[at] ^= byte(1 + rng.IntN(255))
			got, err = readAll(bytes.NewReader(changed), name)
			if err == nil && !bytes.Equal(got, want) {
				t.Errorf("%s changed at %d: %d bytes and no error", name, at, len(got))
			}
			if at >= second && !bytes.HasPrefix(got, want[:first]) {
				t.Errorf("%s changed at %d of %d gives only %d of %d", name, at, len(data), len(got), len(want))
			}
		}
		if longest < first {
			t.Errorf("%s: at most %d of %d bytes came before the damage", name, longest, len(want))
		}
	}
}

// memberEnd is where the first member of a sample ends: a stream that is cut there is whole.
func memberEnd(name string, data []byte) int {
	magic := map[string]string{"sample.gz": "\x1f\x8b\x08", "sample.bz2": "BZh91AY&SY", "sample.xz": "\xfd7zXZ\x00",
		"sample.zst": "\x5a\x2a\x4d\x18"}[name]
	return bytes.LastIndex(data, []byte(magic))
}

func TestADamageErrorSaysWhere(t *testing.T) {
	data := compressed(t, "sample.gz")
	_, err := readAll(bytes.NewReader(data[:5000]), "")
	if err == nil || err.Error() != "the gzip stream is cut off after 5000 bytes" {
		t.Errorf("%v", err)
	}
	data[len(data)-5] ^= 1
	_, err = readAll(bytes.NewReader(data), "")
	if want := fmt.Sprintf("the gzip stream is damaged at or before byte %d: gzip: invalid checksum",
		len(data)); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

func TestAFailureToReadIsNoDamage(t *testing.T) {
	broken := errors.New("broken")
	for _, name := range samples {
		data := compressed(t, name)
		_, err := readAll(io.MultiReader(bytes.NewReader(data[:len(data)/2]), iotest.ErrReader(broken)), "")
		if !errors.Is(err, broken) || errors.As(err, new(*DamageError)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestASlowPipeIsNotHeldBack reads a line that was flushed before the stream went on.
func TestASlowPipeIsNotHeldBack(t *testing.T) {
	// what `(echo one; sleep …) | gzip` sends, if it flushes: a member without an end
	in, feed := io.Pipe()
	go feed.Write([]byte("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff\x00\x04\x00\xfb\xffone\n\x00\x00\x00\xff\xff"))
	r, err := NewReader(in, "", 0)
	if err != nil {
		t.Fatal(err)
	}
	line := make([]byte, 100)
	if n, err := r.Read(line); err != nil || string(line[:n]) != "one\n" {
		t.Errorf("%q, %v", line[:n], err)
	}
	r.Close()
}

func FuzzReader(f *testing.F) {
	for _, name := range samples {
		data := compressed(f, name)
		f.Add(data[:300])
	}
	f.Add([]byte("plain"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := NewReader(io.NopCloser(bytes.NewReader(data)), "", 0)
		if err != nil {
			return
		}
		defer r.Close()
		n, err := io.Copy(io.Discard, io.LimitReader(r, 1<<20))
		if recognised, _ := recognise(data); recognised == nil && (err != nil || n != int64(len(data))) {
			t.Errorf("%d of %d plain bytes, %v", n, len(data), err)
		}
	})
}
