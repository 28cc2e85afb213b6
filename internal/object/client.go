package object

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/mithril-stream/mithril-stream/internal/object/store"
)

// Options say where the buckets of s3:// are. What is empty is taken from the environment, as by
// the tools of AWS. Where those of other services are, and who asks, the environment says alone.
type Options struct {
	Endpoint string // the address of the server, as in https://s3.example.org
	Region   string

	// Waiting is told, every few seconds at most, why a request has failed that is made again; nil
	// if nobody wants to know. It is called from several goroutines, one after the other.
	Waiting func(why error)
}

// What a reader does at once. An object that is read takes their product of memory.
const (
	connections = 8
	partBytes   = 4 << 20
)

// A Client reads and writes objects. It is safe for concurrent use.
type Client struct {
	ctx     context.Context
	options Options
	web     *http.Client
	part    int64                                               // bytes of a part
	send    int64                                               // the same of one that is sent
	pause   func(ctx context.Context, long time.Duration) error // before a part is asked for again

	told   sync.Mutex
	toldAt time.Time // when Waiting was called the last time

	datasets *datasets // of the Hub

	buckets map[string]func() (store.Service, error) // by the scheme of their addresses
}

// NewClient returns a client whose requests end when ctx is done. It asks for nothing yet.
func NewClient(ctx context.Context, o Options) *Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = connections
	transport.DisableCompression = true // a .gz is a .gz
	// HTTP/2 has one connection for all requests: one that is dead must not be asked again.
	transport.HTTP2 = &http.HTTP2Config{SendPingTimeout: idleTimeout / 2}
	web := &http.Client{Transport: watch{transport, answerTimeout, idleTimeout}}
	c := &Client{
		ctx: ctx, options: o, web: web, part: partBytes, send: sendPartBytes, pause: pause, datasets: newDatasets(),
	}
	c.buckets = c.services()
	return c
}

// A source is an object, wherever it is.
type source interface {
	stat(ctx context.Context) (store.Version, error)
	// get returns the bytes from …to-1 of that version, or all of it if it has no ranges.
	get(ctx context.Context, of store.Version, from, to int64) (io.ReadCloser, error)
}

func (c *Client) source(path string) (source, error) {
	if isWeb(path) {
		return webFile{c.web, path}, nil
	}
	if isHub(path) {
		return c.hubFile(path)
	}
	return c.stored(path)
}

// Open opens an object. Close must be called. Errors, here and of Read, do not name the object.
func (c *Client) Open(path string) (io.ReadCloser, error) {
	of, err := c.source(path)
	if err != nil {
		return nil, err
	}
	v, err := c.stat(of)
	if err != nil {
		return nil, c.caused(err)
	}
	if v.Size < 0 || !v.Ranges {
		return c.whole(of, v)
	}
	return c.parts(of, v), nil
}

// Version tells the state of an object from others of it.
func (c *Client) Version(path string) (string, error) {
	if v, known := c.noted(path); known {
		return tell(v), nil
	}
	of, err := c.source(path)
	if err != nil {
		return "", err
	}
	v, err := c.stat(of)
	if err != nil {
		return "", named(path, c.caused(err))
	}
	return tell(v), nil
}

// tell tells a version from others of the object.
func tell(v store.Version) string { return fmt.Sprintf("%d %s", v.Size, v.Tag) }

// stat asks again if the server cannot answer now.
func (c *Client) stat(of source) (v store.Version, err error) {
	err = c.again(c.ctx, func(ctx context.Context) (err error) {
		v, err = of.stat(ctx)
		return err
	})
	return v, err
}

// check returns an error for an object that is not there, or may not be read.
func (c *Client) check(path string) error {
	of, err := c.source(path)
	if err == nil {
		_, err = c.stat(of)
	}
	return err
}

// caused is why the program was stopped, if that is what has made an error.
func (c *Client) caused(err error) error {
	if err != nil && c.ctx.Err() != nil {
		return context.Cause(c.ctx)
	}
	return err
}

// named says of which object an error is.
func named(path string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", Name(path), err)
}
