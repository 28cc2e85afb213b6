package object

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mithril-stream/mithril-stream/internal/buckettest"
)

// A roundTrip is a connection in memory.
type roundTrip func(r *http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// dripping is a body of which a byte comes after each pause, until the request ends.
type dripping struct {
	ctx    context.Context
	pauses []time.Duration
}

func (d *dripping) Read(p []byte) (int, error) {
	if len(d.pauses) == 0 {
		return 0, io.EOF
	}
	select {
	case <-time.After(d.pauses[0]):
		d.pauses = d.pauses[1:]
		return 1, nil
	case <-d.ctx.Done():
		return 0, d.ctx.Err()
	}
}

func (d *dripping) Close() error { return nil }

// TestWatchedAnswers: what comes slowly is read, and so is what we read slowly. What does not come
// is given up in time. The clock is the one of a bubble.
func TestWatchedAnswers(t *testing.T) {
	second := func(n int) time.Duration { return time.Duration(n) * time.Second }
	for name, c := range map[string]struct {
		pauses    []time.Duration
		atOurSide time.Duration // before each read
		want      int
		stalls    bool
	}{
		"slow":    {pauses: []time.Duration{second(29), second(29), second(29)}, want: 3},
		"ours":    {pauses: []time.Duration{second(1), second(20)}, atOurSide: time.Hour, want: 2},
		"stalled": {pauses: []time.Duration{second(29), second(31), second(1)}, want: 1, stalls: true},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := watch{roundTrip(func(r *http.Request) (*http.Response, error) {
				return &http.Response{Body: &dripping{r.Context(), c.pauses}}, nil
			}), answerTimeout, idleTimeout}
			request, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://host", nil)
			answer, err := w.RoundTrip(request)
			if err != nil {
				t.Fatal(name, err)
			}
			defer answer.Body.Close()
			got := 0
			for buf := make([]byte, 8); err == nil; {
				time.Sleep(c.atOurSide)
				var n int
				n, err = answer.Body.Read(buf)
				got += n
			}
			if got != c.want || errors.As(err, new(errStalled)) != c.stalls {
				t.Errorf("%s: %d bytes, %v", name, got, err)
			}
		})
	}
}

// TestWatchedRequests: what is sent slowly arrives, and a server that takes nothing, or does not
// answer, is given up.
func TestWatchedRequests(t *testing.T) {
	for name, c := range map[string]struct {
		each, think time.Duration
		stalls      bool
	}{
		"slow":      {59 * time.Second, 59 * time.Second, false},
		"takes":     {61 * time.Second, 0, true},
		"thinks":    {0, 61 * time.Second, true},
		"thinks on": {0, 59 * time.Second, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := watch{roundTrip(func(r *http.Request) (*http.Response, error) {
				for _, pause := range []time.Duration{c.each, c.each, c.think} {
					select {
					case <-time.After(pause):
						r.Body.Read(make([]byte, 1))
					case <-r.Context().Done():
						return nil, r.Context().Err()
					}
				}
				return &http.Response{Body: &dripping{r.Context(), []time.Duration{29 * time.Second}}}, nil
			}), answerTimeout, idleTimeout}
			body := strings.NewReader("ab")
			request, _ := http.NewRequestWithContext(t.Context(), http.MethodPut, "http://host", body)
			answer, err := w.RoundTrip(request)
			if errors.As(err, new(errStalled)) != c.stalls || err != nil && !c.stalls {
				t.Errorf("%s: %v", name, err)
			}
			if err == nil {
				time.Sleep(2 * answerTimeout) // what was sent is no matter any more
				if _, err := io.ReadAll(answer.Body); err != nil {
					t.Errorf("%s: %v", name, err)
				}
				answer.Body.Close()
			}
		})
	}
}

// impatient has a client give up soon. If a busy machine makes that too soon, it asks again.
func impatient(c *Client) { waitFor(c, 300*time.Millisecond) }

// waitFor has a client wait so long for a server.
func waitFor(c *Client, patience time.Duration) {
	w := c.web.Transport.(watch)
	w.answer, w.idle = patience, patience
	c.web.Transport = w
}

// A stalling server sends half of what is asked for and then nothing, as often as it is told to.
type stalling struct {
	mu     sync.Mutex
	times  map[string]int // by what is asked for
	stalls int
	end    chan struct{}
	body   []byte
	whole  bool // it sends no ranges
}

func (s *stalling) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	from, to := 0, len(s.body)
	if given := r.Header.Get("Range"); given != "" && !s.whole {
		bounds := strings.Split(strings.TrimPrefix(given, "bytes="), "-")
		from, _ = strconv.Atoi(bounds[0])
		to, _ = strconv.Atoi(bounds[1])
		to++
	}
	if !s.whole {
		w.Header().Set("Accept-Ranges", "bytes")
	}
	w.Header().Set("ETag", `"v1"`)
	w.Header().Set("Last-Modified", time.Unix(1e9, 0).UTC().Format(http.TimeFormat))
	w.Header().Set("Content-Length", strconv.Itoa(to-from))
	if r.Method == http.MethodHead {
		return
	}
	s.mu.Lock()
	s.times[r.URL.Path+strconv.Itoa(to)]++
	stall := s.times[r.URL.Path+strconv.Itoa(to)] <= s.stalls
	s.mu.Unlock()
	if to-from < len(s.body) {
		w.WriteHeader(http.StatusPartialContent)
	}
	if !stall {
		w.Write(s.body[from:to])
		return
	}
	w.Write(s.body[from : from+(to-from)/2])
	w.(http.Flusher).Flush()
	<-s.end
}

// beginStalling starts the server; what it keeps waiting ends with the test.
func beginStalling(t *testing.T, s *stalling) (c *Client, web string) {
	s.times, s.end = map[string]int{}, make(chan struct{})
	at := httptest.NewServer(s)
	t.Cleanup(at.Close)
	t.Cleanup(func() { close(s.end) })
	t.Setenv("AWS_ACCESS_KEY_ID", "key")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	c = NewClient(t.Context(), Options{Endpoint: at.URL, Region: "us-east-1"})
	c.part = testPart
	c.pause = func(ctx context.Context, _ time.Duration) error { return context.Cause(ctx) }
	impatient(c)
	return c, at.URL + "/x"
}

// TestStalls: a connection over which nothing comes is one that has broken off.
func TestStalls(t *testing.T) {
	body := objectOf(5)
	c, web := beginStalling(t, &stalling{body: body, stalls: 2})
	for _, path := range []string{web, "s3://bucket/y"} {
		if got, err := read(c, path); err != nil || !bytes.Equal(got, body) {
			t.Errorf("%s: %d of %d bytes, %v", path, len(got), len(body), err)
		}
	}
	if got, _, err := c.Get("s3://bucket/small", int64(len(body))); err != nil || !bytes.Equal(got, body) {
		t.Errorf("small: %d of %d bytes, %v", len(got), len(body), err)
	}
	c, web = beginStalling(t, &stalling{body: body, stalls: 1, whole: true})
	got, err := read(c, web)
	want := "at byte " + strconv.Itoa(len(body)/2) + ": the connection broke off: no byte has come for 300ms"
	if err == nil || err.Error() != want || len(got) != len(body)/2 {
		t.Errorf("in one piece: %d of %d bytes, %v", len(got), len(body), err)
	}
}

// TestPutStalls: a server that does not take what is sent is asked again.
func TestPutStalls(t *testing.T) {
	server, end := buckettest.S3(t), make(chan struct{})
	t.Cleanup(func() { close(end) })
	c := NewClient(t.Context(), Options{})
	c.pause = func(context.Context, time.Duration) error { return nil }
	waitFor(c, time.Second) // a busy machine may take a while to read the body
	var mu sync.Mutex
	asked := map[string]int{}
	server.Disturb(func(_ http.ResponseWriter, r *http.Request) bool {
		mu.Lock()
		asked[r.URL.String()]++
		stall := asked[r.URL.String()] == 1 && r.Method == http.MethodPut
		mu.Unlock()
		if stall {
			<-end
		}
		return stall
	}, nil)
	body := drawn(12 << 20) // more than the system takes for a connection that nobody reads
	if err := c.Put("s3://bucket/x", bytes.NewReader(body), int64(len(body))); err != nil {
		t.Error(err)
	}
	if got := server.Objects()["/bucket/x"]; !bytes.Equal(got, body) {
		t.Errorf("%d of %d bytes", len(got), len(body))
	}
	if _, err := c.Replace("s3://bucket/y", []byte("one"), ""); err != nil {
		t.Error(err)
	}
}

// TestNobodyIsToldTheQuery is redirected to another server, which must not learn the address that
// led there: its query is a signature.
func TestNobodyIsToldTheQuery(t *testing.T) {
	var told []string
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		told = append(told, r.Header.Get("Referer"))
		http.ServeContent(w, r, "x", time.Time{}, strings.NewReader("text"))
	}))
	defer other.Close()
	first := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL+"/elsewhere", http.StatusFound)
	}))
	defer first.Close()
	in, err := NewClient(context.Background(), Options{}).Open(first.URL + "/x?SIGNATURE=secret")
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(in)
	in.Close()
	if err != nil || string(text) != "text" || len(told) == 0 || strings.Join(told, "") != "" {
		t.Errorf("%q, %v, told %q", text, err, told)
	}
}
