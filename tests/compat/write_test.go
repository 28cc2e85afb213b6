package compat

import (
	"archive/zip"
	"os"
	"path/filepath"
	"testing"
)

// TestWrite writes what the program of today leaves, if that is asked for.
func TestWrite(t *testing.T) {
	if *write == "" {
		t.Skip("nothing is written without -write VERSION")
	}
	to := filepath.Join("testdata", *write)
	if err := os.RemoveAll(to); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(to, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, k := range all {
		k.write(t, filepath.Join(to, k.name+".zip"))
	}
}

// write has an archive of what the first two days leave, and of what each of the next two prints.
func (k kept) write(t *testing.T, archive string) {
	left, ahead := t.TempDir(), t.TempDir()
	var printed [3]string
	for _, dir := range []string{left, ahead} {
		inputs(t, dir)
		for i, command := range k.days {
			if i < 2 || dir == ahead {
				printed[i] = mustRun(t, dir, command)
			}
		}
	}
	for i, name := range []string{1: "2.out", 2: "3.out"} {
		if name == "" {
			continue
		}
		if err := os.WriteFile(filepath.Join(left, name), []byte(printed[i]), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	days, err := filepath.Glob(left + "/day*.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for _, day := range days {
		if err := os.Remove(day); err != nil {
			t.Fatal(err)
		}
	}
	file, err := os.Create(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	z := zip.NewWriter(file)
	if err := z.AddFS(os.DirFS(left)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
}
