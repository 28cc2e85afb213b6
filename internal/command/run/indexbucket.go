package run

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/indexbucket"
	"github.com/mithril-stream/mithril-stream/internal/method/identity"
	"github.com/mithril-stream/mithril-stream/internal/object"
	"github.com/mithril-stream/mithril-stream/internal/shown"
	"github.com/mithril-stream/mithril-stream/internal/usage"
)

// bucketIndexes are the indexes of a command that are in buckets. The command works on copies of
// them, which are directories like any others. A nil *bucketIndexes has none.
type bucketIndexes struct {
	std   files.Streams
	cache string // the directory of the copies

	own   *indexbucket.Copy // the writable copy; may be nil
	asked []*indexbucket.Copy
	urls  map[string]string // by the directory of the copy
}

func NewIndexes(std files.Streams, c config.CacheFlags) *bucketIndexes {
	return &bucketIndexes{std: std, cache: c.IndexCache, urls: map[string]string{}}
}

// indexesOf fetches the indexes of a run. It returns c with the directories of the copies.
func indexesOf(std files.Streams, c *config.Filter) (*config.Filter, *bucketIndexes, error) {
	x := NewIndexes(std, c.Runs.CacheFlags)
	if object.IsRemote(c.Memory.Index) && (c.Runs.Checkpoint.IsSet() || c.Runs.Resume) {
		return nil, nil, usage.Error(fmt.Errorf("--checkpoint and --resume cannot continue the index %s, which is "+
			"published only when the run is complete: leave them out, or keep the index in a directory",
			c.Memory.Index))
	}
	var index string
	var err error
	if c.Memory.Index != "" {
		index, err = x.Directory(c.Memory.Index, !c.Memory.ReadOnly)
	}
	against := make([]string, len(c.Memory.Against))
	for i, path := range c.Memory.Against {
		if err == nil {
			against[i], err = x.Directory(path, false)
		}
	}
	if err != nil {
		return nil, nil, x.Finish(err, nil, false)
	}
	local := c.WithIndexes(index, against)
	local = local.AsStored(identity.AsStored(local.Method, local.Memory.Indexes()...))
	return &local, x, nil
}

// Directory returns the directory of an index on this machine, which is a copy if the index is in a
// bucket.
func (x *bucketIndexes) Directory(path string, writes bool) (string, error) {
	if err := object.CheckScheme(path); err != nil {
		return "", usage.Error(err)
	}
	if !object.IsRemote(path) {
		return path, nil
	}
	dir, err := cacheDir(x.cache)
	if err != nil {
		return "", err
	}
	bucket, err := indexbucket.Open(x.std.Objects, path, dir)
	if err != nil {
		return "", usage.Error(err)
	}
	var c *indexbucket.Copy
	if writes {
		c, err = bucket.Acquire()
		x.own = c
	} else if c, err = bucket.Read(); err == nil {
		x.asked = append(x.asked, c)
	}
	if err != nil {
		return "", err
	}
	x.urls[c.Dir] = path
	return c.Dir, nil
}

// cacheDir returns the directory that the user has named, or one that other users cannot write to.
func cacheDir(given string) (string, error) {
	if given != "" {
		return filepath.Abs(given)
	}
	if dir, err := os.UserCacheDir(); err == nil {
		return filepath.Join(dir, "mithril-stream"), nil
	}
	return filepath.Join(os.TempDir(), fmt.Sprintf("mithril-stream-%d", os.Getuid())), nil
}

// name returns the user's name of the index in a directory.
func (x *bucketIndexes) name(dir string) string {
	if x != nil && x.urls[dir] != "" {
		return x.urls[dir]
	}
	return dir
}

func (x *bucketIndexes) names(dirs []string) []string {
	var names []string
	for _, dir := range dirs {
		names = append(names, x.name(dir))
	}
	return names
}

// A namedError names indexes as the user does: by the time it is read, their copies are gone.
type namedError struct {
	error
	text string
}

func (e namedError) Error() string { return e.text }
func (e namedError) Unwrap() error { return e.error }

func (x *bucketIndexes) named(err error) error {
	if err == nil || len(x.urls) == 0 {
		return err
	}
	text := err.Error()
	for dir, url := range x.urls {
		text = strings.ReplaceAll(text, dir, url)
	}
	return namedError{err, text}
}

// Finish ends the work on the copies. An index that was written to is published if its run is
// committed, whatever err says about records. closing is the error of closing the index.
func (x *bucketIndexes) Finish(err, closing error, committed bool) error {
	err = x.named(errors.Join(err, closing))
	if x.own != nil && committed {
		err = x.publish(err, closing)
	}
	if x.own != nil {
		err = errors.Join(err, x.own.Close())
	}
	for _, c := range x.asked {
		err = errors.Join(err, c.Close())
	}
	return err
}

// publish returns err if it succeeds.
func (x *bucketIndexes) publish(err, closing error) error {
	url, failed := x.name(x.own.Dir), closing
	if failed == nil {
		failed = x.own.Publish()
	}
	if failed == nil {
		if left := x.own.Tidy(); left != nil {
			shown.Notice(x.std.Err, "%s is published, but some files that it no longer needs could not be removed, "+
				"which the next run tries again: %v", url, left)
		}
		return err
	}
	dir, lost := x.own.Keep()
	failed = fmt.Errorf("the command has done its work, but the index was not published to %s, which is as it was: "+
		"%w: running the command again does all of the work again; the index as this run has left it is in %s", url,
		failed, dir)
	if err != nil && closing == nil { // it matters less, and must not determine the exit code
		failed = fmt.Errorf("%w; %v", failed, err)
	}
	return errors.Join(failed, lost)
}

// OnIndex calls a command on the directory of an index, and publishes what it changes.
func OnIndex(std files.Streams, path string, c config.CacheFlags, writes bool, do func(dir string) error) error {
	x := NewIndexes(std, c)
	dir, err := x.Directory(path, writes)
	if err == nil {
		err = do(dir)
	}
	return x.Finish(err, nil, err == nil)
}

// InDirectories refuses indexes in buckets for a command that may run forever, or that concerns
// what is never published.
func InDirectories(command string, paths ...string) error {
	for _, path := range paths {
		if object.IsRemote(path) {
			return usage.Error(fmt.Errorf("%s takes an index in a directory, not %s", command, path))
		}
	}
	return nil
}
