package object

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/mithril-stream/mithril-stream/stream/object/hub"
)

// datasets are what a client knows of the datasets of the Hub. A revision is resolved once: all
// files of it are of one commit, however long the run takes.
type datasets struct {
	once sync.Once
	hub  *hub.Hub
	err  error

	mu      sync.Mutex
	commits map[hub.Address]string // of datasets at revisions
	noted   map[string]version     // of files, by their pinned addresses
}

func newDatasets() *datasets {
	return &datasets{commits: map[hub.Address]string{}, noted: map[string]version{}}
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

func (f hubFile) stat(ctx context.Context) (version, error) {
	s, err := f.Stat(ctx)
	return version{size: s.Size, tag: s.Tag, ranges: s.Ranges}, ofHub(err)
}

func (f hubFile) get(ctx context.Context, of version, from, to int64) (io.ReadCloser, error) {
	body, err := f.Get(ctx, hub.State{Size: of.size, Tag: of.tag, Ranges: of.ranges}, from, to)
	return body, ofHub(err)
}

// ofHub is an error of the Hub as those of other places.
func ofHub(err error) error {
	if e := (*hub.Error)(nil); errors.As(err, &e) {
		return answered(e.Status, e)
	}
	switch {
	case errors.Is(err, hub.ErrChanged):
		return errChanged
	case errors.Is(err, hub.ErrNoParts):
		return errNoParts
	}
	return err
}

// mostFiles bounds a listing: the Hub has none of that size, so that a longer one does not end.
const mostFiles = 10_000_000

// listHub returns the files that an address stands for, each at the commit that it is read at:
// itself; those below it, if it is a directory or a dataset; or those that match it.
func (c *Client) listHub(of string) (paths []string, isDirectory bool, err error) {
	at, a, err := c.pinned(of)
	if err != nil {
		return nil, false, err
	}
	if hub.IsPattern(a.Path) {
		paths, err = c.matches(a)
		return paths, false, err
	}
	if a.Path != "" && !strings.HasSuffix(a.Path, "/") {
		if v, err := c.stat(hubFile{at.File(a)}); !errors.Is(err, hub.ErrNoEntry) {
			if err == nil {
				c.note(a, v)
			}
			return []string{a.String()}, false, err
		}
	}
	paths, err = c.below(a)
	return paths, true, err
}

// matches are the files that match a pattern. If a file is called exactly that, it is that one.
func (c *Client) matches(a hub.Address) (paths []string, err error) {
	if err := hub.CheckPattern(a.Path); err != nil {
		return nil, err
	}
	dir, deep := hub.Below(a.Path)
	files, err := c.entries(hub.Address{Dataset: a.Dataset, Revision: a.Revision, Path: dir}, deep)
	if err != nil {
		return nil, err
	}
	for _, path := range files {
		if path == a.Path {
			return []string{a.String()}, nil
		}
		if hub.Match(a.Path, path) {
			paths = append(paths, hub.Address{Dataset: a.Dataset, Revision: a.Revision, Path: path}.String())
		}
	}
	if len(paths) == 0 {
		return nil, errors.New("no file of the dataset matches")
	}
	slices.Sort(paths)
	return paths, nil
}

// below are the files in a directory, but for what has a name that begins with a dot or an
// underscore.
func (c *Client) below(a hub.Address) (paths []string, err error) {
	files, err := c.entries(a, true)
	if err != nil {
		return nil, err
	}
	for _, path := range files {
		if isWanted(path, strings.TrimSuffix(a.Path, "/"), "", false) {
			paths = append(paths, hub.Address{Dataset: a.Dataset, Revision: a.Revision, Path: path}.String())
		}
	}
	if len(paths) == 0 {
		return nil, errors.New("no file is in this directory of the dataset")
	}
	slices.Sort(paths)
	return paths, nil
}

// entries are the paths of all files in a directory. What the Hub says of each is kept, so that it
// need not be asked again.
func (c *Client) entries(dir hub.Address, deep bool) (paths []string, err error) {
	at, err := c.atHub()
	if err != nil {
		return nil, err
	}
	for more := ""; ; {
		var page []hub.Entry
		err := c.again(c.ctx, func(ctx context.Context) (err error) {
			page, more, err = nextPage(ctx, at, dir, deep, more)
			return ofHub(err)
		})
		if err != nil {
			return nil, err
		}
		for _, e := range page {
			paths = append(paths, e.Path)
			c.note(hub.Address{Dataset: dir.Dataset, Revision: dir.Revision, Path: e.Path},
				version{size: e.Size, tag: e.Tag})
		}
		if more == "" {
			return paths, nil
		}
		if len(paths) > mostFiles {
			return nil, fmt.Errorf("the dataset has more than %d files: name a directory of it", mostFiles)
		}
	}
}

// nextPage leaves more as it is if it fails.
func nextPage(ctx context.Context, at *hub.Hub, dir hub.Address, deep bool, more string) ([]hub.Entry, string, error) {
	page, next, err := at.List(ctx, dir, deep, more)
	if err != nil {
		return nil, more, err
	}
	return page, next, nil
}

// note keeps what the Hub has said of a file.
func (c *Client) note(of hub.Address, v version) {
	c.datasets.mu.Lock()
	defer c.datasets.mu.Unlock()
	c.datasets.noted[of.String()] = v
}

// noted is what the Hub has said of a file; only Version asks for it.
func (c *Client) noted(path string) (v version, known bool) {
	if !isHub(path) {
		return v, false
	}
	c.datasets.mu.Lock()
	defer c.datasets.mu.Unlock()
	v, known = c.datasets.noted[path]
	return v, known
}
