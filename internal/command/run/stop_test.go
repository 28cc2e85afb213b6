package run

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/object"
)

// An askedContext is a context that does something whenever it is asked whether it has ended.
type askedContext struct {
	context.Context
	do func()
}

func (c askedContext) Err() error {
	c.do()
	return c.Context.Err()
}

// TestStopWhileTablesAreWritten: of files that are written in the end, those that are whole have
// their names when the run is stopped, and no other.
func TestStopWhileTablesAreWritten(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.jsonl")
	if err := os.WriteFile(in, []byte("{\"text\":\"a\"}\n{\"text\":\"b\"}\n{\"text\":\"c\"}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd, err := config.Parse([]string{"-q", "--equal", "--field", "text", "--on-error", "keep", "--output-dir",
		filepath.Join(dir, "out"), "--to", "parquet", "--shard-records", "1", in}, "test", io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	c := cmd.(*config.Filter)
	std := files.Streams{In: os.Stdin, Out: files.StdoutOf(os.Stdout), Err: os.Stderr}.
		Reading(t.Context(), c.Input.MaxWindow, object.Options{})
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	w, shown := &work{job: job{Config: c, Task: TaskOf(c)}}, (*progressLine)(nil)
	stop := errors.New("stopped")
	asked := askedContext{ctx, func() {
		if shown == nil {
			return
		}
		if written, _ := w.to.tables.Rows(); written < 2 || ctx.Err() != nil {
			return
		}
		if line := files.JoinParts(shown.parts()); !strings.Contains(line, "writing row 2 of 3") {
			t.Errorf("the progress line says %q", line)
		}
		cancel(stop)
	}}
	if err := w.open(asked, std); err != nil {
		t.Fatal(err)
	}
	if shown, err = w.start(); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.finish(asked, shown), w.close()); !errors.Is(err, stop) {
		t.Error(err)
	}
	whole, err := filepath.Glob(filepath.Join(dir, "out", "*.parquet"))
	if err != nil || len(whole) != 1 || filepath.Base(whole[0]) != "part-00000.parquet" {
		t.Errorf("%q, %v", whole, err)
	}
}
