package main

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/zeebo/xxh3"
)

// packages have documentation in HTML or PDF.
var packages = []string{
	"bash-doc", "bash", "cmake-doc", "debian-handbook", "debian-policy", "developers-reference",
	"erlang-doc", "git-doc", "gnuplot-doc", "libglib2.0-doc", "libstdc++-12-doc", "linux-doc-6.1",
	"maxima-doc", "octave-doc", "postgresql-doc-15", "python3.11-doc", "qtbase5-doc-html", "sbcl-doc",
	"sqlite3-doc",
}

// unpack downloads packages and takes the files out, without installing anything.
func unpack(dir string) (root string, err error) {
	root = filepath.Join(dir, "root")
	if _, err := os.Stat(root); err == nil {
		return root, nil
	}
	debs := filepath.Join(dir, "debs")
	if err := os.MkdirAll(debs, 0o777); err != nil {
		return "", err
	}
	download := exec.Command("apt-get", append([]string{"download"}, packages...)...)
	download.Dir, download.Stderr = debs, os.Stderr
	if err := download.Run(); err != nil {
		return "", fmt.Errorf("apt-get download: %w", err)
	}
	files, err := filepath.Glob(filepath.Join(debs, "*.deb"))
	if err != nil {
		return "", err
	}
	for _, file := range files {
		if out, err := exec.Command("dpkg-deb", "-x", file, root+".partial").CombinedOutput(); err != nil {
			return "", fmt.Errorf("dpkg-deb: %w: %s", err, out)
		}
	}
	return root, os.Rename(root+".partial", root)
}

// A page is what a document is made of: a file of HTML, or two pages of a PDF.
type page struct {
	path  string
	first int // page of a PDF, from 1; 0 for HTML
}

// id is what its records are called by.
func (p page) id(root string) string {
	name, err := filepath.Rel(root, p.path)
	if err != nil {
		name = p.path
	}
	if p.first > 0 {
		name += "#" + strconv.Itoa(p.first)
	}
	return name
}

// findPages finds all of them, in an order that the seed decides.
func findPages(root string, seed uint64) (pages []page, err error) {
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || !d.Type().IsRegular():
			return err
		case strings.HasSuffix(path, ".html"):
			pages = append(pages, page{path: path})
		case strings.HasSuffix(path, ".pdf"):
			for first := 1; first < pdfPages(path); first += 2 {
				pages = append(pages, page{path: path, first: first})
			}
		}
		return nil
	})
	place := func(p page) uint64 { return xxh3.HashStringSeed(p.id(root), seed) }
	slices.SortFunc(pages, func(a, b page) int { return cmp.Compare(place(a), place(b)) })
	return pages, err
}

// pdfPages is the number of pages of a PDF, as pdfinfo tells; 0 if it cannot be read.
func pdfPages(path string) int {
	out, err := exec.Command("pdfinfo", path).Output()
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(out)) {
		if count, ok := strings.CutPrefix(line, "Pages:"); ok {
			n, _ := strconv.Atoi(strings.TrimSpace(count))
			return n
		}
	}
	return 0
}
