// Release builds what a release page has: archives with manual pages and completions for Linux and
// macOS, .deb and .rpm, a Homebrew formula, a list of what is linked (SPDX), and checksums. The
// same commit makes the same bytes: times are the commit's.
//
// go run . -o ../../dist
//
// With systems as arguments, such as linux/arm64, it builds for these alone, and writes no formula,
// which names the archives of all.
package main

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	name     = "mithril-stream"
	homepage = "https://github.com/mithril-stream/mithril-stream"
	license  = "Apache-2.0"
	summary  = "remove near-duplicate records from a stream"
)

// allTargets are the systems and processors that a release is for.
var allTargets = []target{{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}}

type target struct{ system, processor string }

func (t target) String() string { return t.system + "-" + t.processor }

func main() {
	log.SetFlags(0)
	log.SetPrefix("release: ")
	out := flag.String("o", "dist", "the `directory` that is written, which must not be there")
	root := flag.String("root", "../..", "the `directory` of the repository")
	beside := flag.String("beside", "", "a `directory` whose files, such as wheels, are part of the release")
	flag.Parse()
	targets, err := targetsOf(flag.Args())
	if err == nil {
		err = release(*root, *out, *beside, targets)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// targetsOf returns the targets called SYSTEM/PROCESSOR, or all of them if there are no names.
func targetsOf(names []string) (targets []target, err error) {
	for _, name := range names {
		i := slices.IndexFunc(allTargets, func(t target) bool { return t.system+"/"+t.processor == name })
		if i < 0 {
			return nil, fmt.Errorf("there are no releases for %q", name)
		}
		targets = append(targets, allTargets[i])
	}
	if len(names) == 0 {
		targets = allTargets
	}
	return targets, nil
}

// release builds everything that a release has for some targets into a new directory.
func release(root, out, beside string, targets []target) error {
	if err := os.Mkdir(out, 0o755); err != nil {
		return err
	}
	if beside != "" {
		if err := os.CopyFS(out, os.DirFS(beside)); err != nil {
			return err
		}
	}
	made, err := commitTime(root)
	if err != nil {
		return err
	}
	built, err := os.MkdirTemp("", "release")
	if err != nil {
		return err
	}
	defer os.RemoveAll(built)
	programs := map[target]string{}
	for _, t := range targets {
		if programs[t], err = build(root, built, t); err != nil {
			return err
		}
	}
	own, err := build(root, built, target{})
	if err != nil {
		return err
	}
	version, err := versionOf(own)
	if err != nil {
		return err
	}
	shared, err := sharedFiles(root, own)
	if err != nil {
		return err
	}
	for _, t := range targets {
		if err := pack(out, t, version, made, programs[t], shared); err != nil {
			return err
		}
	}
	if err := writeSPDX(filepath.Join(out, name+"-"+version+".spdx.json"), version, made, programs); err != nil {
		return err
	}
	if len(targets) == len(allTargets) {
		if err := writeFormula(out, version); err != nil {
			return err
		}
	}
	return writeSums(out)
}

// pack makes the archive of a target, and for Linux its packages.
func pack(out string, t target, version string, made time.Time, program string, shared []file) error {
	binary, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	files := append([]file{{path: "usr/bin/" + name, mode: 0o755, data: binary}}, shared...)
	if err := writeArchive(out, t, version, made, files); err != nil || t.system != "linux" {
		return err
	}
	return writePackages(out, t, version, made, files)
}

// commitTime is when the commit was made that is built: the time of every file.
func commitTime(root string) (time.Time, error) {
	cmd := exec.Command("git", "log", "-1", "--format=%ct")
	cmd.Dir = root
	said, err := cmd.Output()
	if err != nil {
		return time.Time{}, fmt.Errorf("the time of the commit: %w", err)
	}
	seconds, err := strconv.ParseInt(strings.TrimSpace(string(said)), 10, 64)
	return time.Unix(seconds, 0).UTC(), err
}

// build builds the program for a target, or for this machine, and returns where it is.
func build(root, dir string, t target) (string, error) {
	path := filepath.Join(dir, name+"-"+t.String())
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=auto", "-ldflags=-s", "-o", path, ".")
	cmd.Dir, cmd.Stderr = root, os.Stderr
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if t != (target{}) {
		cmd.Env = append(cmd.Env, "GOOS="+t.system, "GOARCH="+t.processor)
	}
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("building %s: %w", t, err)
	}
	return path, nil
}

// versionOf is the version that a program says of itself.
func versionOf(program string) (string, error) {
	said, err := exec.Command(program, "--version").Output()
	if err != nil {
		return "", err
	}
	return strings.TrimSpace(strings.TrimPrefix(string(said), name+" ")), nil
}

// writeSums writes SHA256SUMS of all files beside it.
func writeSums(out string) error {
	entries, err := os.ReadDir(out)
	if err != nil {
		return err
	}
	var lines []string
	for _, e := range entries {
		sum, err := sumOf(filepath.Join(out, e.Name()))
		if err != nil {
			return err
		}
		lines = append(lines, sum+"  "+e.Name()+"\n")
	}
	slices.SortFunc(lines, func(a, b string) int { return strings.Compare(a[66:], b[66:]) })
	return os.WriteFile(filepath.Join(out, "SHA256SUMS"), []byte(strings.Join(lines, "")), 0o644)
}

func sumOf(path string) (string, error) {
	data, err := os.ReadFile(path)
	return fmt.Sprintf("%x", sha256.Sum256(data)), err
}
