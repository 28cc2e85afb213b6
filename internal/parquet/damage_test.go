package parquet

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// most is how many rows a test reads of a file that may claim any number.
const most = 5000

// survey reads a file as far as it can be read, but at most the given number of rows, in every way
// that there is: as rows, as JSON, into another file.
func survey(data []byte) (rows []string, err error) {
	f, err := Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines := &jsonWriter{schema: f.Schema()}
	w := NewWriter(io.Discard, f, Form{Program: "test"})
	var batch Rows
	for err == nil && len(rows) < most {
		err = f.Read(&batch)
		for i := range batch.Len() {
			rows = append(rows, string(lines.append(nil, &batch, i)))
		}
		if failed := w.Write(&batch, 0, batch.Len()); failed != nil {
			return nil, failed
		}
	}
	return rows, errors.Join(err, w.Close())
}

// checked marks the bytes of a file that its checksums are about: pages, but neither their headers
// nor the footer.
func checked(t *testing.T, data []byte) []bool {
	f := open(t, data)
	marks := make([]bool, len(data))
	for i := range f.footer.groups {
		g, err := f.footer.group(i)
		if err != nil {
			t.Fatal(err)
		}
		for i, k := range g.chunks {
			var c columnReader
			c.open(f, f.file, f.footer.schema.columns[i], k)
			for c.unread > 0 {
				h, _, err := c.pages.next()
				if err != nil {
					t.Fatal(err)
				}
				if h.kind != dictionaryPage {
					c.unread -= uint64(h.values)
				}
				for at := c.pages.at - int64(h.packed); at < c.pages.at && h.hasCRC; at++ {
					marks[at] = true
				}
			}
		}
	}
	return marks
}

// TestDamageIsNoticed changes bytes at random places, and cuts files there. A page that has a
// checksum is refused, and what is read before it are the rows that were written; a change
// elsewhere may mean another file, but never a panic.
func TestDamageIsNoticed(t *testing.T) {
	for _, path := range testFiles(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			data, want := read(t, path), expected(t, path)
			isChecked := checked(t, data)
			random := rand.New(rand.NewPCG(2, 3))
			places := 200
			if testing.Short() {
				places = 20
			}
			for range places {
				place := random.IntN(len(data))
				if _, err := survey(data[:place]); err == nil || errors.Is(err, io.EOF) {
					t.Fatalf("cut at byte %d: %v", place, err)
				}
				damaged := bytes.Clone(data)
				damaged[place] ^= byte(1 + random.IntN(255))
				rows, err := survey(damaged)
				if !isChecked[place] {
					continue
				}
				if err == nil || errors.Is(err, io.EOF) || len(rows) > len(want) {
					t.Fatalf("byte %d changed: %d rows, %v", place, len(rows), err)
				}
				checkRows(t, rows, want[:len(rows)])
			}
		})
	}
}

// TestClaimsAreNotTrusted: whatever a file of a few bytes says, it takes no more memory than a good
// one.
func TestClaimsAreNotTrusted(t *testing.T) {
	for _, path := range []string{"testdata/types.parquet", "testdata/words-gzip.parquet",
		"testdata/words-snappy.parquet", "testdata/words-lz4.parquet"} {
		data := read(t, path)
		random := rand.New(rand.NewPCG(4, 5))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		const tries = 100
		for range tries {
			damaged := bytes.Clone(data)
			for range 3 { // large numbers, wherever they may stand
				place := random.IntN(len(data) - 12)
				copy(damaged[place:], "\xff\xff\xff\xff\x07")
			}
			survey(damaged)
		}
		runtime.ReadMemStats(&after)
		if each := (after.TotalAlloc - before.TotalAlloc) / tries; each > 32<<20 {
			t.Errorf("%s: %d MiB a time", path, each>>20)
		}
	}
}

// TestWhatIsRefusedIsNamed is about files that are whole, and yet nothing for this program.
func TestWhatIsRefusedIsNamed(t *testing.T) {
	good := read(t, "testdata/words-none.parquet")
	for _, c := range []struct{ name, data, want string }{
		{"no file at all", "", "it is no Parquet file: it has 0 bytes"},
		{"something else", strings.Repeat(`{"text":"a"}`, 3), "does not begin with PAR1"},
		{"a cut one", string(good[:len(good)-1]), "does not end like a Parquet file"},
		{"an encrypted one", "PARE" + string(good[4:len(good)-4]) + "PARE", "it is encrypted"},
		{"too long a footer", string(good[:len(good)-8]) + "\xff\xff\xff\x7fPAR1",
			"its footer claims 2147483647 bytes"},
		{"no footer", "PAR1\x00\x01\x00\x00\x00PAR1", "it has no schema"},
	} {
		if _, err := Open(strings.NewReader(c.data), int64(len(c.data))); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// FuzzFile gives any bytes to the reader. What can be read can be written, and is read again as it
// was.
func FuzzFile(f *testing.F) {
	for _, path := range testFiles(f) {
		f.Add(read(f, path))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<16 {
			return
		}
		rows, err := survey(data)
		if err != io.EOF || len(rows) > most {
			return
		}
		from := open(t, data)
		again, err := jsonOf(open(t, copyRows(t, from, func(int) bool { return true })))
		if err != io.EOF || len(again) != len(rows) {
			t.Fatalf("%d rows became %d: %v", len(rows), len(again), err)
		}
		for i := range rows {
			if rows[i] != again[i] {
				t.Fatalf("row %d\n%sbecame\n%s", i, rows[i], again[i])
			}
		}
	})
}
