package object

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/mithril-stream/mithril-stream/internal/object/hub"
	"github.com/mithril-stream/mithril-stream/internal/object/store"
)

// datasets caches what a client knows about the datasets of the Hub. A revision is resolved once,
// so all its files come from one commit, however long a run takes.
type datasets struct {
	*requests
	transport http.RoundTripper

	once sync.Once
	hub  *hub.Hub
	err  error

	mu      sync.Mutex
	commits map[hub.Address]string   // of datasets at revisions
	noted   map[string]store.Version // of files, by their pinned addresses
}

func newDatasets(r *requests, transport http.RoundTripper) *datasets {
	return &datasets{
		requests: r, transport: transport, commits: map[hub.Address]string{}, noted: map[string]store.Version{},
	}
}

// atHub returns the Hub, which is configured on first use.
func (d *datasets) atHub() (*hub.Hub, error) {
	d.once.Do(func() { d.hub, d.err = hub.New(d.transport) })
	return d.hub, d.err
}

// pinned returns an address at the commit that its revision had when this client first asked.
func (d *datasets) pinned(path string) (*hub.Hub, hub.Address, error) {
	a, err := hub.Parse(path)
	if err != nil {
		return nil, a, err
	}
	at, err := d.atHub()
	if err != nil || a.IsPinned() {
		return at, a, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	commit, known := d.commits[a.Whole()]
	if !known {
		err = d.retry(d.ctx, func(ctx context.Context) (err error) {
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

// A Move compares a revision of a dataset with an earlier run.
type Move struct {
	Revision string // its address, with the name of the revision
	Was, Is  string // commits; equal if the revision has not moved
	Pinned   string // its address at the earlier commit
}

// Moved compares the commit from which an earlier run read a file with that of its revision now. It
// makes no request: known is false unless this client has resolved a revision of the same dataset.
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
		// of several revisions, prefer one that has not moved, otherwise the first
		if !known || commit == then.Revision || m.Was != m.Is && of.String() < m.Revision {
			m, known = Move{of.String(), then.Revision, commit, then.Whole().String()}, true
		}
	}
	return m, known
}

// A hubFile is a file of a dataset of the Hub.
type hubFile struct{ *hub.File }

func (d *datasets) file(path string) (source, error) {
	at, a, err := d.pinned(path)
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

// ofHub converts an error of the Hub to those of this package.
func ofHub(err error) error {
	if e := (*hub.Error)(nil); errors.As(err, &e) {
		return store.FromStatus(e.Status, e)
	}
	if errors.Is(err, hub.ErrNoParts) {
		return errNoParts
	}
	return err
}
