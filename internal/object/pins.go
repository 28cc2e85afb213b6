package object

import (
	"sync"

	"github.com/mithril-stream/mithril-stream/internal/object/store"
)

// pins are the versions in which objects were opened first, once they matter. They are safe for
// concurrent use.
type pins struct {
	mu sync.Mutex
	of map[string]store.Version // by path; nil if versions do not matter
}

// Pin makes it an error, from now on, to open an object again in another version. It is for those
// who read objects several times, and makes no request.
func (c *Client) Pin() {
	c.pins.mu.Lock()
	defer c.pins.mu.Unlock()
	if c.pins.of == nil {
		c.pins.of = map[string]store.Version{}
	}
}

// check returns store.ErrChanged if an object was opened in another version before. A version
// without a tag differs from others only by its size, and not by an unknown one.
func (p *pins) check(path string, v store.Version) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.of == nil {
		return nil
	}
	was, isPinned := p.of[path]
	switch {
	case !isPinned:
		p.of[path] = v
	case was.Tag != "" && v.Tag != "" && was.Tag != v.Tag, was.Size >= 0 && v.Size >= 0 && was.Size != v.Size:
		return store.ErrChanged
	}
	return nil
}
