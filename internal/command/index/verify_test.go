package index

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/command/judge"
	"github.com/mithril-stream/mithril-stream/internal/framelog"
	"github.com/mithril-stream/mithril-stream/internal/index"
	"github.com/mithril-stream/mithril-stream/internal/indextest"
	"github.com/mithril-stream/mithril-stream/internal/memory"
)

// judged has the command judge remember a few texts in the index in dir, and commit them.
func judged(dir string, options ...string) error {
	args := append([]string{"judge", "--index", dir, "--capacity", "100"}, options...)
	cmd, err := config.Parse(args, "test", io.Discard)
	if err != nil {
		return err
	}
	var sent []byte
	for i := range 3 {
		text := fmt.Sprintf("text %d of word%[1]da and word%[1]db", i)
		for _, n := range []uint32{1, 1, 0, uint32(len(text))} {
			sent = binary.LittleEndian.AppendUint32(sent, n)
		}
		sent = append(sent, text...)
	}
	sent = append(sent, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
	path := dir + ".requests"
	if err := os.WriteFile(path, sent, 0o600); err != nil {
		return err
	}
	in, err := os.Open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.Create(path + ".out")
	if err != nil {
		return err
	}
	defer out.Close()
	std := files.Streams{In: in, Out: files.StdoutOf(out), Err: os.Stderr}
	return judge.Run(context.Background(), cmd.(*config.Judge), std)
}

// falsify commits to the index in dir that it has logged more records in a log, and what change
// makes of the state of its memory.
func falsify(t *testing.T, dir, log string, logged uint64, change func(state map[string]any)) {
	t.Helper()
	w, err := index.OpenExisting(index.System, dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Load(index.NoBase{}, index.VerifyFrames); err != nil {
		t.Fatal(err)
	}
	var state map[string]any
	numbers := json.NewDecoder(bytes.NewReader(w.LastCommit().State("exact")))
	numbers.UseNumber()
	if err := numbers.Decode(&state); err != nil {
		t.Fatal(err)
	}
	change(state)
	if logged > 0 {
		of, length, err := w.OpenLog(log)
		if err != nil {
			t.Fatal(err)
		}
		frames, err := framelog.NewWriter(of, length, framelog.Header{})
		if err != nil {
			t.Fatal(err)
		}
		of.FlushBy(func() (int64, error) { return frames.FlushWith(framelog.Counts{Records: logged}) })
	}
	w.Add(indextest.State{Section: "exact", Bytes: func() ([]byte, error) { return json.Marshal(state) }})
	if err := errors.Join(w.Commit(w.Committed()), w.Close()); err != nil {
		t.Fatal(err)
	}
}

// An index whose checksums are right, but whose numbers of records and names differ, cannot be
// opened, and is not whole.
func TestVerifyComparesRecordsAndNames(t *testing.T) {
	count := func(records uint64) func(map[string]any) {
		return func(state map[string]any) {
			state["records"] = records
			if windows, ok := state["windows"].(map[string]any); ok {
				windows["remembered"].([]any)[0].(map[string]any)["records"] = records
			}
		}
	}
	for _, test := range []struct {
		name, log, options string
		logged             uint64
		change             func(state map[string]any)
		want               string
	}{
		{"records without names", "exact", "", 5, count(5),
			"exact: the log is damaged: it has 5 records and the names of 3"},
		{"names of no records", "exact", "", 0, count(2),
			"exact: the log is damaged: it has 2 records and the names of 3"},
		{"another count", "exact", "", 5, count(3),
			"exact: the log is damaged: it has 5 records, and the last commit counts 3"},
		{"a window without names", "exact-w1", "--keep-generations 3", 5, count(5),
			"exact-n1: the log is damaged: it has 5 records and the names of 3"},
		{"a window without records", "exact-w1", "--keep-generations 3", 0, count(4),
			"exact-w1: the log is damaged: it has 3 records"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "idx")
			options := strings.Fields(test.options)
			if err := judged(dir, options...); err != nil {
				t.Fatal(err)
			}
			var said bytes.Buffer
			if err := verify(dir, "idx", &said); err != nil || !strings.Contains(said.String(), "idx: whole: ") {
				t.Fatalf("%v, %s", err, &said)
			}
			falsify(t, dir, test.log, test.logged, test.change)
			said.Reset()
			err := verify(dir, "idx", &said)
			if !errors.Is(err, memory.ErrCorrupt) || said.Len() > 0 || !strings.Contains(err.Error(), test.want) ||
				!strings.Contains(err.Error(), "restore it from a copy, or build the index again") {
				t.Errorf("%v, %s, want %q", err, &said, test.want)
			}
			err = judged(dir, options...)
			if !errors.Is(err, memory.ErrCorrupt) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("opening it: %v, want %q", err, test.want)
			}
		})
	}
}
