package judge

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/index"
	"github.com/mithril-stream/mithril-stream/internal/method/exact"
)

// memories are the options of all kinds of memories that remember texts.
var memories = []string{
	"--memory exact", "--memory exact --verify signature", "--memory exact --verify containment --containment .8",
	"--preset passages", "--sketch fracminhash", "--within lang", "--memory auto --max-memory 20000",
	"--memory exact --keep-generations 3 --capacity 100", "--memory bloom", "--method dclm",
}

// sendNamed sends texts with ids and, if there are any, with values for --within.
func (c *conversation) sendNamed(kind uint32, ids, values, texts []string) {
	c.numbers(kind, uint32(len(texts)), 1)
	for _, list := range [][]string{texts, ids} {
		for _, each := range list {
			c.numbers(uint32(len(each)))
		}
	}
	c.WriteString(strings.Join(ids, ""))
	for _, value := range values {
		c.numbers(uint32(len(value)))
	}
	c.WriteString(strings.Join(values, "") + strings.Join(texts, ""))
}

// namesOf asks for the names of records.
func namesOf(t *testing.T, conn net.Conn, records ...uint32) (names []string) {
	t.Helper()
	names, refused := askNames(t, conn, records...)
	if refused != "" {
		t.Fatal(refused)
	}
	return names
}

// askNames is like namesOf, but returns what the server says if it refuses the request.
func askNames(t *testing.T, conn net.Conn, records ...uint32) (names []string, refused string) {
	t.Helper()
	var c conversation
	c.numbers(judgeNames, uint32(len(records)), 0)
	for _, record := range records {
		c.numbers(record, 0)
	}
	send(t, conn, c.Bytes())
	var head [3]uint32
	if err := binary.Read(conn, binary.LittleEndian, &head); err != nil {
		t.Fatal(err)
	}
	body := make([]byte, head[2])
	if _, err := io.ReadFull(conn, body); err != nil {
		t.Fatal(err)
	}
	if head[0] != judgeNames {
		return nil, string(body)
	}
	var list []json.RawMessage
	if err := json.Unmarshal(body, &list); err != nil {
		t.Fatal(err)
	}
	for _, name := range list {
		names = append(names, string(name))
	}
	return names, ""
}

// verify fails unless the index is whole.
func verify(t *testing.T, dir string) {
	t.Helper()
	if err := index.Read(dir, exact.VerifyIndex); err != nil {
		t.Fatal(err)
	}
}

// When the names for kind 9 are too long for a reply, names are left out and no verdicts: the texts
// are remembered by then, and could not be sent again. All of them have names.
func TestNamesThatAreTooLongAreLeftOut(t *testing.T) {
	some := memories[3:8]
	if testing.Short() {
		some = some[:1]
	}
	for _, options := range some {
		t.Run(options, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "index")
			options := append(strings.Fields(options), "--index", dir)
			const copies, given = 300, mostForClient / mostInID
			id := `"` + strings.Repeat("x", mostInID-2) + `"`
			var values []string
			if slices.Contains(options, "--within") {
				values = slices.Repeat([]string{`"de"`}, copies+1)
			}
			s := serve(t, options...)
			conn := s.dial()
			var c conversation
			c.sendNamed(judgeAlike, []string{id}, values[:min(len(values), 1)], []string{fox})
			ids := slices.Repeat([]string{"7"}, copies+1)
			c.sendNamed(judgeAlike, ids, values, append(slices.Repeat([]string{fox}, copies), other))
			send(t, conn, c.Bytes())
			reply(t, conn, judgeAlike, 0)
			var lists [][]neighbour
			body := reply(t, conn, judgeAlike, 0)
			if err := json.Unmarshal(body, &lists); err != nil || len(lists) != copies+1 {
				t.Fatal(err, len(lists))
			}
			for i, list := range lists[:copies] {
				isNamed := len(list) == 1 && string(list[0].Record) == id
				if len(list) != 1 || list[0].Number != 1 || list[0].Similarity != 1 || isNamed != (i < given-1) {
					t.Fatalf("text %d of %d bytes: %.200v", i, len(body), list)
				}
			}
			if len(lists[copies]) > 0 {
				t.Error("what is new is a duplicate")
			}
			s.end()
			verify(t, dir)

			s = serve(t, options...)
			if got := namesOf(t, s.dial(), copies+1, copies+2); !slices.Equal(got, []string{"7", "7"}) {
				t.Errorf("the last records are called %v", got)
			}
			s.end()
		})
	}
}

// A rival is a client that sends requests of which many come to no answer.
type rival struct {
	*testing.T
	rng    *rand.Rand
	server *server
	within bool
	made   int
	added  map[string]string // the id of each text whose addition was answered
}

// batch makes up new texts.
func (r *rival) batch() (ids, values, texts []string) {
	for range 1 + r.rng.IntN([]int{4, 20}[r.rng.IntN(2)]) {
		r.made++
		text := ""
		for i := range 8 {
			text += fmt.Sprintf("word%dx%d ", r.made, i)
		}
		ids, texts = append(ids, fmt.Sprintf(`"id %d"`, r.made)), append(texts, text)
		if r.within {
			values = append(values, `"de"`)
		}
	}
	return ids, values, texts
}

// ask sends a request of some kind, in some way.
func (r *rival) ask() {
	var c conversation
	kind := []uint32{judgeAdd, judgeAlike}[r.rng.IntN(2)]
	ids, values, texts := r.batch()
	c.sendNamed(kind, ids, values, texts)
	conn := r.server.dial().(*net.UnixConn)
	defer conn.Close()
	switch r.rng.IntN(6) {
	case 0, 1: // it is answered
		send(r.T, conn, c.Bytes())
		reply(r.T, conn, kind, verdictSize)
		for i, text := range texts {
			r.added[text] = ids[i]
		}
	case 2: // it is whole, and nobody waits for the answer
		send(r.T, conn, c.Bytes())
	case 3: // it is cut off
		send(r.T, conn, c.Bytes()[:r.rng.IntN(c.Len())])
	case 4: // it is damaged
		sent := slices.Clone(c.Bytes())
		sent[r.rng.IntN(min(len(sent), 64))] ^= 1 << r.rng.IntN(8)
		r.sendAny(conn, sent)
	default:
		r.sendAny(conn, r.refused())
	}
}

// sendAny sends what may be refused, and waits for the end.
func (r *rival) sendAny(conn *net.UnixConn, sent []byte) {
	go func() {
		_, _ = conn.Write(sent)
		_ = conn.CloseWrite()
	}()
	_, _ = io.Copy(io.Discard, conn)
}

// refused is a whole request, of any kind, that makes little sense.
func (r *rival) refused() []byte {
	var c conversation
	kind := 1 + r.rng.Uint32N(judgeCompare+1)
	if kind == judgeNames {
		c.numbers(kind, 1, r.rng.Uint32N(2), r.rng.Uint32(), r.rng.Uint32N(2)<<24)
		return c.Bytes()
	}
	set := string(binary.LittleEndian.AppendUint64(nil, r.rng.Uint64()))
	texts := []string{set, fox, "", "abcdefgh"}[:1+r.rng.IntN(4)]
	values := make([]string, len(texts)) // none for each text, or more texts without --within
	c.sendWithin(kind, r.rng.Uint32N(3), values, texts)
	return c.Bytes()
}

// check fails unless what was answered is known, by its name.
func (r *rival) check(options string) {
	r.Helper()
	conn := r.server.dial()
	for text, id := range r.added {
		var c conversation
		if c.send(judgeAsk, 0, text); r.within {
			c.Reset()
			c.sendWithin(judgeAsk, 0, []string{`"de"`}, []string{text})
		}
		send(r.T, conn, c.Bytes())
		v := reply(r.T, conn, judgeAsk, verdictSize)
		original := binary.LittleEndian.Uint32(v)
		switch {
		case v[14] == 0:
			if !strings.Contains(options, "--keep-generations") {
				r.Fatalf("%q was answered, and is not known", text)
			}
		case original > 0:
			got, refused := askNames(r.T, conn, original)
			if strings.Contains(refused, "--max-memory was reached") && strings.Contains(options, "--memory auto") {
				return // by a request that nobody waits for: since then, there are no names
			}
			if refused != "" || got[0] != id {
				r.Fatalf("record %d is called %s, want %s (%s)", original, got, id, refused)
			}
		}
	}
}

// Whatever clients send, and wherever they break off, records and names stay in step, and the index
// can be opened again.
func TestFailingRequestsKeepNamesInStep(t *testing.T) {
	requests := 60
	if testing.Short() {
		requests = 15
	}
	for i, options := range memories {
		t.Run(options, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "index")
			r := &rival{
				T: t, rng: rand.New(rand.NewPCG(70, uint64(i))), within: strings.Contains(options, "--within"),
				added: map[string]string{},
			}
			for range 3 {
				r.server = serve(t, append(strings.Fields(options), "--index", dir)...)
				r.check(options)
				for range requests {
					r.ask()
					if r.rng.IntN(10) == 0 {
						ask(t, r.server.dial(), judgeCommit, 0)
					}
				}
				r.check(options)
				r.server.end()
				verify(t, dir)
			}
		})
	}
}

// A client that does not take its whole reply gets nothing after it, which it would take for the
// rest.
func TestNothingFollowsAReplyThatIsCutOff(t *testing.T) {
	_, s, end := impatient(t)
	conn, other := s.dial(), s.dial()
	var c conversation
	c.send(judgeSignatures, 0, strings.Split(strings.Repeat(fox+"|", 1000), "|")...) // a MiB of reply
	send(t, conn, c.Bytes())
	for !strings.Contains(s.said(), "did not receive the reply to request 1, which has been answered") {
		ask(t, other, judgeAsk, 0, fox)
	}
	if all, _ := io.ReadAll(conn); bytes.Contains(all, []byte("did not receive")) {
		t.Error("it reads the message as a part of the reply")
	}
	end()
}
