package object

import (
	"errors"
	"fmt"
	"io"

	"github.com/mithril-stream/mithril-stream/internal/object/store"
)

// A stream is an object in one piece, from a server that does not say that it sends parts. If it
// breaks off before its first byte it is asked for again; later the rest of it is asked for, which
// servers may know all the same. It must be of the same version, so there must be a tag.
type stream struct {
	client *Client
	of     source
	store.Version
	body    io.ReadCloser
	at      int64 // how much was read
	attempt int   // that failed since the last byte
}

// errNoParts says that a server sends all of a file, whatever part is asked for.
var errNoParts = errors.New("the server does not send parts, though it says so")

// whole opens an object of which no parts can be had.
func (c *Client) whole(of source, v store.Version) (io.ReadCloser, error) {
	s := &stream{client: c, of: of, Version: v}
	if err := s.open(); err != nil {
		return nil, c.caused(err)
	}
	return s, nil
}

// open asks for what is left of the object, until the server begins to send it.
func (s *stream) open() error {
	v := s.Version
	v.Ranges = s.at > 0
	for {
		body, err := s.of.get(s.client.ctx, v, s.at, s.Size)
		if err == nil {
			s.body = body
			return nil
		}
		if err := s.failed(err); err != nil {
			return err
		}
	}
}

// failed waits before the next attempt. It returns an error if there is to be none.
func (s *stream) failed(err error) error {
	if s.attempt++; !store.IsTemporary(err) || s.attempt == attempts {
		return err
	}
	return s.client.wait(s.client.ctx, s.attempt, err)
}

// Read says where the object has broken off, if it cannot be gone on with.
func (s *stream) Read(p []byte) (n int, err error) {
	for {
		n, err = s.body.Read(p)
		if s.at += int64(n); n > 0 {
			s.attempt = 0
		}
		if n > 0 && err != io.EOF {
			return n, nil // what is wrong is said again
		}
		if err == nil || err == io.EOF {
			return n, err
		}
		if err = s.goOn(store.Broken(err)); err != nil {
			return 0, s.client.caused(fmt.Errorf("at byte %d: %w", s.at, err))
		}
	}
}

// goOn opens the object again where it has broken off.
func (s *stream) goOn(broken error) error {
	if s.at > 0 && (s.Tag == "" || s.Size < 0) {
		return broken
	}
	if err := s.failed(broken); err != nil {
		return err
	}
	err := errors.Join(s.body.Close(), s.open())
	if errors.Is(err, errNoParts) {
		return broken
	}
	return err
}

// Close ends the request.
func (s *stream) Close() error { return s.body.Close() }
