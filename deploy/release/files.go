package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"time"
)

// A file is one of a package, at its place below the root of a system.
type file struct {
	path string
	mode os.FileMode
	data []byte
}

// sharedFiles are those that are the same for every target: manual pages, completions, licences.
// program is one that runs here.
func sharedFiles(root, program string) ([]file, error) {
	var files []file
	add := func(path string, data []byte) { files = append(files, file{path: path, mode: 0o644, data: data}) }
	pages, err := exec.Command(program, "man", "--list").Output()
	if err != nil {
		return nil, err
	}
	for page := range strings.SplitSeq(strings.TrimSuffix(string(pages), "\n"), "\n") {
		words := strings.Fields(page)
		text, err := exec.Command(program, append([]string{"man"}, words...)...).Output()
		if err != nil {
			return nil, err
		}
		packed, err := zipped(text)
		if err != nil {
			return nil, err
		}
		add("usr/share/man/man1/"+strings.Join(append([]string{name}, words...), "-")+".1.gz", packed)
	}
	for shell, place := range map[string]string{
		"bash": "usr/share/bash-completion/completions/" + name,
		"fish": "usr/share/fish/vendor_completions.d/" + name + ".fish",
		"zsh":  "usr/share/zsh/site-functions/_" + name,
	} {
		script, err := exec.Command(program, "completion", shell).Output()
		if err != nil {
			return nil, err
		}
		add(place, script)
	}
	for _, text := range []string{"LICENSE", "NOTICE", "README.md", "CHANGELOG.md"} {
		data, err := os.ReadFile(filepath.Join(root, text))
		if err != nil {
			return nil, err
		}
		add("usr/share/doc/"+name+"/"+text, data)
	}
	return sorted(files), nil
}

// zipped is a gzip file without a name or a time.
func zipped(data []byte) ([]byte, error) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	_, err = z.Write(data)
	if err := errors.Join(err, z.Close()); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// writeArchive writes a .tar.gz that contains one directory, with the program at its top.
func writeArchive(out string, t target, version string, made time.Time, files []file) error {
	top := name + "-" + version + "-" + t.String()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, f := range files {
		place := strings.TrimPrefix(strings.TrimPrefix(f.path, "usr/share/doc/"+name+"/"), "usr/bin/")
		head := &tar.Header{
			Name: path.Join(top, strings.TrimPrefix(place, "usr/")), Mode: int64(f.mode), Size: int64(len(f.data)),
			ModTime: made, Format: tar.FormatUSTAR,
		}
		if err := w.WriteHeader(head); err != nil {
			return err
		}
		if _, err := w.Write(f.data); err != nil {
			return err
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	packed, err := zipped(b.Bytes())
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(out, top+".tar.gz"), packed, 0o644)
}
