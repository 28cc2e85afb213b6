package kafka

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

func get(t *testing.T, s *Server, path string) (status int, text string) {
	t.Helper()
	response, err := http.Get("http://" + s.Address() + path)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(body)
}

func TestAConsumerTellsHowItIs(t *testing.T) {
	b, _ := newFake(t)
	b.create(1, "from", "to")
	opts := b.options()
	s, err := Serve("127.0.0.1:0", opts.Metrics, opts.Log)
	if err != nil {
		t.Fatal(err)
	}
	if status, text := get(t, s, "/readyz"); status != 503 || !strings.Contains(text, "not a member") {
		t.Errorf("before it is started: %d %s", status, text)
	}
	b.write("from", messages(0, 300)...)
	b.write("from", kgo.StringRecord("no JSON"))
	c := start(t, opts)
	b.read("to", 201)
	for _, path := range []string{"/healthz", "/readyz"} {
		if status, text := get(t, s, path); status != 200 {
			t.Errorf("%s: %d %s", path, status, text)
		}
	}
	c.end(t)
	status, text := get(t, s, "/metrics")
	for _, line := range []string{
		`mithril_stream_records_total{group="group",topic="from",verdict="unseen"} 200`,
		`mithril_stream_records_total{group="group",topic="from",verdict="duplicate"} 100`,
		`mithril_stream_records_total{group="group",topic="from",verdict="unreadable"} 1`,
		`mithril_stream_index_records{group="group",topic="from"} 200`,
		`mithril_stream_restarts_total{group="group",topic="from"} 0`, `mithril_stream_build_info{version="test"} 1`,
		`mithril_stream_commit_seconds_bucket{group="group",topic="from",le="0.005"} `,
		`mithril_stream_commit_seconds_bucket{group="group",topic="from",le="10"} `,
		`mithril_stream_last_commit_timestamp_seconds{group="group",topic="from"} `,
	} {
		if status != 200 || !strings.Contains(text, line) {
			t.Errorf("the metrics do not say %s:\n%s", line, text)
		}
	}
	if status, _ := get(t, s, "/readyz"); status != 503 {
		t.Errorf("after it was stopped: %d", status)
	}
	if status, _ := get(t, s, "/other"); status != 404 {
		t.Errorf("another path: %d", status)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, err := Serve("256.0.0.1:0", opts.Metrics, opts.Log); err == nil {
		t.Error("it listens where nobody can")
	}
}

// awaitMetric waits until the metrics have a line.
func (b *bench) awaitMetric(s *Server, line string) {
	b.t.Helper()
	var text string
	for b.ctx.Err() == nil {
		if _, text = get(b.t.(*testing.T), s, "/metrics"); strings.Contains(text, line+"\n") {
			return
		}
	}
	b.t.Fatalf("the metrics do not say %s:\n%s", line, text)
}

// TestTheLagIsThereFromTheStart: after a restart in which nothing is fetched, and while fetching
// stalls, for each partition.
func TestTheLagIsThereFromTheStart(t *testing.T) {
	t.Parallel()
	b, fake := newFake(t)
	b.create(2, "from", "to")
	b.ran(b.options(), 0, 300)
	lag := func(partition, records int) string {
		return fmt.Sprintf(`mithril_stream_lag_records{group="group",partition="%d",topic="from"} %d`, partition, records)
	}
	serve := func() (Options, *Server) {
		opts := b.options()
		s, err := Serve("127.0.0.1:0", opts.Metrics, opts.Log)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		return opts, s
	}
	opts, s := serve()
	c := start(t, opts)
	b.awaitMetric(s, lag(0, 0))
	b.awaitMetric(s, lag(1, 0))
	c.end(t)
	fake.ControlKey(kmsg.Fetch.Int16(), func(kmsg.Request) (kmsg.Response, error, bool) {
		fake.KeepControl()
		return nil, errors.New("fetching stalls"), true
	})
	b.write("from", messages(300, 340)...)
	opts, s = serve()
	c = start(t, opts)
	b.awaitMetric(s, lag(0, 40))
	b.awaitMetric(s, lag(1, 0))
	c.stop(errToldToStop)
	<-c.err
}

// TestReadyzSaysWhyThereIsNoSession.
func TestReadyzSaysWhyThereIsNoSession(t *testing.T) {
	b, _ := newFake(t)
	b.create(1, "from")
	opts := b.options()
	s, err := Serve("127.0.0.1:0", opts.Metrics, opts.Log)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	c := start(t, opts)
	c.expectEnd(t, "there is no topic")
	if status, text := get(t, s, "/readyz"); status != 503 || !strings.Contains(text, "there is no topic") {
		t.Errorf("%d %s", status, text)
	}
}

// TestClientsThatSendNoBody is that clients which announce a body and never send it, and others
// that send nothing, hold neither all descriptors nor the health check.
func TestClientsThatSendNoBody(t *testing.T) {
	s, err := Serve("127.0.0.1:0", NewMetrics("group", "from", "test"), testLog(t))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var clients []net.Conn
	for i := range 70 {
		c, err := net.Dial("tcp", s.Address())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		clients = append(clients, c)
		method := []string{"GET /healthz", "POST /healthz", "GET /metrics"}[i%3]
		if _, err := io.WriteString(c, method+" HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
	}
	client := http.Client{Timeout: 2 * time.Second}
	response, err := client.Get("http://" + s.Address() + "/healthz")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		t.Error(response.Status)
	}
	for i, c := range clients {
		c.SetReadDeadline(time.Now().Add(3 * time.Second))
		if _, err := io.ReadAll(c); errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatalf("client %d still has its connection", i)
		}
	}
	if s.http.ReadTimeout == 0 || s.http.WriteTimeout == 0 || s.http.IdleTimeout == 0 || s.http.MaxHeaderBytes == 0 {
		t.Error("a client may wait for ever")
	}
}

func TestSilentBrokersAreNoticed(t *testing.T) {
	m := NewMetrics("group", "from", "test")
	m.joined.Store(true)
	m.progress.Store(time.Unix(1000, 0).UnixNano())
	if problem := m.unready(time.Unix(1000+29, 0)); problem != "" {
		t.Error(problem)
	}
	if problem := m.unready(time.Unix(1000+31, 0)); problem != fmt.Sprintf("no answer from the brokers for %s",
		31*time.Second) {
		t.Error(problem)
	}
}
