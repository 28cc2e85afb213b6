package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spdx/tools-golang/json"
)

var (
	made = time.Unix(1_700_000_000, 0).UTC()
	tiny = []file{
		{"usr/bin/" + name, 0o755, []byte("#!/bin/sh\n")}, {"usr/share/doc/" + name + "/NOTICE", 0o644, []byte("n")},
	}
	linux = allTargets[0]
)

// written are the files that make leaves in a directory.
func written(t *testing.T, make func(out string) error) map[string]string {
	t.Helper()
	out := t.TempDir()
	if err := make(out); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(out)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(out, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[e.Name()] = string(data)
	}
	return files
}

// The same files make the same bytes, whenever they are packed.
func TestPackagesAreReproducible(t *testing.T) {
	pack := func(out string) error {
		if err := writeArchive(out, linux, "1.2.3", made, tiny); err != nil {
			return err
		}
		if err := writePackages(out, linux, "1.2.3", made, tiny); err != nil {
			return err
		}
		return writeSums(out)
	}
	first, second := written(t, pack), written(t, pack)
	if len(first) != 4 {
		t.Errorf("%d files", len(first))
	}
	for file, data := range first {
		if data == "" || second[file] != data {
			t.Errorf("%s has other bytes the second time", file)
		}
	}
	for _, line := range strings.Split(strings.TrimSpace(first["SHA256SUMS"]), "\n") {
		if sum, file, ok := strings.Cut(line, "  "); !ok || len(sum) != 64 || first[file] == "" {
			t.Errorf("SHA256SUMS has %q", line)
		}
	}
}

func TestArchiveHasTheProgramAtItsTop(t *testing.T) {
	files := written(t, func(out string) error { return writeArchive(out, linux, "1.2.3", made, tiny) })
	z, err := gzip.NewReader(strings.NewReader(files["mithril-stream-1.2.3-linux-amd64.tar.gz"]))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for r := tar.NewReader(z); ; {
		head, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, head.Name)
		if !head.ModTime.Equal(made) || head.Name == names[0] && head.Mode != 0o755 {
			t.Errorf("%s: mode %o, %v", head.Name, head.Mode, head.ModTime)
		}
	}
	want := []string{"mithril-stream-1.2.3-linux-amd64/mithril-stream", "mithril-stream-1.2.3-linux-amd64/NOTICE"}
	if !slices.Equal(names, want) {
		t.Errorf("%q", names)
	}
}

// dpkg-deb reads the package, where it is there.
func TestDebianReadsThePackage(t *testing.T) {
	dpkg, err := exec.LookPath("dpkg-deb")
	if err != nil {
		t.Skip("dpkg-deb is not here")
	}
	out := t.TempDir()
	if err := writePackages(out, linux, "1.2.3", made, tiny); err != nil {
		t.Fatal(err)
	}
	deb := filepath.Join(out, "mithril-stream_1.2.3-1_amd64.deb")
	said, err := exec.Command(dpkg, "--contents", deb).CombinedOutput()
	if err != nil || !bytes.Contains(said, []byte("-rwxr-xr-x root/root")) ||
		!bytes.Contains(said, []byte("./usr/bin/mithril-stream")) {
		t.Errorf("%v\n%s", err, said)
	}
}

// The list of what is linked is one that the reader of SPDX takes, and has the modules of a
// program.
func TestSPDX(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	files := written(t, func(out string) error {
		return writeSPDX(filepath.Join(out, "list.spdx.json"), "1.2.3", made, map[target]string{linux: self})
	})
	doc, err := json.Read(strings.NewReader(files["list.spdx.json"]))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, p := range doc.Packages {
		found[p.PackageName] = p.PackageVersion != ""
	}
	if !found[name] || !found["std"] || !found["github.com/goreleaser/nfpm/v2"] ||
		len(doc.Relationships) != len(doc.Packages) {
		t.Errorf("%d packages, %d relationships", len(doc.Packages), len(doc.Relationships))
	}
}

func TestTargetsHaveNames(t *testing.T) {
	for _, test := range []struct {
		names []string
		want  []target
	}{
		{nil, allTargets},
		{[]string{"linux/arm64", "linux/amd64"}, []target{{"linux", "arm64"}, {"linux", "amd64"}}},
		{[]string{"linux/amd64", "plan9/amd64"}, nil},
	} {
		got, err := targetsOf(test.names)
		if !slices.Equal(got, test.want) || (err == nil) != (test.want != nil) {
			t.Errorf("%q: %v, %v", test.names, got, err)
		}
	}
}

func TestFormulaNamesTheArchives(t *testing.T) {
	files := written(t, func(out string) error {
		for _, target := range allTargets {
			files := append(slices.Clone(tiny), file{path: target.String()})
			if err := writeArchive(out, target, "1.2.3", made, files); err != nil {
				return err
			}
		}
		if err := writeSums(out); err != nil {
			return err
		}
		return writeFormula(out, "1.2.3")
	})
	formula := files["mithril-stream.rb"]
	for _, line := range strings.Split(strings.TrimSpace(files["SHA256SUMS"]), "\n") {
		sum, archive, _ := strings.Cut(line, "  ")
		at := strings.Index(formula, "/v1.2.3/"+archive+"\"\n")
		if at < 0 || !strings.HasPrefix(formula[at:], "/v1.2.3/"+archive+"\"\n      sha256 \""+sum+"\"") {
			t.Errorf("%s: not with its checksum in\n%s", archive, formula)
		}
	}
}
