package substr

import (
	"bufio"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/zeebo/xxh3"

	"github.com/mithril-stream/mithril-stream/internal/private"
	"github.com/mithril-stream/mithril-stream/internal/store"
)

// Store writes the texts as a corpus into a directory, which is made if it does not exist; a corpus
// that is there is replaced, in one step, when the new one is on disk. Call it after Find.
//
// Only samples are stored whose windows are not all repeated, so a passage that the texts hold a
// thousand times is found, and looked at, once. What is left of samples with equal keys differs in
// the bytes around them; where these are many (a ruler of dashes, the beginning of an address),
// comparing with each of them would take forever. For them, the windows around are stored instead,
// and no two of those are equal.
func (f *Finder) Store(ctx context.Context, dir string) error {
	if !f.found || f.options.Against != nil {
		return errors.New("substr: Store needs texts that were searched for what they repeat of themselves")
	}
	if err := storeIn(ctx, dir, corpusWriter{f}); err != nil {
		return fmt.Errorf("store corpus: %w", err)
	}
	return nil
}

// storeIn writes a corpus to the directory with a path.
func storeIn(ctx context.Context, path string, corpus corpusWriter) (err error) {
	if err := store.MakePath(path, private.Directory); err != nil {
		return err
	}
	dir, err := store.OpenDir(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	const arriving = corpusFile + ".new"
	file, err := dir.Create(arriving)
	if err != nil {
		return err
	}
	if err = errors.Join(corpus.store(ctx, file), file.Close()); err == nil {
		err = dir.Rename(arriving, corpusFile)
	}
	if err != nil {
		_ = dir.Remove(arriving) // the error that counts is the first one
		return err
	}
	return dir.Sync()
}

// A corpusWriter writes the texts of a Finder as a corpus.
type corpusWriter struct{ *Finder }

func (f corpusWriter) store(ctx context.Context, file *store.File) error {
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
	crowded, err := newBitmap(f.options.TempDir, f.spool.size())
	if err != nil {
		return err
	}
	defer crowded.close()
	samples, err := f.storeSamples(ctx, w, crowded)
	if err != nil {
		return err
	}
	w.endSection()
	windows, err := f.storeWindows(ctx, w, crowded)
	if err != nil {
		return err
	}
	w.endSection()
	w.endFile()
	h := header{unit: f.options.Unit, minLength: f.options.MinLength, texts: f.Texts(), textBytes: f.spool.size(),
		samples: samples, windows: windows}
	if err := errors.Join(w.err, w.out.Flush()); err != nil {
		return err
	}
	if _, err := file.WriteAt(h.encode(), 0); err != nil {
		return err
	}
	return file.Sync()
}

// most is how many stored samples may have equal keys.
const most = 16

// storeSamples writes the samples in the order of their keys and returns how many they are. It
// marks the windows around those whose keys are too common.
func (f corpusWriter) storeSamples(ctx context.Context, w *pageWriter, crowded *bitmap) (int, error) {
	entries := 0
	err := f.inKeyOrder(ctx, 0, f.units/f.sampled.step+f.Texts(), f.appendSamples, func(same []keyed) {
		if len(same) > most {
			for _, s := range same {
				f.markAround(crowded, s.at)
			}
			w.entry(same[0].key, crowd)
			entries++
			return
		}
		for _, s := range same {
			w.entry(s.key, s.at)
		}
		entries += len(same)
	})
	return entries, err
}

// storeWindows writes the marked windows in the order of their keys and returns how many they are.
func (f corpusWriter) storeWindows(ctx context.Context, w *pageWriter, marked *bitmap) (int, error) {
	entries := 0
	list := func(dst []keyed, i int, wanted func(key uint64) bool) []keyed {
		f.eachMarked(i, marked, func(k keyed) {
			if wanted(k.key) && !f.repeated.has(k.at) {
				dst = append(dst, k)
			}
		})
		return dst
	}
	err := f.inKeyOrder(ctx, 0.5, marked.count(), list, func(same []keyed) {
		for _, s := range same {
			w.entry(s.key, s.at)
		}
		entries += len(same)
	})
	return entries, err
}

// markAround marks where the windows begin that hold the sample at position p of the spool.
func (f *Finder) markAround(marks *bitmap, p int) {
	start, end := f.spool.bounds(f.spool.at(p))
	starts, _ := f.around(f.spool.text[start:end], p-start)
	for _, s := range starts {
		if start+s <= p {
			marks.set(start+s, start+s+1)
		}
	}
}

// keyed is a window by its key and position.
type keyed struct {
	key uint64
	at  int
}

func sortKeyed(list []keyed) {
	slices.SortFunc(list, func(a, b keyed) int { return cmp.Or(cmp.Compare(a.key, b.key), a.at-b.at) })
}

// inKeyOrder calls visit with all windows that list appends, those of equal keys at a time, in
// ascending order of keys. There are at most n; it makes as many passes over the texts as memory
// asks for. Its progress begins at `from` and is half of the whole.
func (f corpusWriter) inKeyOrder(ctx context.Context, from float64, n int,
	list func(dst []keyed, text int, wanted func(key uint64) bool) []keyed, visit func(same []keyed)) error {
	passes := int(int64(n)*entrySize/f.options.Memory) + 1
	done := f.progress(from, from+0.5, passes*f.spool.size())
	for pass := range passes {
		var windows []keyed
		for i := range f.Texts() {
			windows = list(windows, i, func(key uint64) bool { return place(key, passes) == pass })
			start, end := f.spool.bounds(i)
			if done(end - start); ctx.Err() != nil {
				return context.Cause(ctx)
			}
		}
		sortKeyed(windows)
		for len(windows) > 0 {
			n := 1
			for n < len(windows) && windows[n].key == windows[0].key {
				n++
			}
			visit(windows[:n])
			windows = windows[n:]
		}
	}
	return nil
}

// eachMarked calls visit with each window of text i, of MinLength units, whose beginning is marked.
func (f *Finder) eachMarked(i int, marks *bitmap, visit func(keyed)) {
	start, end := f.spool.bounds(i)
	r, w := &roller{unit: f.options.Unit, count: f.options.MinLength}, &windows{}
	for p := marks.next(start, end, nil); p < end; {
		r.seek(f.spool.text[:end], p)
		for r.fill(w); w.n > 0; r.fill(w) {
			for k := range w.n {
				if marks.has(w.start[k]) {
					visit(keyed{w.key[k], w.start[k]})
				}
			}
			if p = marks.next(r.start, end, nil); !r.ok || p > r.start+r.count/2 {
				break // farther than it pays to roll on
			}
		}
		if !r.ok {
			return
		}
	}
}

// appendSamples appends the samples of text i with at least one window around them that is not
// repeated.
func (f corpusWriter) appendSamples(dst []keyed, i int, wanted func(key uint64) bool) []keyed {
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

// pageWriter writes sections of pages and collects the checksum of each page. It keeps the first
// error.
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

func (w *pageWriter) entry(key uint64, at int) {
	w.number(key)
	w.number(uint64(at))
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
