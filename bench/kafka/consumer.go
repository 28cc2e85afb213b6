package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// A consumer is one at work.
type consumer struct {
	*exec.Cmd
	url string
}

// start starts a consumer of the topic crawl in a group of its own, and returns when it listens.
func (b *bench) start(ctx context.Context, name, from string) (*consumer, error) {
	if err := b.broker.Create(ctx, 1, "unique-"+name); err != nil {
		return nil, err
	}
	c := &consumer{Cmd: b.onCore0("kafka", "--brokers", b.broker.Brokers[0], "--group", "group-"+name, "--from", from,
		"--to", "unique-"+name, "--index", filepath.Join(b.dir, "index-"+name), "--listen", "127.0.0.1:0",
		"--capacity", strconv.Itoa(2*len(b.values)))}
	log := &consumerLog{address: make(chan string, 1)}
	c.Stderr = log
	if err := c.Start(); err != nil {
		return nil, err
	}
	select {
	case address := <-log.address:
		c.url = "http://" + address + "/metrics"
		return c, nil
	case <-time.After(time.Minute):
		return nil, errors.Join(errors.New("the consumer does not say where it listens"), c.Process.Kill())
	}
}

func (c *consumer) stop() error {
	c.Process.Signal(syscall.SIGTERM)
	if err := c.Wait(); c.ProcessState.ExitCode() != 143 {
		return fmt.Errorf("the consumer ended with %w", err)
	}
	return nil
}

func (c *consumer) metrics() (metrics, error) {
	response, err := http.Get(c.url)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	return parser.TextToMetricFamilies(response.Body)
}

// consumerLog takes what a consumer logs: it finds the address, and passes warnings and errors on.
type consumerLog struct {
	address chan string
	line    []byte // that has not ended yet
}

func (l *consumerLog) Write(p []byte) (int, error) {
	l.line = append(l.line, p...)
	for {
		line, rest, whole := bytes.Cut(l.line, []byte("\n"))
		if !whole {
			return len(p), nil
		}
		if _, address, ok := bytes.Cut(line, []byte("msg=listening address=")); ok {
			l.address <- string(address)
		} else if !bytes.Contains(line, []byte("level=INFO")) {
			fmt.Fprintf(os.Stderr, "%s\n", line)
		}
		l.line = rest
	}
}
