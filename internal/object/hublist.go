package object

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mithril-stream/mithril-stream/internal/object/hub"
	"github.com/mithril-stream/mithril-stream/internal/object/store"
)

// mostFiles bounds a listing, which would otherwise not end if the Hub repeats pages. No dataset is
// that large.
const mostFiles = 10_000_000

// list returns the files that an address means, each pinned to a commit: the file itself, the files
// below a directory or dataset, or the files that match a pattern.
func (d *datasets) list(of string) (l Listing, err error) {
	at, a, err := d.pinned(of)
	if err != nil {
		return l, err
	}
	if hub.IsPattern(a.Path) {
		l.Paths, err = d.matches(a)
		return l, err
	}
	if a.Path != "" && !strings.HasSuffix(a.Path, "/") {
		if v, err := d.stat(hubFile{at.File(a)}); !errors.Is(err, hub.ErrNoEntry) {
			if err == nil {
				d.note(a, v)
			}
			return Listing{Paths: []string{a.String()}}, err
		}
	}
	return d.below(a)
}

// fileOf returns the address of a path in the dataset of a, at its revision.
func fileOf(a hub.Address, path string) hub.Address {
	a.Path = path
	return a
}

// matches returns the files that match a pattern, or the file with exactly that name if it exists.
func (d *datasets) matches(a hub.Address) (paths []string, err error) {
	if err := hub.CheckPattern(a.Path); err != nil {
		return nil, err
	}
	dir, deep := hub.Below(a.Path)
	files, err := d.entries(fileOf(a, dir), deep)
	if err != nil {
		return nil, err
	}
	for _, path := range files {
		if path == a.Path {
			return []string{a.String()}, nil
		}
		if hub.Match(a.Path, path) {
			paths = append(paths, fileOf(a, path).String())
		}
	}
	if len(paths) == 0 {
		return nil, errors.New("no file of the dataset matches")
	}
	slices.Sort(paths)
	return paths, nil
}

// below returns the files in a directory.
func (d *datasets) below(a hub.Address) (Listing, error) {
	files, err := d.entries(a, true)
	if err != nil {
		return Listing{}, err
	}
	l := Listing{IsDirectory: true}
	for _, path := range files {
		l.add(fileOf(a, path).String(), strings.TrimPrefix(path, strings.TrimSuffix(a.Path, "/")))
	}
	return l.sorted("no file is in this directory of the dataset")
}

// entries returns the paths of all files in a directory. It caches what the Hub says about each.
func (d *datasets) entries(dir hub.Address, deep bool) (paths []string, err error) {
	at, err := d.atHub()
	if err != nil {
		return nil, err
	}
	for more := ""; ; {
		var page []hub.Entry
		var next string
		err := d.retry(d.ctx, func(ctx context.Context) (err error) {
			page, next, err = at.List(ctx, dir, deep, more)
			return ofHub(err)
		})
		if err != nil {
			return nil, err
		}
		for _, e := range page {
			paths = append(paths, e.Path)
			d.note(fileOf(dir, e.Path), e.Version)
		}
		if more = next; more == "" {
			return paths, nil
		}
		if len(paths) > mostFiles {
			return nil, fmt.Errorf("the dataset has more than %d files: name a directory of it", mostFiles)
		}
	}
}

// note caches what the Hub says about a file.
func (d *datasets) note(of hub.Address, v store.Version) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.noted[of.String()] = v
}

// known returns the cached version of a file. Only Version uses it.
func (d *datasets) known(path string) (v store.Version, known bool) {
	if !isHub(path) {
		return v, false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	v, known = d.noted[path]
	return v, known
}
