package method

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/zeebo/xxh3"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/internal/spec"
	"github.com/mithril-stream/mithril-stream/internal/store"
	"github.com/mithril-stream/mithril-stream/internal/usage"
)

// endBytes is how much of the end of a log tells it from others.
const endBytes = 64 << 10

// Merge makes the union of indexes, of Bloom filters or of exact memories. describe says what the
// commit of the union says of it.
//
// The union goes to the directory output. maxMemory bounds what exact memories take for it, in
// bytes; 0 is no limit.
func Merge(dirs []string, output string, maxMemory uint64, describe func(ExactCommit) ([]byte, error)) error {
	exact := false
	for _, dir := range dirs {
		kind, err := memoryOf(dir)
		switch {
		case err != nil:
			return err
		case kind == spec.MemoryAuto:
			return fmt.Errorf("%s is of --memory auto and cannot be merged: a part of what it has seen may be "+
				"known to filters only, which cannot name originals in the union", dir)
		}
		switch forgets, err := forgetsIn(dir); {
		case err != nil:
			return err
		case forgets && kind != spec.MemoryBloom:
			return fmt.Errorf("%s: it forgets, and nothing says which records of two indexes are the older ones: name "+
				"it with --against instead", dir)
		}
		exact = exact || kind != spec.MemoryBloom
	}
	switch {
	case !exact && maxMemory > 0:
		return usage.Error(errors.New("--max-memory is for indexes of --memory exact"))
	case !exact:
		return bloomlsh.Merge(dirs, output)
	}
	return mergeExact(dirs, output, maxMemory, describe)
}

// mergeExact writes a log of all entries, one directory after the other, and commits it. A merge
// that was broken off has committed nothing, and can be run again.
func mergeExact(
	dirs []string, output string, maxMemory uint64, describe func(ExactCommit) ([]byte, error),
) (err error) {
	stored, err := ReadStored(dirs[0], nil)
	if err == nil && maxMemory > 0 {
		err = stored.Kind.Limit(maxMemory)
	}
	if err != nil {
		return err
	}
	logs, err := openLogs(dirs, stored)
	defer func() {
		for _, l := range logs {
			err = errors.Join(err, l.file.Close())
		}
	}()
	if err != nil {
		return err
	}
	index, err := bloomlsh.Open(output, stored.Params, stored.Identity)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, index.Close()) }()
	merged, err := digestOf(logs)
	if err != nil {
		return err
	}
	if len(index.Committed().Meta) > 0 {
		if last, err := os.ReadFile(filepath.Join(output, mergedName)); err == nil && string(last) == merged {
			return nil
		}
		return fmt.Errorf("%s: there is an index already: give a new directory", output)
	}
	dir, err := dirOf(index, output)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	file, err := dir.Create(ExactCommit{}.logName())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if err := dir.Write(mergedName, []byte(merged)); err != nil {
		return err
	}
	committed, err := writeUnion(file, logs, stored.Kind, output)
	if err != nil {
		return err
	}
	meta, err := describe(committed)
	if err != nil {
		return err
	}
	return index.Commit(bloomlsh.Position{Records: committed.Records, Meta: meta})
}

// mergedName is the file that says what was merged: the same merge again changes nothing (I7).
const mergedName = "MERGED"

// digestOf tells logs from others, and from what they will be later.
func digestOf(logs []committedLog) (string, error) {
	h := xxh3.New()
	for _, l := range logs {
		fmt.Fprintf(h, "%+v\n", l.ExactCommit)
		end := io.NewSectionReader(l.file, max(0, l.Bytes-endBytes), min(l.Bytes, endBytes))
		if _, err := io.Copy(h, end); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("%x\n", h.Sum128().Bytes()), nil
}

// A committedLog is the log of a directory, as of its last commit.
type committedLog struct {
	file *os.File
	ExactCommit
}

// openLogs opens those of indexes of the same parameters.
func openLogs(dirs []string, like *storedMemory) (logs []committedLog, err error) {
	entries := uint64(0)
	for _, dir := range dirs {
		file, committed, err := openCommitted(dir, like.Params.Bands, like.Identity)
		if err != nil {
			return logs, err
		}
		entries += committed.Signatures
		logs = append(logs, committedLog{file, committed})
	}
	return logs, like.Kind.checkRoom(entries, like.Kind.entries+" of all indexes")
}

// writeUnion writes a log of what is in all logs.
func writeUnion(
	file *store.File, logs []committedLog, kind *ExactKind, dir string,
) (committed ExactCommit, err error) {
	x, err := memory.Load(kind.begin, dir, file, 0, nil)
	if err != nil {
		return committed, err
	}
	defer func() { err = errors.Join(err, x.Close()) }()
	union := unionCounts{to: x}
	defer func() { err = errors.Join(err, union.counts.Close()) }()
	for _, l := range logs {
		if err := union.absorb(l); err != nil {
			return committed, damagedExact(l.file.Name(), err)
		}
	}
	if union.counts != nil {
		if err := union.counts.Note(); err != nil {
			return committed, err
		}
	}
	committed = commitOf(x.Stats())
	if union.counts != nil {
		committed.Counted = union.counts.Selection().String()
	}
	committed.Bytes, err = x.Sync()
	return committed, err
}
