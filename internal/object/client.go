package object

import (
	"context"
	"fmt"
	"io"
	"net/http"

	"github.com/mithril-stream/mithril-stream/internal/object/store"
)

// Options configure access to s3:// buckets. Empty fields are taken from the environment, as by the
// AWS tools. Other services, and all credentials, are configured by the environment only.
type Options struct {
	Endpoint string // URL of the server, such as https://s3.example.org
	Region   string

	// Waiting, if not nil, is called every few seconds at most with the error of a request that is
	// being retried. Calls come from several goroutines, but one at a time.
	Waiting func(why error)
}

// Parallel parts of a reader, and their size. An object being read uses their product of memory.
const (
	connections = 8
	partBytes   = 4 << 20
)

// A Client reads and writes objects. It is safe for concurrent use.
type Client struct {
	*requests
	options  Options
	web      *http.Client
	part     int64                                    // bytes of a part that is read
	send     int64                                    // bytes of a part that is written
	datasets *datasets                                // of the Hub
	buckets  map[string]func() (store.Service, error) // by URL scheme
	pins     pins
}

// NewClient returns a client whose requests end when ctx is done. It makes no request yet.
func NewClient(ctx context.Context, o Options) *Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = connections
	transport.DisableCompression = true // a .gz stays a .gz
	// HTTP/2 uses one connection for all requests, so a dead one must be detected.
	transport.HTTP2 = &http.HTTP2Config{SendPingTimeout: idleTimeout / 2}
	web := &http.Client{Transport: watch{transport, answerTimeout, idleTimeout}}
	r := &requests{ctx: ctx, waiting: o.Waiting, pause: pause}
	c := &Client{
		requests: r, options: o, web: web, part: partBytes, send: sendPartBytes,
		datasets: newDatasets(r, web.Transport),
	}
	c.buckets = c.services()
	return c
}

// A source is an object at any location.
type source interface {
	stat(ctx context.Context) (store.Version, error)
	// get returns bytes [from, to) of a version, or all of it if it does not support ranges.
	get(ctx context.Context, of store.Version, from, to int64) (io.ReadCloser, error)
}

func (c *Client) source(path string) (source, error) {
	if isWeb(path) {
		return webFile{c.web, path}, nil
	}
	if isHub(path) {
		return c.datasets.file(path)
	}
	return c.stored(path)
}

// Open opens an object for reading. The caller must close it. Errors, here and of Read, do not name
// the object.
func (c *Client) Open(path string) (io.ReadCloser, error) {
	of, err := c.source(path)
	if err != nil {
		return nil, err
	}
	v, err := c.stat(of)
	if err == nil {
		err = c.pins.check(path, v)
	}
	if err != nil {
		return nil, c.caused(err)
	}
	if v.Size < 0 || !v.Ranges {
		return c.whole(of, v)
	}
	return c.parts(of, v), nil
}

// Version returns a string that identifies the present version of an object.
func (c *Client) Version(path string) (string, error) {
	if v, known := c.datasets.known(path); known {
		return identifier(v), nil
	}
	of, err := c.source(path)
	if err != nil {
		return "", err
	}
	v, err := c.stat(of)
	if err != nil {
		return "", named(path, c.caused(err))
	}
	return identifier(v), nil
}

// identifier returns the identifier of a version.
func identifier(v store.Version) string { return fmt.Sprintf("%d %s", v.Size, v.Tag) }

// check returns an error if an object does not exist or may not be read.
func (c *Client) check(path string) error {
	of, err := c.source(path)
	if err == nil {
		_, err = c.stat(of)
	}
	return err
}

// named adds the name of the object to an error.
func named(path string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", Name(path), err)
}
