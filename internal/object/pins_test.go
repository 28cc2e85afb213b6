package object

import (
	"errors"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/object/store"
)

// Who reads an object twice must not get two versions of it; who reads it once may.
func TestPinnedVersion(t *testing.T) {
	s := &server{body: objectOf(2), tag: "v1"}
	c, web, s3 := begin(t, s)
	open := func(path string) error {
		r, err := c.Open(path)
		if err != nil {
			return err
		}
		return r.Close()
	}
	if err := errors.Join(open(web), open(s3)); err != nil {
		t.Fatal(err)
	}
	s.replace("v2")
	c.Pin()
	for range 2 {
		if err := errors.Join(open(web), open(s3)); err != nil {
			t.Fatal(err)
		}
	}
	s.replace("v3")
	for _, path := range []string{web, s3} {
		if err := open(path); !errors.Is(err, store.ErrChanged) {
			t.Errorf("%s: %v", path, err)
		}
		if _, err := c.At(path); !errors.Is(err, store.ErrChanged) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// replace gives the object another version, though a request may still be at its end.
func (s *server) replace(tag string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tag = tag
}

// What is unknown of a version does not differ.
func TestUnknownVersionsAreNotOthers(t *testing.T) {
	var p pins
	p.of = map[string]store.Version{}
	for _, c := range []struct {
		v    store.Version
		fine bool
	}{
		{store.Version{Size: 7, Tag: "a"}, true},
		{store.Version{Size: 7}, true},
		{store.Version{Size: -1, Tag: "a"}, true},
		{store.Version{Size: 8}, false},
		{store.Version{Size: -1, Tag: "b"}, false},
	} {
		if err := p.check("x", c.v); (err == nil) != c.fine {
			t.Errorf("%v: %v", c.v, err)
		}
	}
}
