package bloomlsh

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/framelog"
	"github.com/mithril-stream/mithril-stream/internal/storetest"
)

// fuzzedIndex returns a valid index; the fuzzer replaces one of its files.
func fuzzedIndex(f *testing.F) (files *storetest.Machine, base, log []byte) {
	files = storetest.New(f)
	env := testEnvironment(1 << 30)
	s, err := openStore(env, files.Path("idx"), smallParams, nil)
	if err != nil {
		f.Fatal(err)
	}
	observeRecord(s, []Key{{Lo: 1}, {Lo: 2}})
	if err := errors.Join(s.Fold(Position{Records: 1}), s.Close()); err != nil {
		f.Fatal(err)
	}
	return files, files.Read("idx/base-1-2"), files.Read("idx/log-2")
}

func FuzzBase(f *testing.F) {
	files, base, _ := fuzzedIndex(f)
	f.Add(base[:128], base[len(base)-16:])
	f.Fuzz(func(t *testing.T, start, end []byte) {
		data := bytes.Clone(base)
		copy(data, start)
		copy(data[max(0, len(data)-len(end)):], end)
		// Seal the file, so that the fields after the seal are reached.
		seal := uint64(0)
		if len(data) >= 8 {
			seal = leUint64(data[len(data)-8:])
		}
		damaged := storetest.New(t)
		damaged.Restore(storetest.With(files.All(), "idx/base-1-2", data))
		lines := manifestLines(damaged)
		for i, line := range lines {
			if strings.HasPrefix(line, "base\t") {
				lines[i] = fmt.Sprintf("base\tbase-1-2\t%016x\n", seal)
			}
		}
		writeManifest(damaged, lines)
		if err := verify(testEnvironment(1<<30), damaged.Path("idx")); err != nil && !errors.Is(err, ErrCorrupt) &&
			!errors.Is(err, ErrVersion) {
			t.Fatal(err)
		}
	})
}

func FuzzLog(f *testing.F) {
	files, _, log := fuzzedIndex(f)
	f.Add(log[framelog.HeaderBytes:], uint32(framelog.Entries), make([]byte, 64), true)
	generation := appendGeneration(nil, 2, planGeneration(smallParams, 1))
	f.Add(log[framelog.HeaderBytes:], uint32(framelog.Generation), generation, true)
	first, err := framelog.NewReader(bytes.NewReader(log), int64(len(log))).At(framelog.HeaderBytes)
	if err != nil {
		f.Fatal(err)
	}
	commit := bytes.Clone(first.Payload)
	f.Add(log[framelog.HeaderBytes:], uint32(framelog.Commit), commit, true)
	f.Add(log[framelog.HeaderBytes:], uint32(framelog.Prepared), commit, false)
	f.Add(log[framelog.HeaderBytes:], uint32(framelog.Prepared), commit[:len(commit)-5], false)
	f.Fuzz(func(t *testing.T, frames []byte, kind uint32, payload []byte, commits bool) {
		data := append(bytes.Clone(log[:framelog.HeaderBytes]), frames...)
		for len(data)%8 != 0 {
			data = append(data, 0)
		}
		// Use a frame with a correct checksum, so that its contents are reached.
		data = appendFrame(data, framelog.Kind(kind), 3, payload)
		if commits {
			data = appendFrame(data, framelog.Commit, 3, commit)
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
		s.Abandon()
	})
}

// appendFrame appends a frame to an intact log.
func appendFrame(log []byte, kind framelog.Kind, number uint64, payload []byte) []byte {
	return framelog.AppendFrame(log, int64(len(log)), kind, number, payload)
}

func leUint64(b []byte) (n uint64) {
	for i := range 8 {
		n |= uint64(b[i]) << (8 * i)
	}
	return n
}
