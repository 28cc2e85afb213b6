package groups

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/command/run"
	"github.com/mithril-stream/mithril-stream/internal/compress"
	"github.com/mithril-stream/mithril-stream/internal/memory/signatures"
	"github.com/mithril-stream/mithril-stream/internal/method/exact"
	"github.com/mithril-stream/mithril-stream/internal/object"
	"github.com/mithril-stream/mithril-stream/internal/sketchfile"
	"github.com/mithril-stream/mithril-stream/internal/usage"
	"github.com/mithril-stream/mithril-stream/sketch"
	"github.com/mithril-stream/mithril-stream/stream"
)

// ofSketches prepares the run for sketch files, if the inputs are such files. There are no records
// to read or write then, but names of records, and flags.
func (g *grouping) ofSketches(ctx context.Context, std files.Streams) error {
	paths, err := std.Paths(g.c.Filter.Input.Paths)
	if err != nil {
		return err
	}
	if are, err := areSketches(ctx, paths, std); err != nil || !are {
		return err
	}
	if flag := g.c.AboutRecords; flag != "" {
		return usage.Error(fmt.Errorf("%s does not go with sketch files such as %s, which have no records: "+
			"give the files of the records, or leave it out", flag, paths[0]))
	}
	c := *g.c
	c.Filter = c.Filter.OfSketches(c.Clusters == "")
	g.c = &c
	return nil
}

// areSketches checks the first file that is not empty. If all are empty, the first one counts as a
// sketch file if it has the name of one. It is then refused as such, since no sketch file is empty.
func areSketches(ctx context.Context, paths []string, std files.Streams) (bool, error) {
	for _, path := range paths {
		is, empty, err := isSketchFile(ctx, path, std)
		if err != nil || !empty {
			return is, err
		}
	}
	return IsCalledSketch(paths[0]), nil
}

// IsCalledSketch reports whether a file has the name of a sketch file.
func IsCalledSketch(path string) bool { return strings.HasSuffix(compress.TrimSuffix(path), ".sketch") }

// isSketchFile reports whether a file begins like a sketch file, and whether it is empty.
func isSketchFile(ctx context.Context, path string, std files.Streams) (is, empty bool, err error) {
	src, err := files.OpenStoppable(ctx, path, std)
	if err != nil {
		return false, false, err
	}
	head := make([]byte, 64)
	n, err := io.ReadFull(src, head)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = nil
	}
	return sketchfile.Begins(head[:n]), n == 0, errors.Join(err, src.Close())
}

// paramsOfSketches returns the parameters for grouping the records of sketch files.
func (g *grouping) paramsOfSketches(c *config.Filter, from *run.Source) (p signatures.Params, err error) {
	k := from.Keys
	if k.Words == 0 {
		return p, fmt.Errorf("%s has no signatures: make it with sketch --signatures", object.Name(from.Paths[0]))
	}
	p = exact.Params(c.Method, k)
	if p.NumPerm, err = k.Identity.Number("num-perm"); err == nil {
		p.Rows, err = k.Identity.Number("rows")
	}
	p.Bands, p.Threshold = k.Bands, k.Threshold
	if given := g.c.GivenThreshold; given > 0 {
		if p.Threshold = given; given < k.Threshold {
			return p, usage.Error(fmt.Errorf("--threshold %v is below the %v that the sketches were made for, whose "+
				"bands would find few of the pairs between the two: sketch again with --threshold %v", given,
				k.Threshold, given))
		}
	}
	if err == nil {
		err = p.Validate()
	}
	made := sketch.Params{NumPerm: p.NumPerm}
	if err == nil && k.Words != run.SignatureWords(made) {
		err = fmt.Errorf("%d words cannot hold a signature of %d slots with %d bits each: sketch again if another "+
			"program made the file", k.Words, p.NumPerm, made.PackedBits())
	}
	if err != nil {
		err = fmt.Errorf("%s: %w: %w", object.Name(from.Paths[0]), sketchfile.ErrCorrupt, err)
	}
	return p, err
}

// countSketches returns how many records the files say they have. It leaves out files that cannot
// be asked beforehand, which are compressed ones and pipes.
func countSketches(paths []string) (records uint64) {
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		if f, err := os.Open(path); err == nil {
			n, _ := sketchfile.Count(f, info.Size()) // 0 if the end of the file is missing
			records += n
			f.Close()
		}
	}
	return records
}

// blanks is a source of unknown records, in place of those that are not read again.
type blanks struct{ left int }

// blanksAtOnce is the most records that one read returns.
const blanksAtOnce = 4096

// ReadRecords returns the next records.
func (b *blanks) ReadRecords(_ context.Context, to *stream.Records) error {
	if b.left == 0 {
		return io.EOF
	}
	n := min(b.left, blanksAtOnce)
	to.List = append(to.List, make([]stream.Record, n)...)
	b.left -= n
	return nil
}

// Skip skips records.
func (b *blanks) Skip(at stream.Position) error {
	b.left -= int(at.Records)
	return nil
}

// Close does nothing.
func (*blanks) Close() error { return nil }
