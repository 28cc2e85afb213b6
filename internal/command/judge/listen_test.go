package judge

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/command/run"
	indexes "github.com/mithril-stream/mithril-stream/internal/index"
	"github.com/mithril-stream/mithril-stream/internal/method/exact"
	"github.com/mithril-stream/mithril-stream/internal/usage"
)

// A server is the command with clients.
type server struct {
	t      *testing.T
	socket string
	stop   func()
	ended  chan error
	log    *os.File
}

// serve runs the command with --listen on a socket, and more options.
func serve(t *testing.T, args ...string) *server {
	t.Helper()
	return serveAt(t, filepath.Join(t.TempDir(), "s"), args...)
}

func serveAt(t *testing.T, socket string, args ...string) *server {
	t.Helper()
	log, err := os.CreateTemp(t.TempDir(), "log")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { log.Close() })
	ctx, cancel := context.WithCancelCause(context.Background())
	s := &server{
		t: t, socket: socket, ended: make(chan error, 1), log: log,
		stop: func() { cancel(run.SignalError{Signal: syscall.SIGTERM}) },
	}
	cmd := judgeOf(t, append([]string{"--listen", "unix:" + socket}, args...)...)
	go func() {
		s.ended <- Run(ctx, cmd, files.Streams{In: os.Stdin, Out: files.StdoutOf(os.Stdout), Err: log})
	}()
	t.Cleanup(s.stop)
	for deadline := time.Now().Add(time.Minute); ; {
		conn, err := net.Dial("unix", socket)
		if err == nil {
			err = conn.(*net.UnixConn).CloseWrite()
			if _, failed := io.Copy(io.Discard, conn); err != nil || failed != nil {
				t.Fatal(err, failed)
			}
			conn.Close()
			return s
		}
		select {
		case err := <-s.ended:
			t.Fatalf("the command ends at once: %v", err)
		default:
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}

// end stops the command, which must end well, and returns what it has said.
func (s *server) end() string {
	s.t.Helper()
	s.stop()
	if err := ended(s.t, func() error { return <-s.ended }); err != nil {
		s.t.Fatal(err)
	}
	if _, err := os.Lstat(s.socket); err == nil {
		s.t.Error("the socket is left")
	}
	return s.said()
}

func (s *server) said() string {
	said, err := os.ReadFile(s.log.Name())
	if err != nil {
		s.t.Fatal(err)
	}
	return string(said)
}

func (s *server) dial() net.Conn {
	s.t.Helper()
	conn, err := net.Dial("unix", s.socket)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(time.Minute))
	return conn
}

// ask sends a request, and returns the body of the reply.
func ask(t *testing.T, conn net.Conn, kind, argument uint32, texts ...string) []byte {
	t.Helper()
	var c conversation
	c.send(kind, argument, texts...)
	send(t, conn, c.Bytes())
	size := 0
	if kind == judgeAdd || kind == judgeAsk {
		size = verdictSize
	}
	return reply(t, conn, kind, size)
}

func send(t *testing.T, conn net.Conn, sent []byte) {
	t.Helper()
	if _, err := conn.Write(sent); err != nil {
		t.Fatal(err)
	}
}

// refused reads why a client is cut off, and that it is.
func refused(t *testing.T, conn net.Conn) string {
	t.Helper()
	why := string(reply(t, conn, judgeRefused, 0))
	if _, err := conn.Read(make([]byte, 1)); err == nil {
		t.Error("more follows a refusal")
	}
	return why
}

// The reply to a client repeats the number of its request, and a refusal has none.
func TestNumbersOfClients(t *testing.T) {
	s := serve(t)
	conn := s.dial()
	for _, number := range []uint32{7, 0, 1 << 31} {
		var c conversation
		c.numbers(judgeAdd|numbered, 1, 0, number, uint32(len(fox)))
		c.WriteString(fox)
		send(t, conn, c.Bytes())
		var head [4]uint32
		err := binary.Read(conn, binary.LittleEndian, &head)
		if want := [4]uint32{judgeAdd | numbered, 1, 0, number}; err != nil || head != want {
			t.Fatal(head, err)
		}
		if _, err := io.ReadFull(conn, make([]byte, verdictSize)); err != nil {
			t.Fatal(err)
		}
	}
	var c conversation
	c.numbers(judgeCommit|numbered, 1, 0, 9)
	send(t, conn, c.Bytes())
	if why := refused(t, conn); !strings.Contains(why, "request 4, of kind 3: a count of 1") {
		t.Error(why)
	}
}

// TestClientsShareAMemory has clients send overlapping sets of texts at once, in batches of any
// size. Of each text one copy is new, others name it, and the texts of a batch have neighbouring
// numbers, since a batch is judged as a whole.
func TestClientsShareAMemory(t *testing.T) {
	const clients, distinct = 8, 300
	s := serve(t)
	text := func(i int) string { return fmt.Sprintf("text %d has words %d of its own %d", i, i*7, i*13) }
	type seen struct{ text, original int }
	var mu sync.Mutex
	fresh, named := map[int]int{}, map[seen]bool{}
	var all sync.WaitGroup
	for client := range clients {
		all.Go(func() {
			rng := rand.New(rand.NewPCG(66, uint64(client)))
			conn := s.dial()
			order := rng.Perm(distinct)
			for len(order) > 0 {
				n := min(len(order), 1+rng.IntN(20))
				batch := order[:n]
				order = order[n:]
				texts := make([]string, n)
				for i := range texts {
					texts[i] = text(batch[i])
				}
				body := ask(t, conn, judgeAdd, 0, texts...)
				mu.Lock()
				for i, b := range batch {
					v := body[i*verdictSize:][:verdictSize]
					if original := int(binary.LittleEndian.Uint64(v)); v[14] == 0 {
						fresh[b]++
					} else {
						named[seen{b, original}] = true
					}
				}
				mu.Unlock()
			}
		})
	}
	all.Wait()
	if len(fresh) != distinct || len(named) != distinct {
		t.Fatalf("%d texts were new once, and %d originals are named, of %d", len(fresh), len(named), distinct)
	}
	for i, n := range fresh {
		if n != 1 {
			t.Fatalf("text %d was new %d times", i, n)
		}
	}
	if said := s.end(); !strings.Contains(said, "stopped: ") || !strings.Contains(said, "of 9 clients") {
		t.Errorf("it says %q", said)
	}
}

// TestBatchOfAClientIsJudgedWhole: the texts of a large batch have neighbouring numbers, though
// others ask meanwhile, and no text of a batch is judged that does not come to its end.
func TestBatchOfAClientIsJudgedWhole(t *testing.T) {
	const clients, size = 4, 3000 // several parts
	s := serve(t, "--capacity", "20000")
	var all sync.WaitGroup
	for client := range clients {
		all.Go(func() {
			texts := make([]string, size)
			for i := range texts {
				texts[i] = fmt.Sprintf("client %d sends %d as %d of many", client, i, i*i)
			}
			conn := s.dial()
			ask(t, conn, judgeAdd, 0, texts...)
			body := ask(t, conn, judgeAsk, 0, texts...)
			first := binary.LittleEndian.Uint64(body)
			for i := range texts {
				if got := binary.LittleEndian.Uint64(body[i*verdictSize:]); got != first+uint64(i) {
					t.Errorf("text %d of client %d has number %d, and the first one %d", i, client, got, first)
					return
				}
			}
		})
		all.Go(func() {
			conn := s.dial()
			var c conversation
			c.send(judgeAdd, 0, strings.Split(strings.Repeat("cut off|", size), "|")...)
			send(t, conn, c.Bytes()[:c.Len()-1-client])
			conn.Close()
		})
	}
	all.Wait()
	if got := fmt.Sprint(verdictsOf(ask(t, s.dial(), judgeAsk, 0, "cut off"))); got != "[0 0.00 00]" {
		t.Errorf("a batch that was cut off was judged: %s", got)
	}
	s.end()
}

// TestClientsAreCutOff has clients send all that talk refuses, and random damage: each is told why,
// and the others are served.
func TestClientsAreCutOff(t *testing.T) {
	s := serve(t)
	witness := s.dial()
	ask(t, witness, judgeAdd, 0, fox)
	for want, send := range map[string]func(*conversation){
		"request 1: kind 77": func(c *conversation) { c.numbers(77, 0, 0) },
		"1073741824 texts":   func(c *conversation) { c.numbers(judgeAdd, 1<<30, 0) },
		"a text of -2":       func(c *conversation) { c.numbers(judgeAdd, 1, 0, 1<<32-2) },
		"no record 9":        func(c *conversation) { c.numbers(judgeNames, 1, 0, 9, 0) },
		"without --index":    func(c *conversation) { c.numbers(judgeCommit, 0, 0) },
		"not JSON on one": func(c *conversation) {
			c.numbers(judgeAdd, 1, 1, 0, 2)
			c.WriteString("1\n")
		},
		"more than 16777216 bytes": func(c *conversation) {
			c.numbers(judgeSignatures, 1<<16, 0)
			c.Write(bytes.Repeat([]byte{0xff}, 4<<16))
		},
	} {
		var c conversation
		send(&c)
		conn := s.dial()
		if _, err := conn.Write(c.Bytes()); err != nil {
			t.Fatal(err)
		}
		if why := refused(t, conn); !strings.Contains(why, want) {
			t.Errorf("%q, want %q", why, want)
		}
	}
	rng := rand.New(rand.NewPCG(66, 1))
	for range 300 {
		sent := newSession(rng, true, false).damaged()
		conn := s.dial().(*net.UnixConn)
		go func() {
			_, _ = conn.Write(sent)
			_ = conn.CloseWrite()
		}()
		if _, err := io.Copy(io.Discard, conn); err != nil && !errors.Is(err, syscall.ECONNRESET) {
			t.Fatal(err)
		}
		conn.Close()
	}
	if got := verdictsOf(ask(t, witness, judgeAsk, 0, fox)); !strings.HasPrefix(got[0], "1 1.00") {
		t.Errorf("another client gets %v", got)
	}
	s.end()
}

// TestWhatClientsAddIsKept: what is answered is committed when the command ends, and when a client
// asks for it. The next session knows it.
func TestWhatClientsAddIsKept(t *testing.T) {
	for _, memory := range []string{"exact", "bloom"} {
		index := filepath.Join(t.TempDir(), "index")
		for session := range 3 {
			s := serve(t, "--memory", memory, "--index", index)
			one, two := s.dial(), s.dial()
			for i := range session {
				text := fmt.Sprintf("%s of session %d", fox, i)
				if got := verdictsOf(ask(t, two, judgeAsk, 0, text))[0]; !strings.HasSuffix(got, " 10") {
					t.Errorf("%s: session %d does not know what %d has added: %s", memory, session, i, got)
				}
			}
			ask(t, one, judgeAdd, 0, fmt.Sprintf("%s of session %d", fox, session))
			if session == 1 {
				ask(t, two, judgeCommit, 0)
			}
			var shared struct {
				Shared sharing `json:"shared"`
			}
			if err := json.Unmarshal(ask(t, two, judgeStats, 0), &shared); err != nil {
				t.Fatal(err)
			}
			if got := shared.Shared; got.Memory != memory || !got.Commits || got.Clients != 2 || got.Requests < 1 {
				t.Errorf("the statistics say %+v", got)
			}
			s.end()
			if err := indexes.Read(index, exact.VerifyIndex); err != nil {
				t.Fatal(err)
			}
		}
		s := serve(t, "--memory", memory, "--index", index, "--read-only")
		conn := s.dial()
		ask(t, conn, judgeAsk, 0, fox)
		var c conversation
		c.numbers(judgeCommit, 0, 0)
		send(t, conn, c.Bytes())
		if why := refused(t, conn); !strings.Contains(why, "--read-only") {
			t.Errorf("%s: a commit of what is only read: %s", memory, why)
		}
		s.end()
	}
}

// TestListenIsStopped stops the command with clients at any place of their requests. Whoever has a
// whole reply has added something that the index knows afterwards.
func TestListenIsStopped(t *testing.T) {
	rng := rand.New(rand.NewPCG(66, 2))
	for round := range 15 {
		index := filepath.Join(t.TempDir(), "index")
		s := serve(t, "--index", index)
		var answered sync.Map
		var all sync.WaitGroup
		begun := make(chan struct{}, 64)
		for client := range 4 {
			cut, ready := rng.IntN(30), rng.IntN(20)
			conn := s.dial()
			all.Go(func() {
				for i := 0; ; i++ {
					text := fmt.Sprintf("client %d of round %d says %d in %d words", client, round, i, i*3)
					var c conversation
					c.send(judgeAdd, 0, text)
					if i == 20 { // in the middle of a request until the end
						_, _ = conn.Write(c.Bytes()[:min(cut, c.Len()-1)])
						begun <- struct{}{}
						_, _ = io.Copy(io.Discard, conn)
						return
					}
					if _, err := conn.Write(c.Bytes()); err != nil {
						return
					}
					if _, err := io.ReadFull(conn, make([]byte, requestSize+verdictSize)); err != nil {
						return
					}
					answered.Store(text, true)
					if i == ready {
						begun <- struct{}{}
					}
				}
			})
		}
		<-begun
		s.end()
		all.Wait()
		next := serve(t, "--index", index)
		conn := next.dial()
		answered.Range(func(text, _ any) bool {
			if got := verdictsOf(ask(t, conn, judgeAsk, 0, text.(string)))[0]; !strings.HasSuffix(got, " 10") {
				t.Errorf("%q was answered, and is not known: %s", text, got)
			}
			return true
		})
		next.end()
	}
}

// impatient serves clients who must not wait for more than a moment, until end is called.
func impatient(t *testing.T) (h *hub, s *server, end func()) {
	t.Helper()
	cmd := judgeOf(t)
	from, err := run.SourceOfTexts(&cmd.Filter, files.Streams{})
	if err != nil {
		t.Fatal(err)
	}
	a, err := newResponder(t.Context(), cmd, from)
	if err != nil {
		t.Fatal(err)
	}
	log, err := os.CreateTemp(t.TempDir(), "log")
	if err != nil {
		t.Fatal(err)
	}
	s = &server{t: t, socket: filepath.Join(t.TempDir(), "s"), log: log}
	l, closeListener, err := address{"unix", s.socket}.listen()
	if err != nil {
		t.Fatal(err)
	}
	h, done := newHub(a, l, log, 200*time.Millisecond), make(chan error, 1)
	go func() { done <- h.serve(context.Background()) }()
	return h, s, func() {
		h.close()
		closeListener()
		err := ended(t, func() error { return <-done })
		if err := errors.Join(err, a.close(), from.Close(), log.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

// TestSlowClients: those who neither send on nor take their replies are cut off, and keep nobody
// waiting.
func TestSlowClients(t *testing.T) {
	h, s, end := impatient(t)
	quick := s.dial()

	sending, taking := s.dial(), s.dial()
	var c conversation
	c.send(judgeAdd, 0, fox)
	send(t, sending, c.Bytes()[:c.Len()-3])
	c.Reset()
	c.send(judgeSignatures, 0, strings.Split(strings.Repeat(fox+"|", 1000), "|")...) // a MiB of reply
	send(t, taking, c.Bytes())
	ask(t, quick, judgeAdd, 0, other)
	if why := refused(t, sending); !strings.Contains(why, "waits at most 200ms") {
		t.Errorf("a client that does not send on: %s", why)
	}
	for h.guests.count() > 1 {
		ask(t, quick, judgeAsk, 0, other)
	}
	if all, err := io.ReadAll(taking); err == nil && len(all) > 1000*1024 {
		t.Error("the client that did not take its reply has got it")
	}
	// A large request that does not come to its end must not keep other large ones from coming.
	large := make([]uint32, 1<<18)
	c.Reset()
	c.numbers(judgeAsk, uint32(len(large)), 0)
	send(t, s.dial(), c.Bytes())
	c.numbers(large...)
	conn := s.dial()
	go func() { _, _ = conn.Write(c.Bytes()) }()
	if got := len(reply(t, conn, judgeAsk, verdictSize)); got != len(large)*verdictSize {
		t.Errorf("%d bytes of verdicts", got)
	}
	end()
}

// TestMostClients: one more than there is room for is told so, and served when another has gone.
func TestMostClients(t *testing.T) {
	s := serve(t)
	conns := make([]net.Conn, mostClients)
	for i := range conns {
		conns[i] = s.dial()
		ask(t, conns[i], judgeAsk, 0, fox)
	}
	if why := refused(t, s.dial()); !strings.Contains(why, "128 clients are connected") {
		t.Errorf("it says %q", why)
	}
	conns[7].Close()
	for { // until it is noticed
		conn := s.dial()
		var c conversation
		c.send(judgeAsk, 0, fox)
		_, _ = conn.Write(c.Bytes())
		var head [3]uint32
		if err := binary.Read(conn, binary.LittleEndian, &head); err == nil && head[0] == judgeAsk {
			break
		}
	}
	s.end()
}

// TestListenWhereSomethingIs: a socket that nobody listens on is replaced, and nothing else.
func TestListenWhereSomethingIs(t *testing.T) {
	dir := t.TempDir()
	abandoned := filepath.Join(dir, "abandoned")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: abandoned})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	l.Close()
	s := serveAt(t, abandoned)
	ask(t, s.dial(), judgeAsk, 0, fox)

	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("mine"), 0o666); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(abandoned, link); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		file: "is not a socket", link: "is not a socket", abandoned: "another program listens", dir: "is not a socket",
		filepath.Join(dir, "none", "s"):                 "no such file",
		filepath.Join(dir, strings.Repeat("long/", 40)): "invalid argument",
	} {
		err := Run(t.Context(), judgeOf(t, "--listen", path), files.Streams{Err: s.log})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "--listen") {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
	if text, err := os.ReadFile(file); string(text) != "mine" {
		t.Errorf("the file has %q, %v", text, err)
	}
	// What somebody else has put in the place of the socket stays.
	if err := errors.Join(os.Remove(abandoned), os.WriteFile(abandoned, nil, 0o666)); err != nil {
		t.Fatal(err)
	}
	s.stop()
	if err := ended(t, func() error { return <-s.ended }); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(abandoned); err != nil {
		t.Error(err)
	}
}

func TestParseAddress(t *testing.T) {
	for given, want := range map[string]address{
		"":               {},
		"unix:judge":     {"unix", "judge"},
		"./judge":        {"unix", "./judge"},
		"/run/judge":     {"unix", "/run/judge"},
		":7000":          {"tcp", "localhost:7000"},
		"0.0.0.0:7000":   {"tcp", "0.0.0.0:7000"},
		"[::1]:7000":     {"tcp", "[::1]:7000"},
		"example.org:80": {"tcp", "example.org:80"},
	} {
		if got, err := parseAddress(given); err != nil || got != want {
			t.Errorf("%q: %v, %v", given, got, err)
		}
	}
	for _, given := range []string{"unix:", "unix:@abstract", "judge", "7000", "localhost:http", "localhost:70000",
		"a:b:1"} {
		if _, err := parseAddress(given); !errors.Is(err, usage.Err) {
			t.Errorf("%q: %v", given, err)
		}
	}
}

// TestListenOnThisMachine: an address without a host is for this machine, at any port that is free.
func TestListenOnThisMachine(t *testing.T) {
	for at, private := range map[string]bool{":0": true, "127.0.0.1:0": true, "0.0.0.0:0": false} {
		parsed, err := parseAddress(at)
		if err != nil {
			t.Fatal(err)
		}
		l, closeListener, err := parsed.listen()
		if err != nil {
			t.Fatal(err)
		}
		if isPrivate(l) != private {
			t.Errorf("%s: %v", at, l.Addr())
		}
		if _, _, err := (address{"tcp", l.Addr().String()}).listen(); !errors.Is(err, syscall.EADDRINUSE) {
			t.Errorf("%s, twice: %v", at, err)
		}
		if err := closeListener(); err != nil {
			t.Error(err)
		}
	}
}
