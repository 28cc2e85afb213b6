package compress

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"testing"
)

// blocks.bz2 is sample() in two blocks of one stream, written by bzip2 -1.
const blocksSample = "blocks.bz2"

func TestBlocksOfBzip2(t *testing.T) {
	got, err := readAll(bytes.NewReader(compressed(t, blocksSample)), "")
	if err != nil || !bytes.Equal(got, sample()) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

// TestDamagedBlocksOfBzip2 changes a bit at many places: whatever comes is as it was.
func TestDamagedBlocksOfBzip2(t *testing.T) {
	want, places := sample(), 60
	if testing.Short() {
		places = 15
	}
	for _, name := range []string{blocksSample, "sample.bz2"} {
		data := compressed(t, name)
		rng := rand.New(rand.NewPCG(3, 4))
		lengths := map[int]int{}
		for range places {
			at := 10 + rng.IntN(len(data)-10)
			changed := bytes.Clone(data)
			changed[at] ^= 1 << rng.IntN(8)
			got, err := readAll(bytes.NewReader(changed), name)
			if !bytes.HasPrefix(want, got) {
				t.Errorf("%s changed at %d: %d bytes that are no prefix", name, at, len(got))
			}
			if !errors.As(err, new(*DamageError)) && !bytes.Equal(got, want) {
				t.Errorf("%s changed at %d: %d bytes, %v", name, at, len(got), err)
			}
			lengths[len(got)]++
		}
		if len(lengths) != 2 || lengths[0] == 0 { // nothing of two blocks, or the first
			t.Errorf("%s: blocks come in pieces: %v", name, lengths)
		}
	}
}

// TestAPipeOfBzip2IsNotHeldBack: a block comes when its last byte has come, and what follows may be
// long in coming.
func TestAPipeOfBzip2IsNotHeldBack(t *testing.T) {
	data := compressed(t, "sample.bz2")
	in, feed := io.Pipe()
	go feed.Write(data[:memberEnd("sample.bz2", data)])
	r, err := NewReader(in, "", 0)
	if err != nil {
		t.Fatal(err)
	}
	want := sample()
	first := bytes.Index(want, []byte("\n2000 ")) + 1
	got := make([]byte, first)
	if _, err := io.ReadFull(r, got); err != nil || !bytes.Equal(got, want[:first]) {
		t.Errorf("%v", err)
	}
	if err := r.Close(); err != nil { // while the decoder waits
		t.Error(err)
	}
}

// TestLongBlocksOfBzip2: one block may hold fifty times its size. With -short, it is not read to
// its end.
func TestLongBlocksOfBzip2(t *testing.T) {
	zeros := "BZh91AY&SY\x0e\x09\xe2\xdf\x01_\x8e@\x00\xc0\x00\x00\x08 \x000\x80MFB\xa0%\xa9\x0a\x80\x971AY&SY" +
		"\x0e\x09\xe2\xdf\x01_\x8e@\x00\xc0\x00\x00\x08 \x000\x80MFB\xa0%\xa9\x0a\x80\x971AY&SY\xc4`\x0aU" +
		"\x00>\xd1@\x02\xc0\x00\x00@\x00\x08 \x000\xcc\x09\xaai\xa5H\x83j*D\x1e.\xe4\x8ap\xa1!\xc0\xa8\x89" +
		"."
	r, err := NewReader(io.NopCloser(bytes.NewReader([]byte(zeros))), "", 0)
	if err != nil {
		t.Fatal(err)
	}
	length, buf := 0, make([]byte, 1<<20)
	for err == nil {
		var n int
		n, err = r.Read(buf)
		if length += n; bytes.Count(buf[:n], []byte{0}) != n {
			t.Fatal("there are other bytes than zeros")
		}
		if testing.Short() && length > 20_000_000 {
			return
		}
	}
	if err != io.EOF || length != 100_000_000 {
		t.Errorf("%d bytes, %v", length, err)
	}
}
