package arrow

import (
	"bytes"
	"encoding/binary"
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// TestDamage changes and cuts files at each byte, or at some where reading takes long: they are
// refused, or read as something, but neither panic nor take memory for what is not there.
func TestDamage(t *testing.T) {
	steps := map[string]int{
		"few.arrow": 1, "few-zstd.feather": 9, "dictionaries.arrow": 1, "old.arrow": 1, "polars.ipc": 3,
	}
	for name, step := range steps {
		if testing.Short() {
			step *= 7
		}
		data := read(t, name)
		lines := mustLines(t, data)
		for at := 0; at < len(data); at += step {
			damaged := slices.Clone(data)
			damaged[at] ^= []byte{0x01, 0x80, 0xff}[at/step%3]
			readDamaged(t, damaged)
			got, err := linesOf(data[:at])
			if err == nil && len(got) == len(lines) && IsArrow(data[:6]) && data[0] == magic[0] {
				t.Fatalf("%s: a file that was cut at byte %d passes for whole", name, at)
			}
			if strings.Join(got, "") != strings.Join(lines[:len(got)], "") {
				t.Fatalf("%s: cut at byte %d it has other rows", name, at)
			}
		}
	}
}

// readDamaged reads what may be damaged, and writes what can be read.
func readDamaged(t *testing.T, data []byte) {
	t.Helper()
	_, err := linesOf(data)
	var broken runtime.Error
	if errors.As(err, &broken) || err != nil && strings.Contains(err.Error(), "runtime error") {
		t.Fatal(err)
	}
	_, _ = copyRows(data, func(row int) bool { return row%2 == 0 })
}

// TestLengthsThatLie claims that messages and buffers are long.
func TestLengthsThatLie(t *testing.T) {
	data := read(t, "same.arrow")
	head := binary.LittleEndian.Uint32(data[4:])
	for _, length := range []uint32{1 << 20, 1 << 28, 1 << 30, 1<<31 - 1, 1<<32 - 2} {
		for _, at := range []uint32{4, 8 + head + 4} {
			damaged := slices.Clone(data)
			binary.LittleEndian.PutUint32(damaged[at:], length)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			if _, err := linesOf(damaged); err == nil {
				t.Errorf("metadata of %d bytes are taken", length)
			}
			runtime.ReadMemStats(&after)
			if taken := after.TotalAlloc - before.TotalAlloc; taken > 2*readAtOnce {
				t.Errorf("metadata of %d bytes: took %d bytes", length, taken)
			}
		}
	}
}

// TestCompressedLengthsThatLie claims that a buffer of few bytes becomes many.
func TestCompressedLengthsThatLie(t *testing.T) {
	compressed := map[int8][]byte{codecLZ4: make([]byte, 108), codecZstd: {0x28, 0xb5, 0x2f, 0xfd, 0x24, 10}}
	for codec, buf := range compressed {
		a := about{compressed: true, codec: codec}
		for _, size := range []int64{1 << 20, 1 << 30, 1 << 40, 1<<63 - 1, -2} {
			lying := append(binary.LittleEndian.AppendUint64(nil, uint64(size)), buf...)
			if _, err := a.checkCompressed(lying, 1<<30); err == nil {
				t.Errorf("codec %d: %d bytes are believed to become %d", codec, len(buf), size)
			}
		}
	}
}

// TestDictionariesAreBounded has dictionaries grow, and be replaced.
func TestDictionariesAreBounded(t *testing.T) {
	m := messages{limits: limits{message: 100}}
	for i, c := range []struct {
		about
		fits bool
	}{
		{about{dictionary: 1, size: 90}, true}, {about{dictionary: 1, size: 60}, true},
		{about{dictionary: 1, size: 30, isDelta: true}, true}, {about{dictionary: 2, size: 10}, true},
		{about{dictionary: 1, size: 1, isDelta: true}, false}, {about{dictionary: 1, size: 20}, true},
		{about{dictionary: 3, size: 80}, false},
	} {
		if err := m.keep(c.about); (err == nil) != c.fits {
			t.Errorf("dictionary %d: %v", i, err)
		}
	}
}

// TestWhatStandsBehindTheEnd is not passed over in silence.
func TestWhatStandsBehindTheEnd(t *testing.T) {
	data := read(t, "same.arrow")
	lines, err := linesOf(slices.Concat(data, data))
	if len(lines) != 5 || err == nil || !strings.Contains(err.Error(), "follows its end") {
		t.Errorf("%d rows, %v", len(lines), err)
	}
	file := read(t, "types.ipc")
	if _, err := linesOf(file[:len(file)-1]); err == nil || !strings.Contains(err.Error(), "it is cut off") {
		t.Errorf("a file without its end: %v", err)
	}
	if lines, err := linesOf(data[:len(data)-8]); len(lines) != 5 || err != nil { // many writers do not mark it
		t.Errorf("a stream without a mark at its end: %d rows, %v", len(lines), err)
	}
}

func TestNoArrow(t *testing.T) {
	for _, data := range []string{
		"", "x", "ARROW", "PAR1PAR1", `{"text":"a"}`, "ARROW1\x00\x00", "\xff\xff\xff\xff",
		"\xff\xff\xff\xff\x00\x00\x00\x00",
	} {
		if lines, err := linesOf([]byte(data)); err == nil {
			t.Errorf("%q has %d rows", data, len(lines))
		}
	}
}

func FuzzReader(f *testing.F) {
	for _, name := range []string{"dictionaries.arrow", "few.arrow", "old.arrow", "same.arrow"} {
		f.Add(read(f, name))
	}
	f.Add(read(f, "few-zstd.feather"))
	f.Add(read(f, "polars.ipc"))
	f.Fuzz(func(t *testing.T, data []byte) {
		lines, err := linesOf(data)
		file, failed := copyRows(data, func(int) bool { return true })
		if err != nil || failed != nil {
			return
		}
		again, err := linesOf(file)
		if err != nil {
			t.Fatalf("the copy cannot be read: %v", err)
		}
		if !bytes.Equal([]byte(strings.Join(lines, "")), []byte(strings.Join(again, ""))) {
			t.Fatalf("the copy has\n%q instead of\n%q", again, lines)
		}
	})
}
