package compress

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	_ "github.com/mithril-stream/mithril-stream/internal/fixedseed"
)

func openMembers(t testing.TB, src io.Reader) *Members {
	t.Helper()
	r, err := NewMemberReader(io.NopCloser(src), "", 0)
	if err != nil {
		t.Fatal(err)
	}
	return r.(*Members)
}

// TestMembersAreKeptAsTheyCame packs any contents, in pieces, and reads them back: the same
// contents, and the same bytes of each member.
func TestMembersAreKeptAsTheyCame(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	rapid.Check(t, func(rt *rapid.T) {
		packer := NewPacker(rapid.IntRange(0, 9).Draw(rt, "level"))
		var stream []byte
		var members, contents [][]byte
		for range rapid.IntRange(1, 8).Draw(rt, "members") {
			content := make([]byte, rapid.SampledFrom([]int{0, 1, 100, 10_000, 150_000}).Draw(rt, "size"))
			for i := range content {
				content[i] = byte(rng.IntN(64))
			}
			cut := rapid.IntRange(0, len(content)).Draw(rt, "cut")
			start := len(stream)
			stream = packer.AppendPiece(stream, content[:cut], false)
			stream = packer.AppendPiece(stream, content[cut:], true)
			members, contents = append(members, stream[start:]), append(contents, content)
		}
		src := rapid.SampledFrom([]func(io.Reader) io.Reader{func(r io.Reader) io.Reader { return r },
			iotest.HalfReader, iotest.DataErrReader}).Draw(rt, "source")
		m := openMembers(t, src(bytes.NewReader(stream)))
		at, limit := int64(0), rapid.SampledFrom([]int{50_000, 1 << 20}).Draw(rt, "limit")
		for i := range members {
			m.Keep(limit)
			content, err := io.ReadAll(m)
			if err != ErrEndOfMember || !bytes.Equal(content, contents[i]) {
				rt.Fatalf("member %d: %d of %d bytes, %v", i, len(content), len(contents[i]), err)
			}
			at += int64(len(members[i]))
			kept := m.Kept()
			if kept == nil && len(members[i]) <= limit || kept != nil && !bytes.Equal(kept, members[i]) ||
				m.Offset() != at {
				rt.Fatalf("member %d: %d of %d bytes kept, at %d of %d", i, len(kept), len(members[i]), m.Offset(), at)
			}
		}
		if n, err := m.Read(make([]byte, 1)); n != 0 || err != io.EOF {
			rt.Errorf("%d, %v at the end", n, err)
		}
	})
}

// TestDamagedMembers: what is after a checksum is right, and damage is never taken for an end.
func TestDamagedMembers(t *testing.T) {
	data, want := compressed(t, "sample.gz"), sample()
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		at := 10 + rng.IntN(len(data)-10)
		changed := bytes.Clone(data)
		changed[at] ^= byte(1 + rng.IntN(255))
		for _, variant := range [][]byte{data[:at], changed} {
			m := openMembers(t, bytes.NewReader(variant))
			var got []byte
			err := ErrEndOfMember
			for err == ErrEndOfMember {
				var member []byte
				member, err = io.ReadAll(m)
				if err == ErrEndOfMember {
					got = append(got, member...)
				}
			}
			whole := at == memberEnd("sample.gz", data) || bytes.Equal(got, want) // some bits of a head mean nothing
			if err == nil != whole || err != nil && !errors.As(err, new(*DamageError)) || !bytes.HasPrefix(want, got) {
				t.Errorf("at %d: %d bytes, %v", at, len(got), err)
			}
		}
	}
}

func TestMembersOfSomethingElse(t *testing.T) {
	for _, name := range samples[1:] {
		r, err := NewMemberReader(io.NopCloser(bytes.NewReader(compressed(t, name))), name, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, sample()) {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
		r.Close()
	}
	broken := errors.New("broken")
	m := openMembers(t, io.MultiReader(bytes.NewReader(compressed(t, "sample.gz")[:5000]), iotest.ErrReader(broken)))
	if _, err := io.ReadAll(m); !errors.Is(err, broken) || errors.As(err, new(*DamageError)) {
		t.Errorf("a failed read: %v", err)
	}
}
