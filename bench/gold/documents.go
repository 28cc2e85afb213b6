package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mithril-stream/mithril-stream/bench/harness/sets"
	"github.com/mithril-stream/mithril-stream/sketch"
	"golang.org/x/sync/errgroup"
)

// A document is a page, as each of its readers read it.
type document struct {
	id      string
	readers []string
	texts   []string // of each
}

// The documents that are taken.
const (
	leastWords = 100 // in each of the texts
	mostBytes  = 60_000
	// alike is the Jaccard similarity, by shingles of 5 words, from which a page is no document of
	// its own: a translation that was not translated, an older edition. What the labels call
	// different must be different.
	alike = .3
)

// readDocuments reads pages until it has the given number of documents.
func readDocuments(dir string, pages []page, wanted int) (documents []document, err error) {
	root := filepath.Join(dir, "root")
	var unlike distinct
	if unlike.sketcher, err = sketch.New(sketch.Default()); err != nil {
		return nil, err
	}
	const atOnce = 512
	for start := 0; start < len(pages) && len(documents) < wanted; start += atOnce {
		read, err := readAll(root, pages[start:min(start+atOnce, len(pages))])
		if err != nil {
			return nil, err
		}
		for _, d := range read {
			if d.isUsable() && unlike.take(d) && len(documents) < wanted {
				documents = append(documents, d)
			}
		}
		fmt.Fprintf(os.Stderr, "\r%d pages, %d documents", min(start+atOnce, len(pages)), len(documents))
	}
	fmt.Fprintln(os.Stderr)
	return documents, nil
}

// readAll reads pages on two cores.
func readAll(root string, pages []page) (documents []document, err error) {
	documents = make([]document, len(pages))
	const cores = 2
	var workers errgroup.Group
	for worker := range cores {
		workers.Go(func() error {
			library, err := startHTMLToText()
			if err != nil {
				return err
			}
			for i := worker; i < len(pages) && err == nil; i += cores {
				documents[i], err = readPage(root, pages[i], library)
			}
			return errors.Join(err, library.close())
		})
	}
	return documents, workers.Wait()
}

func readPage(root string, p page, library *htmlToText) (d document, err error) {
	readers := pdfReaders
	if p.first == 0 {
		readers = htmlReaders(library)
	}
	d.id = p.id(root)
	for _, r := range readers {
		text, err := r.read(p)
		if err != nil {
			return d, fmt.Errorf("%s: %s: %w", r.name, d.id, err)
		}
		d.readers, d.texts = append(d.readers, r.name), append(d.texts, strings.ToValidUTF8(text, "\uFFFD"))
	}
	return d, nil
}

// isUsable reports whether every reader has found a text of some length.
func (d document) isUsable() bool {
	return len(d.texts) > 0 && !slices.ContainsFunc(d.texts, func(text string) bool {
		return len(strings.Fields(text)) < leastWords || len(text) > mostBytes || !utf8.ValidString(text)
	})
}

// distinct knows documents that it was shown.
type distinct struct {
	sketcher *sketch.Sketcher
	known    sets.Earlier
}

// take reports whether a document is unlike all that were taken before, and takes it then. It looks
// at the texts of the first reader.
func (u *distinct) take(d document) bool {
	return u.known.AddUnlike(sets.Of(u.sketcher.Shingles(nil, []byte(d.texts[0]))), alike)
}
