package judge

import (
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/command/run"
	"github.com/mithril-stream/mithril-stream/internal/record"
	"github.com/mithril-stream/mithril-stream/internal/store"
	"github.com/mithril-stream/mithril-stream/stream"
)

// fullFrom makes the disk full from its n-th write on, until stop is called, which reports whether
// anything was to be written by then.
func fullFrom(n int) (stop func() (isFull bool)) {
	writes := 0
	free := store.Watch(store.Watcher{Before: func(o store.Operation) error {
		switch o.Kind {
		case store.SyncFile, store.SyncDir:
			return store.ErrDone
		case store.Write, store.Create:
			if writes++; writes > n {
				return syscall.ENOSPC
			}
		}
		return nil
	}})
	return func() bool { free(); return writes > n }
}

// longNamed adds texts by one request, and commits them. If they are many, their names are written
// to the log before the request is done.
func longNamed(c *conversation, kind uint32, from, to int, within bool) (texts []string) {
	var ids, values []string
	for i := from; i < to; i++ {
		texts = append(texts, fmt.Sprintf("word%da word%db word%dc word%dd word%de word%df", i, i, i, i, i, i))
		ids = append(ids, `"`+strings.Repeat("x", mostInID-2)+`"`)
		if within {
			values = append(values, `"de"`)
		}
	}
	c.sendNamed(kind, ids, values, texts)
	c.send(judgeCommit, 0)
	return texts
}

// Wherever the disk is full, the index can be opened again, and has what the program was told that
// it has.
func TestDiskThatIsFullKeepsNamesInStep(t *testing.T) {
	some, tries := memories, 3 // until the number of writes has doubled, about
	if testing.Short() {
		some, tries = some[:1], 1
	}
	for _, options := range some {
		t.Run(options, func(t *testing.T) {
			within := strings.Contains(options, "--within")
			for n, isFull := 0, true; isFull; n += 1 + n/tries {
				dir := filepath.Join(t.TempDir(), fmt.Sprint(n))
				cmd := judgeOf(t, append(strings.Fields(options), "--index", dir)...)
				var c conversation
				var texts []string
				for i, kind := range []uint32{judgeAdd, judgeAlike, judgeAdd} {
					texts = append(texts, longNamed(&c, kind, 100*i, 100*(i+1), within)...)
				}
				free := fullFrom(n)
				replies, err := talk(t, cmd, c.Bytes())
				if isFull = free(); isFull != (err != nil) {
					t.Fatalf("after %d writes: %v", n, err)
				}
				committed := 100 * commitsIn(replies)
				if committed == 0 {
					continue
				}
				verify(t, dir)
				checkKnown(t, options, dir, texts[:committed])
			}
		})
	}
}

// commitsIn counts the replies to commits among replies, the last of which may be cut off.
func commitsIn(replies []byte) (commits int) {
	for len(replies) >= requestSize {
		kind, size := binary.LittleEndian.Uint32(replies), int(binary.LittleEndian.Uint32(replies[8:]))
		switch kind {
		case judgeCommit:
			commits++
		case judgeAdd:
			size = verdictSize * int(binary.LittleEndian.Uint32(replies[4:]))
		}
		replies = replies[min(len(replies), requestSize+size):]
	}
	return commits
}

// checkKnown fails unless the index in dir knows the last of the committed texts.
func checkKnown(t *testing.T, options, dir string, texts []string) {
	t.Helper()
	var c conversation
	texts = texts[max(0, len(texts)-50):] // older ones may be forgotten
	if strings.Contains(options, "--within") {
		c.sendWithin(judgeAsk, 0, slices.Repeat([]string{`"de"`}, len(texts)), texts)
	} else {
		c.send(judgeAsk, 0, texts...)
	}
	replies, err := talk(t, judgeOf(t, append(strings.Fields(options), "--index", dir)...), c.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if known := duplicatesOf(replies[requestSize:]); len(known) != len(texts) || slices.Contains(known, false) {
		t.Fatalf("of the texts that were committed are known: %v", known)
	}
}

// A commit with other numbers of records and names would leave an index that nobody can open: it is
// refused, and the index stays as it was.
func TestCommitOfRecordsWithoutNamesIsRefused(t *testing.T) {
	for _, options := range memories[:8] {
		t.Run(options, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "index")
			args := append(strings.Fields(options), "--index", dir)
			var c conversation
			texts := longNamed(&c, judgeAdd, 0, 10, strings.Contains(options, "--within"))
			if _, err := talk(t, judgeOf(t, args...), c.Bytes()); err != nil {
				t.Fatal(err)
			}
			if err := addUnnamed(t, args, 300); err == nil || errors.As(err, new(refusal)) ||
				!strings.Contains(err.Error(), dir+": internal error: ") ||
				!strings.Contains(err.Error(), "with the names of 10: nothing is committed") {
				t.Fatalf("a commit without names: %v", err)
			}
			verify(t, dir)
			checkKnown(t, options, dir, texts)
		})
	}
}

// addUnnamed remembers texts without naming them, and commits.
func addUnnamed(t *testing.T, args []string, count int) error {
	cmd := judgeOf(t, args...)
	from, err := run.SourceOfTexts(&cmd.Filter, files.Streams{})
	if err != nil {
		t.Fatal(err)
	}
	a, err := newResponder(t.Context(), cmd, from)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := errors.Join(a.close(), from.Close()); err != nil {
			t.Error(err)
		}
	}()
	q := &question{request: &request{kind: judgeAlike, values: make([][]byte, count)}}
	for i := range count {
		start := len(q.text)
		q.text = fmt.Appendf(q.text, "of %da words %db there %dc are %dd none %de here %df", i, i, i, i, i, i)
		q.spans = append(q.spans, record.Span{Start: start, End: len(q.text)})
		q.sketches.Problems = append(q.sketches.Problems, record.Problem{})
	}
	newSketching(from.New()).sketch(q)
	if _, err := a.judge(q.sketches, make([]stream.Verdict, count), false); err != nil {
		t.Fatal(err)
	}
	return a.save()
}
