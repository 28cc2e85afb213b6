package formats

import (
	"bytes"
	"io"
	"math/rand/v2"
	"slices"
	"sort"

	"github.com/mithril-stream/mithril-stream/internal/object"
	"github.com/mithril-stream/mithril-stream/stream"
)

// How records are drawn from random places. The record that is cut off at a place is skipped.
const (
	drawnAtOnce = 4        // consecutive records at a place
	drawnBytes  = 64 << 10 // that are read there
	longBytes   = 1 << 20  // that are read instead if those do not hold a whole record
	drawnSeed   = 1        // so that the places are the same each time
)

// A Drawn holds records from random places in all inputs, the same places each time. A long record
// takes up more places, as do its neighbours, which are often long as well, so long records are
// drawn too often. Weights, one for each record, make up for that.
type Drawn struct {
	stream.Input
	Weights []float64

	records []byte
}

// Draw draws that many records, or slightly fewer. ok is false unless all inputs are uncompressed
// local files in which records can be separated from any offset on, and together are larger than
// beginningBytes.
func (s *Source) Draw(records int) (d *Drawn, ok bool) {
	ends, paths := []int64(nil), s.request.Paths // ends: offsets of the inputs' ends, as if they were concatenated
	isElsewhere := func(path string) bool { return path == "-" || object.IsRemote(path) }
	if !s.endsAnywhere() || slices.ContainsFunc(paths, isElsewhere) {
		return nil, false
	}
	total := int64(0)
	for _, path := range paths {
		size, err := s.sizeOf(path)
		if err != nil {
			return nil, false
		}
		total += size
		ends = append(ends, total)
	}
	if total <= beginningBytes {
		return nil, false
	}
	random := rand.New(rand.NewPCG(drawnSeed, 0))
	places := make([]int64, max(1, records/drawnAtOnce))
	for i := range places {
		places[i] = random.Int64N(total)
	}
	slices.Sort(places)
	d = &Drawn{}
	for len(places) > 0 {
		i := sort.Search(len(ends), func(i int) bool { return ends[i] > places[0] })
		n := sort.Search(len(places), func(j int) bool { return places[j] >= ends[i] })
		file, err := s.open(paths[i])
		if err != nil {
			return nil, false
		}
		isCompressed := file.isCompressed()
		for _, place := range places[:n] {
			if !isCompressed {
				d.draw(s, file, place-ends[i]+file.size)
			}
		}
		if file.close(); isCompressed {
			return nil, false
		}
		places = places[n:]
	}
	d.Input = stream.Input{Name: "records from random places", Open: func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(d.records)), nil
	}}
	return d, len(d.Weights) > 0
}

// draw adds the whole records that follow a place of an input. Errors are reported when the input
// is read for good.
func (d *Drawn) draw(s *Source, in sized, place int64) {
	terminator := []byte(s.Terminator())
	for _, length := range []int{drawnBytes, longBytes} {
		buf := make([]byte, length)
		n, _ := in.at.ReadAt(buf, place)
		_, rest, _ := bytes.Cut(buf[:n], terminator)
		end, count := 0, 0
		for ; count < drawnAtOnce; count++ {
			at := bytes.Index(rest[end:], terminator)
			if at < 0 {
				break
			}
			end += at + len(terminator)
		}
		if count > 0 {
			d.records = append(d.records, rest[:end]...)
			d.Weights = append(d.Weights, slices.Repeat([]float64{1 / float64(end)}, count)...)
			return
		}
	}
}
