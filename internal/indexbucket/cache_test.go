package indexbucket

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What is there with the right checksum is not fetched again, and nothing else is used.
func TestCache(t *testing.T) {
	server, b := start(t), open(t)
	mustTurn(t, b, first)
	for name, damage := range map[string]func(path string) error{
		"whole":   func(string) error { return nil },
		"missing": os.Remove,
		"cut":     func(path string) error { return os.Truncate(path, 1) },
		"changed": func(path string) error { return os.WriteFile(path, []byte("filtres"), 0o666) },
	} {
		base, err := b.mustCurrent(t).pathOf(b, "base-1-1")
		if err == nil {
			err = damage(base)
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, begin := range []func() (*Copy, error){b.Acquire, b.Read} {
			server.Requests()
			c, err := begin()
			if err != nil {
				t.Fatal(name, err)
			}
			if got := read(t, c.Dir); !maps.Equal(got, first) {
				t.Errorf("%s: %v", name, got)
			}
			fetched := slices.DeleteFunc(asked(server, "GET"), func(path string) bool { return path == currentName })
			if name == "whole" && len(fetched) > 0 || len(fetched) > 1 {
				t.Errorf("%s: %v was fetched", name, fetched)
			}
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	// what only older generations need goes
	mustTurn(t, open(t), second)
	c, err := b.Read()
	if err != nil {
		t.Fatal(err)
	}
	if there, _ := filepath.Glob(filepath.Join(b.cache.dir, "files", "*")); len(there) != len(second)-1 {
		t.Errorf("the cache has %v", there) // two files are the same
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

func (b *Bucket) mustCurrent(t *testing.T) generation {
	t.Helper()
	g, _, err := b.current()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func (g generation) pathOf(b *Bucket, name string) (string, error) {
	f, ok := g.find(name)
	if !ok {
		return "", fmt.Errorf("there is no %s", name)
	}
	return b.cache.path(f), nil
}

// What a run writes is not seen by others that have the same files, nor by later ones if it fails.
func TestCopiesAreApart(t *testing.T) {
	start(t)
	b := open(t)
	mustTurn(t, b, first)
	writer, err := b.Acquire()
	if err != nil {
		t.Fatal(err)
	}
	reader, err := b.Read()
	if err != nil {
		t.Fatal(err)
	}
	log, err := os.OpenFile(filepath.Join(writer.Dir, "log-1"), os.O_WRONLY|os.O_APPEND, 0)
	if err == nil {
		_, err = log.WriteString("more")
	}
	if err = errors.Join(err, log.Close()); err != nil {
		t.Fatal(err)
	}
	if got := read(t, reader.Dir); !maps.Equal(got, first) {
		t.Errorf("a reader finds %v", got)
	}
	// another program that begins leaves both alone, and removes what was left by a kill
	killed := filepath.Join(b.cache.dir, runPrefix+"killed")
	if err := os.MkdirAll(filepath.Join(killed, "index"), 0o777); err != nil {
		t.Fatal(err)
	}
	mustBe(t, first)
	other, err := b.Read()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(killed); err == nil || !maps.Equal(read(t, other.Dir), first) {
		t.Error("what a killed run has left is there")
	}
	for _, c := range []*Copy{writer, reader, other} {
		if _, err := os.Stat(c.Dir); err != nil {
			t.Error(err)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
	mustBe(t, first)
	if left, _ := filepath.Glob(filepath.Join(b.cache.dir, runPrefix+"*")); len(left) > 0 {
		t.Error(left)
	}
}

// Where nothing can be written, as in a home that is read-only, the error says what to give.
func TestNoPlaceForACache(t *testing.T) {
	start(t)
	b := open(t)
	mustTurn(t, b, first)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	b.cache.dir = filepath.Join(file, "cache")
	if _, err := b.Read(); err == nil || !strings.Contains(err.Error(), "--index-cache DIR") {
		t.Error(err)
	}
}
