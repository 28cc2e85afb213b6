package bloomlsh

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"github.com/zeebo/xxh3"

	"github.com/mithril-stream/mithril-stream/internal/framelog"
	"github.com/mithril-stream/mithril-stream/internal/store"
	"github.com/mithril-stream/mithril-stream/internal/storetest"
)

func FuzzManifest(f *testing.F) {
	m := &manifest{parameters: append(testIdentity, smallParams.parameters()...), bases: []baseRef{{"base-1-2", 5}},
		log: "log-2", logLength: 152}
	f.Add(m.encode(), true)
	f.Add([]byte(manifestOpening), false)
	f.Fuzz(func(t *testing.T, text []byte, resum bool) {
		if resum { // let the fuzzer past the checksum
			text = append(text, fmt.Sprintf("checksum\t%016x\n", xxh3.Hash(text))...)
		}
		m, err := decodeManifest(text)
		if err == nil && string(m.encode()) != string(text) {
			t.Errorf("%q is read and written as %q", text, m.encode())
		}
	})
}

// fuzzedIndex is a valid index into which the fuzzer puts a file.
func fuzzedIndex(f *testing.F) (files *storetest.Machine, base, log []byte) {
	files = storetest.New(f)
	env := testEnvironment(1 << 30)
	s, err := openStore(env, files.Path("idx"), smallParams, nil)
	if err != nil {
		f.Fatal(err)
	}
	observeRecord(s, []Key{{Lo: 1}, {Lo: 2}})
	if err := errors.Join(s.fold(Position{Records: 1}), s.Close()); err != nil {
		f.Fatal(err)
	}
	return files, files.Read("idx/base-1-2"), files.Read("idx/log-2")
}

func FuzzBase(f *testing.F) {
	files, base, _ := fuzzedIndex(f)
	f.Add(base[:128], base[len(base)-16:])
	parameters := smallParams.parameters()
	f.Fuzz(func(t *testing.T, start, end []byte) {
		data := bytes.Clone(base)
		copy(data, start)
		copy(data[max(0, len(data)-len(end)):], end)
		// Its own seal, so that the fields after it are reached.
		seal := uint64(0)
		if len(data) >= 8 {
			seal = leUint64(data[len(data)-8:])
		}
		damaged := storetest.New(t)
		damaged.Restore(storetest.With(files.All(), "idx/base-1-2", data))
		dir, err := store.OpenDir(damaged.Path("idx"))
		if err != nil {
			t.Fatal(err)
		}
		defer dir.Close()
		b, err := openBase(testEnvironment(1<<30), dir, baseRef{"base-1-2", seal}, 1, parameters, smallParams)
		if err != nil {
			return
		}
		verification{}.base(b)
		b.file.Close()
	})
}

func FuzzLog(f *testing.F) {
	files, _, log := fuzzedIndex(f)
	f.Add(log[framelog.HeaderBytes:], uint32(framelog.Entries), make([]byte, 64), true)
	generation := appendGeneration(nil, 2, planGeneration(smallParams, 1))
	f.Add(log[framelog.HeaderBytes:], uint32(framelog.Generation), generation, true)
	f.Add(log[framelog.HeaderBytes:], uint32(framelog.Commit), appendCommit(nil, commit{observed: 1}), true)
	f.Add(log[framelog.HeaderBytes:], uint32(framelog.Prepared), appendCommit(nil, commit{observed: 1}), false)
	meta := appendCommit(nil, commit{observed: 1, position: Position{Meta: []byte("abc")}})
	f.Add(log[framelog.HeaderBytes:], uint32(framelog.Prepared), meta[:len(meta)-5], false) // without its padding
	f.Fuzz(func(t *testing.T, frames []byte, kind uint32, payload []byte, commits bool) {
		data := append(bytes.Clone(log[:framelog.HeaderBytes]), frames...)
		for len(data)%8 != 0 {
			data = append(data, 0)
		}
		// A frame whose checksum is right, so that its contents are reached.
		data = appendFrame(data, framelog.Kind(kind), 3, payload)
		if commits {
			data = appendFrame(data, framelog.Commit, 3, appendCommit(nil, commit{}))
		}
		damaged := storetest.New(t)
		damaged.Restore(storetest.With(files.All(), "idx/log-2", data))
		s, err := openStore(testEnvironment(1<<30), damaged.Path("idx"), smallParams, nil)
		if err != nil {
			if !errors.Is(err, ErrCorrupt) && !errors.Is(err, ErrVersion) && !errors.Is(err, ErrUndecided) {
				t.Fatal(err)
			}
			return
		}
		s.release()
	})
}

// appendFrame appends a frame to a whole log.
func appendFrame(log []byte, kind framelog.Kind, number uint64, payload []byte) []byte {
	return framelog.AppendFrame(log, int64(len(log)), kind, number, payload)
}

func leUint64(b []byte) (n uint64) {
	for i := range 8 {
		n |= uint64(b[i]) << (8 * i)
	}
	return n
}
