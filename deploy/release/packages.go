package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/goreleaser/nfpm/v2"
	_ "github.com/goreleaser/nfpm/v2/deb" // so that nfpm.Get finds them
	nfpmfiles "github.com/goreleaser/nfpm/v2/files"
	_ "github.com/goreleaser/nfpm/v2/rpm"
)

// sorted has the files in the order of their places.
func sorted(files []file) []file {
	slices.SortFunc(files, func(a, b file) int { return strings.Compare(a.path, b.path) })
	return files
}

// writePackages writes the .deb and the .rpm of a target. nfpm reads files by their names, so they
// are written to a directory first.
func writePackages(out string, t target, version string, made time.Time, files []file) error {
	dir, err := os.MkdirTemp("", "package")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var contents nfpmfiles.Contents
	for i, f := range files {
		source := filepath.Join(dir, fmt.Sprint(i))
		if err := os.WriteFile(source, f.data, 0o600); err != nil {
			return err
		}
		contents = append(contents, &nfpmfiles.Content{
			Source: source, Destination: "/" + f.path,
			FileInfo: &nfpmfiles.ContentFileInfo{Mode: f.mode, MTime: made, Owner: "root", Group: "root"},
		})
	}
	for _, kind := range []string{"deb", "rpm"} {
		info := nfpm.WithDefaults(&nfpm.Info{
			Name: name, Arch: t.processor, Platform: t.system, Version: version, Release: "1",
			Section: "utils", Maintainer: "mithril-stream <mithril-stream@users.noreply.github.com>",
			Description: summary, Homepage: homepage, License: license, MTime: made, DisableGlobbing: true,
			Overridables: nfpm.Overridables{
				Contents: contents, RPM: nfpm.RPM{BuildHost: "localhost", Summary: summary},
			},
		})
		if err := writePackage(out, kind, info); err != nil {
			return fmt.Errorf("%s of %s: %w", kind, t, err)
		}
	}
	return nil
}

func writePackage(out, kind string, info *nfpm.Info) error {
	packager, err := nfpm.Get(kind)
	if err != nil {
		return err
	}
	if err := nfpm.PrepareForPackager(info, kind); err != nil {
		return err
	}
	file, err := os.Create(filepath.Join(out, packager.ConventionalFileName(info)))
	if err != nil {
		return err
	}
	return errors.Join(packager.Package(info, file), file.Close())
}
