package formats

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/record"
)

// uniteHeaders reads the headers of all inputs whose rows go to one CSV or TSV output. It fails
// before anything is written if their columns cannot be matched.
func (s *Source) uniteHeaders(ctx context.Context) error {
	w := s.request
	if s.Convert || !w.isOne() || len(w.Paths) < 2 {
		return nil
	}
	union := record.NewRowUnion(s.Format, w.Strict)
	if union == nil {
		return nil
	}
	areKnown := true
	for _, path := range w.Paths {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		if info, err := os.Stat(path); path == "-" || err == nil && !info.Mode().IsRegular() {
			areKnown = false // it can be read only once
			continue
		}
		if err := union.Add(s.std.InputName(path), headOf(path, s.std)); err != nil {
			return fmt.Errorf("%s: %w: give each input an output of its own, with --output-dir, or use "+
				"--to jsonl (nothing was written)", s.std.InputName(path), err)
		}
	}
	if !union.IsKnown() || areKnown && !union.Differs() {
		return nil
	}
	s.Union = union
	return union.Complete()
}

// headOf returns the beginning of an input. Errors are reported when it is the input's turn.
func headOf(path string, std files.Streams) []byte {
	in, err := std.OpenInput(path)
	if err != nil {
		return nil
	}
	defer in.Close()
	head := make([]byte, record.RowHead)
	n, _ := io.ReadFull(in, head)
	return head[:n]
}
