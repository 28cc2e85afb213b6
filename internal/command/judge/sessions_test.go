package judge

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/command/run"
	"github.com/mithril-stream/mithril-stream/internal/index"
	"github.com/mithril-stream/mithril-stream/internal/method/exact"
)

// judgeOf is the command with options.
func judgeOf(t testing.TB, args ...string) *config.Judge {
	t.Helper()
	args = append([]string{"judge", "--capacity", "1000", "--threads", "1", "--max-record", "256"}, args...)
	cmd, err := config.Parse(args, "test", io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	return cmd.(*config.Judge)
}

// talk sends bytes to the command by a pipe, and returns its replies when it has ended, which is
// not to take long.
func talk(t testing.TB, cmd *config.Judge, sent []byte) (replies []byte, err error) {
	t.Helper()
	in, toChild := pipe(t)
	fromChild, out := pipe(t)
	go func() {
		defer toChild.Close()
		_, _ = toChild.Write(sent) // what is not read matters to nobody
	}()
	read := make(chan []byte, 1)
	go func() {
		defer fromChild.Close()
		all, _ := io.ReadAll(fromChild)
		read <- all
	}()
	err = ended(t, func() error {
		defer in.Close()
		defer out.Close()
		return Run(context.Background(), cmd, files.Streams{In: in, Out: files.StdoutOf(out), Err: os.Stderr})
	})
	return <-read, err
}

func pipe(t testing.TB) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	return r, w
}

// ended calls f, and fails if that waits for ever.
func ended(t testing.TB, f func() error) error {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- f() }()
	select {
	case err := <-done:
		return err
	case <-time.After(2 * time.Minute):
		t.Fatal("the command waits")
		return nil
	}
}

// A session is some requests that make sense.
type session struct {
	conversation
	ends  []int // where each request ends
	added uint64
	rng   *rand.Rand
	index bool // there is something to commit to
	exact bool // records have names
}

func newSession(rng *rand.Rand, exact, index bool) *session {
	s := &session{rng: rng, exact: exact, index: index}
	for range 1 + rng.IntN(4) {
		s.request()
		s.ends = append(s.ends, s.Len())
	}
	return s
}

// request adds a request of any kind.
func (s *session) request() {
	kinds := []uint32{judgeAdd, judgeAdd, judgeAlike, judgeAsk, judgeSignatures, judgeKeys, judgeSizes, judgeStats}
	if s.exact {
		kinds = append(kinds, judgeNear)
	}
	if s.added > 0 && s.exact {
		kinds = append(kinds, judgeNames)
	}
	if s.index {
		kinds = append(kinds, judgeCommit)
	}
	switch kind := kinds[s.rng.IntN(len(kinds))]; kind {
	case judgeStats, judgeCommit:
		s.numbers(kind, 0, s.rng.Uint32N(3))
	case judgeNames:
		count := s.rng.Uint32N(4)
		s.numbers(kind, count, 0)
		for range count {
			s.numbers(uint32(1+s.rng.Uint64N(s.added)), 0)
		}
	default:
		s.texts(kind)
	}
}

// texts adds a request with texts: few or more, some of which are missing or too long.
func (s *session) texts(kind uint32) {
	count := s.rng.IntN(5)
	if s.rng.IntN(3) == 0 {
		count += 7 // around fewTexts
	}
	texts, lengths := make([]string, count), make([]uint32, count)
	for i := range texts {
		words := strings.Fields(fox)
		texts[i] = strings.Join(words[:s.rng.IntN(len(words)+1)], " ")
		switch s.rng.IntN(20) {
		case 0:
			texts[i] = strings.Repeat("x", 257)
		case 1:
			texts[i] = ""
			lengths[i] = 1<<32 - 1
			continue
		}
		lengths[i] = uint32(len(texts[i]))
	}
	argument := uint32(0)
	remembered := kind == judgeAdd || kind == judgeAlike
	if remembered {
		argument = s.rng.Uint32N(2)
		s.added += uint64(count)
	}
	if kind == judgeNear {
		argument = s.rng.Uint32N(3)
	}
	s.numbers(kind, uint32(count), argument)
	s.numbers(lengths...)
	if remembered && argument == 1 {
		for range count {
			s.numbers(3)
		}
		s.WriteString(strings.Repeat(`"i"`, count))
	}
	s.WriteString(strings.Join(texts, ""))
}

// damaged is the session with some bytes that are others, or with what makes no sense in the place
// of a number.
func (s *session) damaged() []byte {
	sent := slices.Clone(s.Bytes())
	for range 1 + s.rng.IntN(3) {
		at := s.rng.IntN(len(sent))
		if s.rng.IntN(2) == 0 {
			sent[at] = byte(s.rng.Uint32())
			continue
		}
		odd := []uint32{0, 1, 1 << 20, 1<<20 + 1, 1<<31 - 1, 1 << 31, 1<<32 - 1}[s.rng.IntN(7)]
		if at = at / 4 * 4; at+4 <= len(sent) {
			binary.LittleEndian.PutUint32(sent[at:], odd)
		}
	}
	return sent
}

// TestJudgeSessions has random sessions end at every third byte, and around each end of a request,
// and damages others. Only one that ends behind a request ends well, and has all replies up to
// there.
func TestJudgeSessions(t *testing.T) {
	all := 7_000
	if testing.Short() {
		all = 700
	}
	rng := rand.New(rand.NewPCG(48, 1))
	commands := map[bool]*config.Judge{true: judgeOf(t), false: judgeOf(t, "--memory", "bloom")}
	for done := 0; done < all; {
		s := newSession(rng, rng.IntN(2) == 0, false)
		cmd := commands[s.exact]
		whole, err := talk(t, cmd, s.Bytes())
		if err != nil {
			t.Fatalf("a whole session: %v", err)
		}
		first := rng.IntN(3)
		for end := range s.Len() {
			isAround := end == 0 || slices.ContainsFunc(s.ends, func(e int) bool { return max(e-end, end-e) < 2 })
			if end%3 != first && !isAround {
				continue
			}
			replies, err := talk(t, cmd, s.Bytes()[:end])
			isWhole := end == 0 || slices.Contains(s.ends, end)
			if isWhole != (err == nil) || !isWhole && !strings.Contains(err.Error(), "request") {
				t.Fatalf("a session that ends at %d of %v: %v", end, s.ends, err)
			}
			if !bytes.HasPrefix(beforeStats(whole), beforeStats(replies)) {
				t.Fatalf("a session that ends at %d of %v has other replies", end, s.ends)
			}
			asked := len(slices.DeleteFunc(slices.Clone(s.ends), func(e int) bool { return e > end }))
			if answered := countReplies(t, replies); answered != asked {
				t.Fatalf("a session that ends at %d of %v has %d replies", end, s.ends, answered)
			}
			done++
		}
		for range s.Len() / 6 {
			if _, err := talk(t, cmd, s.damaged()); err != nil && err.Error() == "" {
				t.Fatal("an error without a message")
			}
			done++
		}
	}
}

// beforeStats is what replies say before statistics, which are not the same in each run.
func beforeStats(replies []byte) []byte {
	if at := bytes.Index(replies, []byte(`{"records":`)); at >= 0 {
		return replies[:at-requestSize]
	}
	return replies
}

// countReplies is how many there are, all of which must be whole.
func countReplies(t *testing.T, replies []byte) (n int) {
	t.Helper()
	for from := bytes.NewReader(replies); from.Len() > 0; n++ {
		kind := binary.LittleEndian.Uint32(replies[len(replies)-from.Len():])
		size := 0
		if kind == judgeAdd || kind == judgeAsk {
			size = verdictSize
		}
		reply(t, from, kind, size)
	}
	return n
}

// TestJudgeSessionsOfAnIndex does the same with what is kept: a session that was cut short leaves
// an index that opens, with what was committed.
func TestJudgeSessionsOfAnIndex(t *testing.T) {
	rng := rand.New(rand.NewPCG(48, 2))
	for i := range 40 {
		dir := filepath.Join(t.TempDir(), fmt.Sprint(i))
		cmd := judgeOf(t, "--index", dir)
		for range 5 {
			s := newSession(rng, true, true)
			end := rng.IntN(s.Len())
			_, err := talk(t, cmd, s.Bytes()[:end])
			if isWhole := end == 0 || slices.Contains(s.ends, end); isWhole != (err == nil) {
				t.Fatalf("a session that ends at %d of %v: %v", end, s.ends, err)
			}
		}
		if err := index.Read(dir, exact.VerifyIndex); err != nil && !errors.Is(err, index.ErrNoIndex) {
			t.Fatal(err) // there is none where no session was whole
		}
	}
}

// TestJudgeIsStopped stops sessions at any place, while the program neither sends more nor ends.
func TestJudgeIsStopped(t *testing.T) {
	rng := rand.New(rand.NewPCG(48, 3))
	cmd := judgeOf(t)
	for range 300 {
		s := newSession(rng, true, false)
		in, toChild := pipe(t)
		fromChild, out := pipe(t)
		ctx, stop := context.WithCancelCause(context.Background())
		if _, err := toChild.Write(s.Bytes()[:rng.IntN(s.Len())]); err != nil {
			t.Fatal(err)
		}
		go stop(run.SignalError{Signal: syscall.SIGTERM})
		std := files.Streams{In: in, Out: files.StdoutOf(out), Err: os.Stderr}
		err := ended(t, func() error { return Run(ctx, cmd, std) })
		expectStopped(t, err)
		for _, f := range []*os.File{in, toChild, fromChild, out} {
			f.Close()
		}
	}
}

// TestJudgeIsStoppedWhileNobodyReads stops it when it has begun to write more than a pipe holds.
func TestJudgeIsStoppedWhileNobodyReads(t *testing.T) {
	var c conversation
	for range 100 { // a MiB of replies for small requests, and as much for a large one
		c.send(judgeSignatures, 0, strings.Split(strings.Repeat(fox+"|", 9), "|")...)
	}
	c.send(judgeKeys, 0, strings.Split(strings.Repeat(fox+"|", 1000), "|")...)
	for range 20 {
		in, toChild := pipe(t)
		fromChild, out := pipe(t)
		ctx, stop := context.WithCancelCause(context.Background())
		go func() { _, _ = toChild.Write(c.Bytes()) }() // until the other end is closed
		go func() {
			fds := []unix.PollFd{{Fd: int32(fromChild.Fd()), Events: unix.POLLIN}}
			for fds[0].Revents == 0 {
				_, _ = unix.Poll(fds, -1)
			}
			stop(run.SignalError{Signal: syscall.SIGTERM})
		}()
		err := ended(t, func() error {
			return Run(ctx, judgeOf(t), files.Streams{In: in, Out: files.StdoutOf(out), Err: os.Stderr})
		})
		expectStopped(t, err)
		for _, f := range []*os.File{fromChild, in, toChild, out} {
			f.Close()
		}
	}
}

func expectStopped(t *testing.T, err error) {
	t.Helper()
	var stopped run.SignalError
	if !errors.As(err, &stopped) || stopped.Signal != syscall.SIGTERM || err.Error() == "" {
		t.Fatalf("%v, want the end by SIGTERM", err)
	}
}

// TestJudgeOfAProgramThatDies has both pipes closed within a request of many texts.
func TestJudgeOfAProgramThatDies(t *testing.T) {
	var c conversation
	c.send(judgeAdd, 0, strings.Split(strings.Repeat(fox+"|", 2000), "|")...)
	rng := rand.New(rand.NewPCG(48, 4))
	dir := filepath.Join(t.TempDir(), "index")
	for range 100 {
		in, toChild := pipe(t)
		fromChild, out := pipe(t)
		fromChild.Close()
		go func() {
			_, _ = toChild.Write(c.Bytes()[:1+rng.IntN(c.Len()-1)])
			toChild.Close()
		}()
		cmd := judgeOf(t, "--index", dir) // which says so if it is held
		err := ended(t, func() error {
			defer in.Close()
			defer out.Close()
			return Run(context.Background(), cmd, files.Streams{In: in, Out: files.StdoutOf(out), Err: os.Stderr})
		})
		if !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, syscall.EPIPE) {
			t.Fatal(err)
		}
	}
}

// FuzzJudge holds whole conversations. Whatever is sent, the command ends, and says why.
func FuzzJudge(f *testing.F) {
	for i := range uint64(20) {
		s := newSession(rand.New(rand.NewPCG(48, i)), true, false)
		f.Add(s.Bytes())
	}
	cmd := judgeOf(f)
	f.Fuzz(func(t *testing.T, sent []byte) {
		if _, err := talk(t, cmd, sent); err != nil && !strings.Contains(err.Error(), "read "+inputOfTexts) &&
			!strings.Contains(err.Error(), "no record") && !strings.Contains(err.Error(), "--index") {
			t.Fatal(err)
		}
	})
}
