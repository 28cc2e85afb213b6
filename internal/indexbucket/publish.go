package indexbucket

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mithril-stream/mithril-stream/internal/object"
)

// Publish makes the copy the current generation: it uploads new files, and then replaces CURRENT.
// Nothing changes before that, or if another run has published in the meantime. The index must be
// closed.
func (c *Copy) Publish() error {
	next, err := c.next()
	if err != nil || next.isSame(c.of) {
		return err
	}
	folder := fmt.Sprintf("%d-%s", next.number, c.lock.holder.Token)
	for i := range next.files {
		if f := &next.files[i]; f.key == "" {
			f.key = folder + "/" + f.name
			if err := c.send(*f); err != nil {
				return err
			}
		}
	}
	err = c.bucket.replace(currentName, next.encode(), c.tag)
	if errors.Is(err, object.ErrOther) {
		return fmt.Errorf("%s: it has changed during the run: the lock was removed, and another run has published",
			c.bucket.url)
	}
	if err != nil {
		return err
	}
	c.of = next
	return nil
}

// next describes the copy. Files that have not changed keep their objects.
func (c *Copy) next() (generation, error) {
	next := generation{number: c.of.number + 1}
	err := filepath.WalkDir(c.Dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		name, err := filepath.Rel(c.Dir, path)
		if err != nil || !isStored(filepath.ToSlash(name)) {
			return err
		}
		f, err := c.describe(filepath.ToSlash(name), path)
		next.files = append(next.files, f)
		return err
	})
	slices.SortFunc(next.files, func(a, b file) int { return cmp.Compare(a.name, b.name) })
	return next, err
}

func (c *Copy) describe(name, path string) (f file, err error) {
	before, ok := c.of.find(name)
	if ok && strings.HasPrefix(name, "base-") { // immutable and large
		return before, nil
	}
	f.name = name
	f.length, f.sum, err = describe(path)
	if ok && f.length == before.length && f.sum == before.sum {
		f.key = before.key
	}
	return f, err
}

func (c *Copy) send(f file) error {
	in, err := os.Open(filepath.Join(c.Dir, filepath.FromSlash(f.name)))
	if err != nil {
		return err
	}
	defer in.Close()
	return c.bucket.client.Put(c.bucket.path(f.key), in, f.length)
}

// Tidy removes what the published generation does not need: objects of earlier ones, and uploads of
// failed runs. It also adds the files to the cache for the next local run. If it fails, the next
// run does it.
func (c *Copy) Tidy() error {
	var err error
	for _, f := range c.of.files {
		from := filepath.Join(c.Dir, filepath.FromSlash(f.name))
		if failed := share(from, c.bucket.cache.path(f)); !errors.Is(failed, fs.ErrExist) {
			err = errors.Join(err, failed)
		}
	}
	return errors.Join(err, c.bucket.cache.keepOnly(c.of), c.bucket.keepOnly(c.of))
}

// keepOnly removes objects written for this generation or earlier ones that it does not need. Later
// ones may belong to a running program.
func (b *Bucket) keepOnly(g generation) error {
	needed := map[string]bool{}
	for _, f := range g.files {
		needed[f.key] = true
	}
	stored, err := b.client.List(b.url + "/")
	if err != nil {
		return err
	}
	for _, path := range stored.Paths {
		key := strings.TrimPrefix(path, b.url+"/")
		if number, ok := folderNumber(key); ok && number <= g.number && !needed[key] {
			err = errors.Join(err, b.client.Remove(path))
		}
	}
	return err
}
