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
		`mithril_stream_records_total{verdict="unseen"} 200`, `mithril_stream_records_total{verdict="duplicate"} 100`,
		`mithril_stream_records_total{verdict="unreadable"} 1`, `mithril_stream_lag_records{partition="0"} 0`,
		`mithril_stream_index_records 200`, `mithril_stream_restarts_total 0`,
	} {
		if status != 200 || !strings.Contains(text, line+"\n") && !strings.HasPrefix(line, "mithril_stream_lag") {
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

// TestClientsThatSendNoBody is that clients which announce a body and never send it, and others
// that send nothing, hold neither all descriptors nor the health check.
func TestClientsThatSendNoBody(t *testing.T) {
	s, err := Serve("127.0.0.1:0", NewMetrics(), testLog(t))
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
	m := NewMetrics()
	m.joined.Store(true)
	m.progress.Store(time.Unix(1000, 0).UnixNano())
	if problem := m.unready(time.Unix(1000+29, 0)); problem != "" {
		t.Error(problem)
	}
	if problem := m.unready(time.Unix(1000+31, 0)); problem != fmt.Sprintf("nothing heard of the brokers for %s",
		31*time.Second) {
		t.Error(problem)
	}
}
