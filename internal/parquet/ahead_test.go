package parquet

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/columns"
)

// A far file is one in memory that counts what is asked for.
type far struct {
	*bytes.Reader
	fault func(ctx context.Context, off int64) error // nil if there is none

	mu       sync.Mutex
	requests []span
	running  int
	most     int // that ran at once
}

func farFile(data []byte) *far { return &far{Reader: bytes.NewReader(data)} }

func (f *far) Fetch(ctx context.Context, p []byte, off int64) error {
	f.mu.Lock()
	f.requests = append(f.requests, span{off, off + int64(len(p))})
	f.running++
	f.most = max(f.most, f.running)
	f.mu.Unlock()
	defer func() {
		f.mu.Lock()
		f.running--
		f.mu.Unlock()
	}()
	if f.fault != nil {
		if err := f.fault(ctx, off); err != nil {
			return err
		}
	}
	_, err := f.ReadAt(p, off)
	return err
}

// fetched is how many bytes were asked for.
func (f *far) fetched() (bytes int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, r := range f.requests {
		bytes += r.size()
	}
	return bytes
}

// openFar opens a file of which so many bytes are held, and so many of a chunk. Zero is as usual.
func openFar(t testing.TB, file *far, most, window int64, columns ...int) *File {
	t.Helper()
	f, err := Open(file, file.Size())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	if len(columns) > 0 {
		f.readOnly(columns)
	}
	if most > 0 {
		f.ahead = newAhead(file, f.footer, f.reads)
		f.ahead.maxHeld, f.ahead.window = most, window
	}
	return f
}

// TestFarFilesAreReadAsNearOnes: whole and damaged ones, whatever is held, with the same rows and
// the same errors.
func TestFarFilesAreReadAsNearOnes(t *testing.T) {
	random := rand.New(rand.NewPCG(6, 7))
	for _, path := range testFiles(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			data := read(t, path)
			tries := 40
			if testing.Short() {
				tries = 10
			}
			for try := range tries {
				changed := bytes.Clone(data)
				if try > 0 {
					changed[random.IntN(len(data))] ^= byte(1 + random.IntN(255))
				}
				near, err := Open(bytes.NewReader(changed), int64(len(changed)))
				if err != nil {
					continue
				}
				want, wantErr := firstRows(near)
				near.Close()
				f := openFar(t, farFile(changed), 1+random.Int64N(3000), 1+random.Int64N(300))
				got, err := firstRows(f)
				if fmt.Sprint(err) != fmt.Sprint(wantErr) || !slices.Equal(got, want) {
					t.Fatalf("try %d: %d rows, %v, want %d, %v", try, len(got), err, len(want), wantErr)
				}
			}
		})
	}
}

// firstRows are rows of a file that may claim any number, as JSON.
func firstRows(f *File) (rows []string, err error) {
	w := &jsonWriter{schema: f.Schema()}
	for batch := (Rows{}); err == nil && len(rows) < most; {
		err = f.Read(&batch)
		for i := range batch.Len() {
			rows = append(rows, string(w.append(nil, &batch, i)))
		}
	}
	return rows, err
}

// wideTable has small columns, a text and a column of noise that is far longer, in groups of rows.
func wideTable(t testing.TB, rows int, form Form) []byte {
	t.Helper()
	var out bytes.Buffer
	columns := []columns.Column{
		{Name: "id", Kind: columns.Integer}, {Name: "raw", Kind: columns.String},
		{Name: "text", Kind: columns.String}, {Name: "flag", Kind: columns.Bool},
	}
	b, err := NewBuilder(&out, columns, form)
	if err != nil {
		t.Fatal(err)
	}
	noise, raw := rand.NewChaCha8([32]byte{1}), make([]byte, 10<<10)
	for i := range rows {
		noise.Read(raw)
		b.Int64(int64(i))
		b.Bytes(raw)
		b.Bytes(fmt.Appendf(nil, "text %d: %x", i, raw[:100+i%1000]))
		b.Bool(i%2 == 0)
		if err := b.EndRow(); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestWhatIsNeededIsFetchedAlone, once, and no more is held than is allowed.
func TestWhatIsNeededIsFetchedAlone(t *testing.T) {
	for _, form := range []Form{{}, {GroupRows: 100}, {GroupRows: 700}} {
		data := wideTable(t, 1500, form)
		for _, columns := range [][]int{{2}, {0, 2}, {0, 1, 2, 3}} {
			for _, bounds := range []span{{}, {1 << 20, 64 << 10}, {100 << 10, 10 << 10}} {
				file := farFile(data)
				f := openFar(t, file, bounds.from, bounds.to, columns...)
				rows, most := 0, int64(0)
				var err error
				for batch := (Rows{}); err == nil; {
					err = f.Read(&batch)
					rows += batch.Len()
					if f.ahead != nil {
						most = max(most, f.ahead.held)
					}
				}
				if err != io.EOF || rows != 1500 {
					t.Fatalf("%d rows, %v", rows, err)
				}
				needed := chunksOf(t, f, columns)
				name := fmt.Sprintf("%+v, columns %d, %+v", form, columns, bounds)
				if got := file.fetched(); got < needed || got > needed+needed/20+int64(len(f.footer.groups))*gapBytes {
					t.Errorf("%s: %d bytes of %d, and %d are needed", name, got, len(data), needed)
				}
				if bound := f.ahead.maxHeld + int64(len(columns))*f.ahead.window*9/8 + pieceBytes; most > bound {
					t.Errorf("%s: %d bytes were held, and %d may be", name, most, bound)
				}
				if file.most > fetches+1 {
					t.Errorf("%s: %d requests at once", name, file.most)
				}
				if len(columns) == 1 && file.fetched() > int64(len(data))/3 {
					t.Errorf("%s: %d of %d bytes were fetched", name, file.fetched(), len(data))
				}
			}
		}
	}
}

// chunksOf is how many bytes columns take.
func chunksOf(t testing.TB, f *File, columns []int) (bytes int64) {
	t.Helper()
	for i := range f.footer.groups {
		g, err := f.footer.group(i)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range columns {
			bytes += g.chunks[c].end - g.chunks[c].start - 128
		}
	}
	return bytes
}

// TestALookFetchesTheBeginning of each column alone, and skipped groups are not fetched at all.
func TestALookFetchesTheBeginning(t *testing.T) {
	data := wideTable(t, 2000, Form{GroupRows: 700})
	file := farFile(data)
	f := openFar(t, file, 0, 0)
	var rows Rows
	if err := f.Read(&rows); err != nil || rows.Len() == 0 {
		t.Fatal(err)
	}
	if got := file.fetched(); got > 4<<20 {
		t.Errorf("%d of %d bytes for %d rows", got, len(data), rows.Len())
	}
	last := farFile(data)
	f = openFar(t, last, 0, 0)
	if err := f.Skip(1400); err != nil || last.fetched() > 0 {
		t.Errorf("%d bytes of groups that are skipped, %v", last.fetched(), err)
	}
	if err := f.Read(&rows); err != nil {
		t.Fatal(err)
	}
	g, err := f.footer.group(2)
	if err != nil {
		t.Fatal(err)
	}
	last.mu.Lock()
	defer last.mu.Unlock()
	for _, r := range last.requests {
		if r.from < g.chunks[0].start {
			t.Errorf("bytes %d to %d were fetched, and the last group begins at %d", r.from, r.to, g.chunks[0].start)
		}
	}
}

// TestAFailedFetchIsAnErrorWithItsPlace, after the rows before it.
func TestAFailedFetchIsAnErrorWithItsPlace(t *testing.T) {
	data := wideTable(t, 1500, Form{GroupRows: 250})
	gone := errors.New("the server is gone")
	file := farFile(data)
	file.fault = func(_ context.Context, off int64) error {
		if off > int64(len(data))/2 {
			return gone
		}
		return nil
	}
	f := openFar(t, file, 1<<20, 64<<10)
	rows, err := firstRows(f)
	if !errors.Is(err, gone) || !strings.Contains(err.Error(), "row group ") ||
		!strings.Contains(err.Error(), "column ") || len(rows) < 500 || len(rows) > 850 {
		t.Errorf("%d rows, %v", len(rows), err)
	}
	if again := f.Read(&Rows{}); !errors.Is(again, gone) {
		t.Errorf("then %v", again)
	}
}

// TestCloseEndsFetches that would never end by themselves.
func TestCloseEndsFetches(t *testing.T) {
	data := wideTable(t, 2000, Form{GroupRows: 400})
	file := farFile(data)
	begun := make(chan struct{}, 64)
	file.fault = func(ctx context.Context, off int64) error {
		if off < int64(len(data))/2 {
			return nil
		}
		select {
		case begun <- struct{}{}:
		default:
		}
		<-ctx.Done()
		return ctx.Err()
	}
	f := openFar(t, file, 0, 0)
	var rows Rows
	for n := 0; n < 700; n += rows.Len() {
		if err := f.Read(&rows); err != nil {
			t.Fatal(err)
		}
	}
	<-begun // what is fetched ahead may come to it later than the rows that were read
	f.Close()
	if file.running > 0 {
		t.Errorf("%d fetches run on", file.running)
	}
}
