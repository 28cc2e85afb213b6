package object

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"

	"github.com/mithril-stream/mithril-stream/internal/object/hub"
	"github.com/mithril-stream/mithril-stream/internal/object/store"
)

// datasets are what a client knows of the datasets of the Hub. A revision is resolved once: all
// files of it are of one commit, however long the run takes.
type datasets struct {
	once sync.Once
	hub  *hub.Hub
	err  error

	mu      sync.Mutex
	commits map[hub.Address]string   // of datasets at revisions
	noted   map[string]store.Version // of files, by their pinned addresses
}

func newDatasets() *datasets {
	return &datasets{commits: map[hub.Address]string{}, noted: map[string]store.Version{}}
}

// atHub returns the Hub, which is looked for when it is first needed.
func (c *Client) atHub() (*hub.Hub, error) {
	d := c.datasets
	d.once.Do(func() { d.hub, d.err = hub.New(c.web.Transport) })
	return d.hub, d.err
}

// pinned is an address at the commit that its revision was when this client first asked.
func (c *Client) pinned(path string) (*hub.Hub, hub.Address, error) {
	a, err := hub.Parse(path)
	if err != nil {
		return nil, a, err
	}
	at, err := c.atHub()
	if err != nil || a.IsPinned() {
		return at, a, err
	}
	d := c.datasets
	d.mu.Lock()
	defer d.mu.Unlock()
	commit, known := d.commits[a.Whole()]
	if !known {
		err = c.again(c.ctx, func(ctx context.Context) (err error) {
			commit, err = at.Commit(ctx, a)
			return ofHub(err)
		})
		if err != nil {
			return nil, a, err
		}
		d.commits[a.Whole()] = commit
	}
	a.Revision = commit
	return at, a, nil
}

// A Move is what has become of a revision of a dataset.
type Move struct {
	Revision string // its address, with the revision by its name
	Was, Is  string // commits, which are the same if it has not moved
	Pinned   string // its address at the commit that it was
}

// Moved tells what has become of the revision at which an earlier run has read a file. It asks for
// nothing: that revision is known if this client has resolved one of the same dataset.
func (c *Client) Moved(name string) (m Move, known bool) {
	if !isHub(name) {
		return m, false
	}
	then, err := hub.Parse(name)
	if err != nil || !then.IsPinned() {
		return m, false
	}
	c.datasets.mu.Lock()
	defer c.datasets.mu.Unlock()
	for of, commit := range c.datasets.commits {
		if of.Dataset != then.Dataset {
			continue
		}
		// of several revisions the one that has not moved, or the first one
		if !known || commit == then.Revision || m.Was != m.Is && of.String() < m.Revision {
			m, known = Move{of.String(), then.Revision, commit, then.Whole().String()}, true
		}
	}
	return m, known
}

// A hubFile is a file of a dataset of the Hub.
type hubFile struct{ *hub.File }

func (c *Client) hubFile(path string) (source, error) {
	at, a, err := c.pinned(path)
	if err != nil {
		return nil, err
	}
	if a.Path == "" || strings.HasSuffix(a.Path, "/") {
		return nil, errors.New("name a file of the dataset, as in hf://datasets/OWNER/NAME/FILE")
	}
	return hubFile{at.File(a)}, nil
}

func (f hubFile) stat(ctx context.Context) (store.Version, error) {
	v, err := f.Stat(ctx)
	return v, ofHub(err)
}

func (f hubFile) get(ctx context.Context, of store.Version, from, to int64) (io.ReadCloser, error) {
	body, err := f.Get(ctx, of, from, to)
	return body, ofHub(err)
}

// ofHub is an error of the Hub as the errors of other places.
func ofHub(err error) error {
	if e := (*hub.Error)(nil); errors.As(err, &e) {
		return store.Answered(e.Status, e)
	}
	if errors.Is(err, hub.ErrNoParts) {
		return errNoParts
	}
	return err
}
