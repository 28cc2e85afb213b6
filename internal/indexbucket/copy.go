package indexbucket

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/zeebo/xxh3"
	"golang.org/x/sync/errgroup"
)

// A Copy is a local copy of a generation of an index. It is not safe for concurrent use.
type Copy struct {
	Dir string // the directory of the index

	bucket *Bucket
	of     generation
	tag    string // of CURRENT; empty if there was none
	lock   *lock  // nil if the copy is read-only
	run    string // parent directory of Dir
	guard  *os.File
}

// fetches is the number of parallel downloads, since an index has several files for each run. Only
// one of them may be larger than smallFile, since large files are downloaded in parallel parts.
const (
	fetches   = 8
	smallFile = 4 << 20
)

// fetch creates the copy of a generation.
func (b *Bucket) fetch(g generation, tag string, writes bool) (*Copy, error) {
	run, guard, err := b.cache.begin()
	c := &Copy{Dir: filepath.Join(run, "index"), bucket: b, of: g, tag: tag, run: run, guard: guard}
	if err != nil {
		err = fmt.Errorf("the copy of %s on this machine (--index-cache): %w", b.url, err)
	} else if err = c.placeAll(writes); err == nil {
		err = b.cache.keepOnly(g)
	}
	if err != nil {
		return nil, errors.Join(err, c.discard())
	}
	return c, nil
}

func (c *Copy) placeAll(writes bool) error {
	var all errgroup.Group
	var large sync.Mutex
	all.SetLimit(fetches)
	for _, f := range c.of.files {
		all.Go(func() error {
			if f.length > smallFile {
				large.Lock()
				defer large.Unlock()
			}
			to := filepath.Join(c.Dir, filepath.FromSlash(f.name))
			if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
				return err
			}
			if writes && isChanged(f.name) {
				return c.place(f, to, duplicate)
			}
			return c.place(f, to, share)
		})
	}
	return all.Wait()
}

// place makes put create a file from the cached one, after downloading it if it is missing or
// wrong.
func (c *Copy) place(f file, to string, put func(from, to string) error) error {
	stored := c.bucket.cache.path(f)
	if put(stored, to) == nil {
		if length, sum, err := describe(to); err == nil && length == f.length && sum == f.sum {
			return nil
		}
		if err := errors.Join(os.Remove(to), removed(os.Remove(stored))); err != nil {
			return err
		}
	}
	arriving := filepath.Join(c.run, "arriving-"+strings.ReplaceAll(f.name, "/", "-"))
	if err := c.bucket.download(f, arriving); err != nil {
		return fmt.Errorf("%s: %w", c.bucket.path(f.key), err)
	}
	if err := put(arriving, to); err != nil {
		return err
	}
	return os.Rename(arriving, stored)
}

func (b *Bucket) download(f file, to string) error {
	in, err := b.client.Open(b.path(f.key))
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	h := xxh3.New()
	length, err := io.Copy(io.MultiWriter(out, h), io.LimitReader(in, f.length+1))
	if err := errors.Join(err, out.Close()); err != nil {
		return err
	}
	if length != f.length || h.Sum64() != f.sum {
		return fmt.Errorf("it is not the file of %d bytes with checksum %016x that %s names: the index is damaged: "+
			"restore it from a copy, or build it again", f.length, f.sum, b.path(currentName))
	}
	return nil
}

// Keep moves the copy to where Close does not remove it, and returns its directory.
func (c *Copy) Keep() (dir string, err error) {
	parent, name := filepath.Split(c.run)
	kept := filepath.Join(parent, keptPrefix+strings.TrimPrefix(name, runPrefix))
	if err := os.Rename(c.run, kept); err != nil {
		return c.Dir, err
	}
	c.run, c.Dir = "", filepath.Join(kept, "index")
	return c.Dir, nil
}

// Close releases the lock of the index, if the copy is writable, and removes the copy.
func (c *Copy) Close() error {
	err := c.discard()
	if c.lock != nil {
		err = errors.Join(err, c.lock.release())
	}
	return err
}

func (c *Copy) discard() error {
	var err error
	if c.run != "" {
		err = os.RemoveAll(c.run)
	}
	if c.guard != nil {
		err = errors.Join(err, c.guard.Close())
	}
	return err
}
