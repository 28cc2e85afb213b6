package kafka

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
	"golang.org/x/net/netutil"
)

// staleAfter is the time without an answer of the brokers after which the consumer is not ready.
const staleAfter = 30 * time.Second

// Limits on what clients may use, since the brokers and the index need descriptors too.
const (
	maxConnections = 64
	readTimeout    = 5 * time.Second // of a request
)

// A Server reports the state of a consumer over HTTP: /healthz (it runs), /readyz (it reads and
// writes), /metrics.
type Server struct {
	listener net.Listener
	http     *http.Server
	done     chan struct{}
}

// Serve starts a Server that listens on an address.
func Serve(address string, m *Metrics, log *slog.Logger) (*Server, error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		if problem := m.unready(time.Now()); problem != "" {
			http.Error(w, problem, http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "ok")
	})
	mux.Handle("GET /metrics", promhttp.HandlerFor(m.Registry, promhttp.HandlerOpts{}))
	s := &Server{
		listener: netutil.LimitListener(listener, maxConnections),
		http: &http.Server{
			Handler: withoutBody(mux), MaxHeaderBytes: 16 << 10,
			ReadHeaderTimeout: readTimeout, ReadTimeout: readTimeout, WriteTimeout: 30 * time.Second,
			IdleTimeout: 10 * time.Second,
		},
		done: make(chan struct{}),
	}
	go func() {
		defer close(s.done)
		if err := s.http.Serve(s.listener); !errors.Is(err, http.ErrServerClosed) {
			log.Error("the HTTP server has ended", "error", err)
		}
	}()
	return s, nil
}

// withoutBody closes the connection of a request that announces a body, instead of waiting for the
// body: no path accepts one.
func withoutBody(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength != 0 {
			// otherwise the server waits for the body before closing the connection
			_ = http.NewResponseController(w).SetReadDeadline(time.Now())
			w.Header().Set("Connection", "close")
			http.Error(w, "a request has no body here", http.StatusRequestEntityTooLarge)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// Address returns the address that the server listens on.
func (s *Server) Address() string { return s.listener.Addr().String() }

// Close shuts the server down after the current responses.
func (s *Server) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	err := s.http.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = s.http.Close()
	}
	<-s.done
	return err
}

// unready returns why the consumer does not read and write at the moment, or "" if it does.
func (m *Metrics) unready(now time.Time) string {
	silent := now.Sub(time.Unix(0, m.progress.Load()))
	switch {
	case !m.joined.Load():
		if problem := m.problem.Load(); problem != nil {
			return "not a member of the group: " + *problem
		}
		return "not a member of the group"
	case silent > staleAfter:
		return fmt.Sprintf("no answer from the brokers for %s", silent.Round(time.Second))
	}
	return ""
}
