package substr

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"sort"

	"github.com/zeebo/xxh3"
)

// Corpus is a stored collection of texts that others are compared with: the texts, and samples of
// their windows in the order of their keys. corpusfile.go describes its file. Each page is verified
// by its checksum whenever it is read, so a damaged file is refused, at the latest where the damage
// matters.
//
// A Corpus reads with a small fixed cache. It is not safe for concurrent use.
type Corpus struct {
	file    *os.File
	header  header
	cache   [cachePages]page
	scratch []byte
}

// Errors that say what is wrong with a corpus file; the error returned wraps one and names the file
// and the place.
var (
	ErrNotCorpus     = errors.New("not a corpus file")
	ErrCorpusVersion = errors.New("unknown version of corpus file")
	ErrCorpusDamaged = errors.New("corpus file is damaged; build it again")
)

const (
	corpusFile    = "corpus"
	corpusMagic   = "mithsub\n"
	corpusVersion = 1

	pageSize   = 4096
	sumsInPage = pageSize/8 - 1
	entrySize  = 16
	cachePages = 1024
)

// header is what the first page of a corpus file says.
type header struct {
	unit      Unit
	minLength int
	texts     int
	textBytes int
	samples   int
	windows   int
}

// encode returns the header page.
func (h header) encode() []byte {
	p := make([]byte, pageSize)
	copy(p, corpusMagic)
	for i, v := range []int{corpusVersion, int(h.unit), h.minLength, h.texts, h.textBytes, h.samples, h.windows} {
		binary.LittleEndian.PutUint64(p[8+8*i:], uint64(v))
	}
	binary.LittleEndian.PutUint64(p[pageSize-8:], xxh3.Hash(p[:pageSize-8]))
	return p
}

// decodeHeader reads the header page of a file of size bytes. No number is believed that the size
// contradicts.
func decodeHeader(p []byte, size int64) (header, error) {
	if string(p[:8]) != corpusMagic {
		return header{}, ErrNotCorpus
	}
	var v [7]uint64
	for i := range v {
		v[i] = binary.LittleEndian.Uint64(p[8+8*i:])
	}
	if v[0] != corpusVersion {
		return header{}, fmt.Errorf("%w: %d; this program knows %d", ErrCorpusVersion, v[0], corpusVersion)
	}
	if xxh3.Hash(p[:pageSize-8]) != binary.LittleEndian.Uint64(p[pageSize-8:]) {
		return header{}, fmt.Errorf("%w: checksum of the header", ErrCorpusDamaged)
	}
	for _, n := range v[1:] {
		if n > math.MaxInt32 && n > uint64(size) || n > math.MaxInt { // the minimum length alone may exceed the size
			return header{}, fmt.Errorf("%w: the header says %d where the file has %d bytes", ErrCorpusDamaged, n, size)
		}
	}
	h := header{unit: Unit(v[1]), minLength: int(v[2]), texts: int(v[3]), textBytes: int(v[4]), samples: int(v[5]),
		windows: int(v[6])}
	if v[1] >= uint64(len(unitNames)) || h.minLength < 1 || h.fileSize() != size {
		return header{}, fmt.Errorf("%w: the header does not fit a file of %d bytes", ErrCorpusDamaged, size)
	}
	return h, nil
}

func pagesFor(bytes int) int { return (bytes + pageSize - 1) / pageSize }

// The pages of each section begin where those of the one before it end. Page 0 is the header.
func (h header) endsPage() int    { return 1 + pagesFor(h.textBytes) }
func (h header) samplesPage() int { return h.endsPage() + pagesFor(8*h.texts) }
func (h header) windowsPage() int { return h.samplesPage() + pagesFor(entrySize*h.samples) }
func (h header) sumsPage() int    { return h.windowsPage() + pagesFor(entrySize*h.windows) }
func (h header) fileSize() int64 {
	sums := (h.sumsPage() - 1 + sumsInPage - 1) / sumsInPage
	return int64(h.sumsPage()+sums) * pageSize
}

// OpenCorpus opens the corpus stored in a directory. Close it.
func OpenCorpus(dir string) (*Corpus, error) {
	file, err := os.Open(filepath.Join(dir, corpusFile))
	if err != nil {
		return nil, fmt.Errorf("open corpus: %w", err)
	}
	c := &Corpus{file: file}
	if c.header, err = readHeader(file); err != nil {
		file.Close()
		return nil, fmt.Errorf("corpus %s: %w", file.Name(), err)
	}
	return c, nil
}

func readHeader(file *os.File) (header, error) {
	info, err := file.Stat()
	if err != nil {
		return header{}, err
	}
	if info.Size() < pageSize {
		return header{}, ErrNotCorpus
	}
	p := make([]byte, pageSize)
	if _, err := file.ReadAt(p, 0); err != nil {
		return header{}, err
	}
	return decodeHeader(p, info.Size())
}

// Close closes the file.
func (c *Corpus) Close() error { return c.file.Close() }

// MinLength and Unit are those that the corpus was built for; no others can be asked for.
func (c *Corpus) MinLength() int { return c.header.minLength }
func (c *Corpus) Unit() Unit     { return c.header.unit }

// Texts is the number of texts in the corpus.
func (c *Corpus) Texts() int { return c.header.texts }

type page struct {
	number int // 0 is none: the header is not cached
	data   [pageSize]byte
}

// page returns a page of data, verified. It is valid until the next call.
func (c *Corpus) page(number int) ([]byte, error) {
	p := &c.cache[number%cachePages]
	if p.number == number {
		return p.data[:], nil
	}
	i := number - 1
	sums, err := c.sums(c.header.sumsPage() + i/sumsInPage)
	if err != nil {
		return nil, err
	}
	want := binary.LittleEndian.Uint64(sums[i%sumsInPage*8:])
	if err := c.load(p, number); err != nil {
		return nil, err
	}
	if xxh3.Hash(p.data[:]) != want {
		return nil, c.reject(p, number)
	}
	return p.data[:], nil
}

// sums returns a page of checksums, which verifies itself.
func (c *Corpus) sums(number int) ([]byte, error) {
	p := &c.cache[number%cachePages]
	if p.number == number {
		return p.data[:], nil
	}
	if err := c.load(p, number); err != nil {
		return nil, err
	}
	if xxh3.Hash(p.data[:pageSize-8]) != binary.LittleEndian.Uint64(p.data[pageSize-8:]) {
		return nil, c.reject(p, number)
	}
	return p.data[:], nil
}

func (c *Corpus) load(p *page, number int) error {
	p.number = 0
	if _, err := c.file.ReadAt(p.data[:], int64(number)*pageSize); err != nil {
		return fmt.Errorf("corpus %s: page %d: %w", c.file.Name(), number, err)
	}
	p.number = number
	return nil
}

func (c *Corpus) reject(p *page, number int) error {
	p.number = 0
	return c.damaged("checksum of page %d", number)
}

func (c *Corpus) damaged(format string, values ...any) error {
	return fmt.Errorf("corpus %s: %w: "+format, append([]any{c.file.Name(), ErrCorpusDamaged}, values...)...)
}

// table is a section of entries in ascending order of keys, each a key and a position in the texts.
type table struct {
	page    int
	entries int
}

func (c *Corpus) samples() table { return table{c.header.samplesPage(), c.header.samples} }
func (c *Corpus) windows() table { return table{c.header.windowsPage(), c.header.windows} }

// crowd replaces the positions of a sample's key that has too many: the windows around them are in
// the table of windows.
const crowd = -1

// entry returns the key and the position of entry i of a table.
func (c *Corpus) entry(t table, i int) (key uint64, at int, err error) {
	const inPage = pageSize / entrySize
	p, err := c.page(t.page + i/inPage)
	if err != nil {
		return 0, 0, err
	}
	p = p[i%inPage*entrySize:]
	position := int64(binary.LittleEndian.Uint64(p[8:]))
	if position < crowd || position >= int64(c.header.textBytes) {
		return 0, 0, c.damaged("entry %d of page %d lies outside the texts", i%inPage, t.page+i/inPage)
	}
	return binary.LittleEndian.Uint64(p), int(position), nil
}

// seek returns the first entry from `from` on whose key is not less than key.
func (c *Corpus) seek(t table, key uint64, from int) (int, error) {
	var failed error
	less := func(i int) bool {
		if i >= t.entries {
			return false
		}
		k, _, err := c.entry(t, i)
		if err != nil {
			failed = err
		}
		return err == nil && k < key
	}
	// keys are looked up in ascending order, and the next is near: gallop, then search in between
	step := 1
	for less(from + step - 1) {
		from += step
		step *= 2
	}
	return from + sort.Search(step-1, func(i int) bool { return !less(from + i) }), failed
}

// bounds returns the number of the text that holds a position, and where the text begins and ends.
func (c *Corpus) bounds(position int) (text, start, end int, err error) {
	text = sort.Search(c.header.texts, func(i int) bool {
		e, failed := c.end(i)
		if failed != nil {
			err = failed
		}
		return e > position
	})
	if err != nil {
		return 0, 0, 0, err
	}
	if text > 0 {
		if start, err = c.end(text - 1); err != nil {
			return 0, 0, 0, err
		}
	}
	if end, err = c.end(text); err != nil {
		return 0, 0, 0, err
	}
	if start > position || position >= end {
		return 0, 0, 0, c.damaged("the ends of texts are out of order at text %d", text)
	}
	return text, start, end, nil
}

// end is where text i ends.
func (c *Corpus) end(i int) (int, error) {
	if i >= c.header.texts {
		return 0, c.damaged("a sample lies in no text")
	}
	p, err := c.page(c.header.endsPage() + i/(pageSize/8))
	if err != nil {
		return 0, err
	}
	end := binary.LittleEndian.Uint64(p[i%(pageSize/8)*8:])
	if end > uint64(c.header.textBytes) {
		return 0, c.damaged("text %d ends after the end of the texts", i)
	}
	return int(end), nil
}

// read returns the bytes from … to of the texts; valid until the next call.
func (c *Corpus) read(from, to int) ([]byte, error) {
	c.scratch = c.scratch[:0]
	for from < to {
		p, err := c.page(1 + from/pageSize)
		if err != nil {
			return nil, err
		}
		last := min(pageSize, from%pageSize+to-from)
		c.scratch = append(c.scratch, p[from%pageSize:last]...)
		from += last - from%pageSize
	}
	return c.scratch, nil
}
