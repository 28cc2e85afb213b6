package substr

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/zeebo/xxh3"
)

// Store writes the texts as a corpus into a directory, which is made if it does not exist; a corpus that is there is
// replaced, in one step, when the new one is on disk. Call it after Find.
//
// Only samples are stored whose windows are not all repeated, so a passage that the texts hold a thousand times is found, and
// looked at, once.
func (f *Finder) Store(ctx context.Context, dir string) error {
	if !f.found || f.options.Against != nil {
		return errors.New("substr: Store needs texts that were searched for what they repeat of themselves")
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("store corpus: %w", err)
	}
	file, err := os.Create(filepath.Join(dir, corpusFile+".new"))
	if err != nil {
		return fmt.Errorf("store corpus: %w", err)
	}
	err = errors.Join(f.store(ctx, file), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), filepath.Join(dir, corpusFile))
	}
	if err != nil {
		os.Remove(file.Name())
		return fmt.Errorf("store corpus: %w", err)
	}
	return syncDir(dir)
}

func (f *Finder) store(ctx context.Context, file *os.File) error {
	w := &pageWriter{out: bufio.NewWriterSize(file, 1<<20)}
	w.raw(make([]byte, pageSize)) // the header follows when the samples are counted
	for p := 0; p < len(f.spool.text) && ctx.Err() == nil; p += share {
		w.write(f.spool.text[p:min(p+share, len(f.spool.text))])
	}
	w.endSection()
	for _, end := range f.spool.ends {
		w.number(uint64(end))
	}
	w.endSection()
	samples, err := f.storeSamples(ctx, w)
	if err != nil {
		return err
	}
	w.endSection()
	w.endFile()
	h := header{unit: f.options.Unit, minLength: f.options.MinLength, texts: f.Texts(), textBytes: f.spool.size(), samples: samples}
	if err := errors.Join(w.err, w.out.Flush()); err != nil {
		return err
	}
	if _, err := file.WriteAt(h.encode(), 0); err != nil {
		return err
	}
	return file.Sync()
}

// storeSamples writes the samples in the order of their keys, in as many passes over the texts as memory asks for, and
// returns how many they are.
func (f *Finder) storeSamples(ctx context.Context, w *pageWriter) (int, error) {
	most := f.units/f.sampled.step + f.Texts()
	passes := int(int64(most)*sampleSize/f.options.Memory) + 1
	done := f.progress(0, 1, passes*f.spool.size())
	stored := 0
	for pass := range passes {
		var samples []keyed
		for i := range f.Texts() {
			samples = f.appendSamples(samples, i, func(key uint64) bool { return place(key, passes) == pass })
			start, end := f.spool.bounds(i)
			if done(end - start); ctx.Err() != nil {
				return 0, ctx.Err()
			}
		}
		sortKeyed(samples)
		for _, s := range samples {
			w.number(s.key)
			w.number(uint64(s.at))
		}
		stored += len(samples)
	}
	return stored, w.err
}

// keyed is a window by its key and position.
type keyed struct {
	key uint64
	at  int
}

func sortKeyed(list []keyed) {
	slices.SortFunc(list, func(a, b keyed) int {
		switch {
		case a.key < b.key:
			return -1
		case a.key > b.key:
			return 1
		}
		return a.at - b.at
	})
}

// appendSamples appends the samples of text i with at least one window around them that is not repeated.
func (f *Finder) appendSamples(dst []keyed, i int, wanted func(key uint64) bool) []keyed {
	start, end := f.spool.bounds(i)
	whole := f.options.Unit.count(f.spool.text[start:end]) - f.options.MinLength + 1 // the number of windows
	r, w := &roller{unit: f.options.Unit, count: f.sampled.length}, &windows{}
	fresh := false // a window that holds the next sample is not repeated
	f.eachWindow(r, w, i, func(first int) {
		for k := range w.n {
			fresh = fresh || first+k < whole && !f.repeated.has(w.start[k])
			if (first+k)%f.sampled.step != 0 {
				continue
			}
			if fresh && wanted(w.key[k]) {
				dst = append(dst, keyed{w.key[k], w.start[k]})
			}
			fresh = false
		}
	})
	return dst
}

// pageWriter writes sections of pages and collects the checksum of each page. It keeps the first error.
type pageWriter struct {
	out  *bufio.Writer
	page []byte
	sums []uint64
	err  error
}

func (w *pageWriter) raw(p []byte) {
	if w.err == nil {
		_, w.err = w.out.Write(p)
	}
}

func (w *pageWriter) write(p []byte) {
	for len(p) > 0 {
		n := min(len(p), pageSize-len(w.page))
		w.page = append(w.page, p[:n]...)
		p = p[n:]
		if len(w.page) == pageSize {
			w.sums = append(w.sums, xxh3.Hash(w.page))
			w.raw(w.page)
			w.page = w.page[:0]
		}
	}
}

func (w *pageWriter) number(v uint64) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], v)
	w.write(b[:])
}

// endSection fills the page with zeros.
func (w *pageWriter) endSection() {
	if len(w.page) > 0 {
		w.write(make([]byte, pageSize-len(w.page)))
	}
}

// endFile writes the checksums.
func (w *pageWriter) endFile() {
	for sums := range slices.Chunk(w.sums, sumsInPage) {
		p := make([]byte, pageSize)
		for i, sum := range sums {
			binary.LittleEndian.PutUint64(p[8*i:], sum)
		}
		binary.LittleEndian.PutUint64(p[pageSize-8:], xxh3.Hash(p[:pageSize-8]))
		w.raw(p)
	}
}

// syncDir makes a rename in a directory durable.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("store corpus: %w", err)
	}
	defer d.Close()
	if err := d.Sync(); err != nil {
		return fmt.Errorf("store corpus: sync %s: %w", dir, err)
	}
	return nil
}
