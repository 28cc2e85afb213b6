package object

import (
	"errors"
	"fmt"
	"io"

	"github.com/mithril-stream/mithril-stream/internal/object/store"
)

// A stream is an object read in one piece, because its server does not announce ranges. If it
// breaks off before its first byte it is requested again. Later the rest is requested, since
// servers may support ranges without announcing them; this requires a tag to check the version.
type stream struct {
	client *Client
	of     source
	store.Version
	body    io.ReadCloser
	at      int64 // bytes read
	attempt int   // failed attempts since the last byte
}

// errNoParts is returned if a server sends all of a file whatever range is requested.
var errNoParts = errors.New("the server does not send parts, though it says so")

// whole opens an object that cannot be read in parts.
func (c *Client) whole(of source, v store.Version) (io.ReadCloser, error) {
	s := &stream{client: c, of: of, Version: v}
	if err := s.open(); err != nil {
		return nil, c.caused(err)
	}
	return s, nil
}

// open requests the rest of the object, until the server begins to send it.
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

// failed waits before the next attempt. It returns an error after the last one.
func (s *stream) failed(err error) error {
	if s.attempt++; !store.IsTemporary(err) || s.attempt == attempts {
		return err
	}
	return s.client.wait(s.client.ctx, s.attempt, err)
}

// Read implements io.Reader. Its error says where the object broke off, if it cannot be resumed.
func (s *stream) Read(p []byte) (n int, err error) {
	for {
		n, err = s.body.Read(p)
		if s.at += int64(n); n > 0 {
			s.attempt = 0
		}
		if n > 0 && err != io.EOF {
			return n, nil // the next call returns the error
		}
		if err == nil || err == io.EOF {
			return n, err
		}
		if err = s.resume(store.Broken(err)); err != nil {
			return 0, s.client.caused(fmt.Errorf("at byte %d: %w", s.at, err))
		}
	}
}

// resume resumes the object where it broke off.
func (s *stream) resume(broken error) error {
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
