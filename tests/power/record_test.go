package power

import (
	"bytes"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	_ "github.com/mithril-stream/mithril-stream/internal/limits"
	"github.com/mithril-stream/mithril-stream/internal/store"
	"github.com/mithril-stream/mithril-stream/internal/storetest"
)

const (
	program = "mithril-stream"
	// failing is the program one of whose operations fails: that with the number that failAt names.
	failing = "mithril-stream-failing"
	failAt  = "MITHRIL_TEST_FAIL"
	// recorded is the program that writes each of its operations to the file that is named by
	// recordTo.
	recorded = "mithril-stream-recorded"
	recordTo = "MITHRIL_TEST_RECORD"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){program: start, recorded: record, failing: fail})
}

// fail runs the program on a disk that is full for one operation.
func fail() {
	at, err := strconv.ParseInt(os.Getenv(failAt), 10, 64)
	if err != nil {
		panic(err)
	}
	var count atomic.Int64
	store.Watch(store.Watcher{Before: func(o store.Operation) error {
		if count.Add(1) == at {
			return &fs.PathError{Op: string(o.Kind), Path: o.Path, Err: syscall.ENOSPC}
		}
		return nil
	}})
	start()
}

// record runs the program and writes down what it does to files.
func record() {
	file, err := os.Create(os.Getenv(recordTo))
	if err != nil {
		panic(err)
	}
	var one sync.Mutex // an operation is told of at a time
	to := gob.NewEncoder(file)
	store.Watch(store.Watcher{After: func(o store.Operation) {
		one.Lock()
		defer one.Unlock()
		if err := to.Encode(o); err != nil {
			panic(err)
		}
	}})
	start()
}

// An operation is one that the program has done. It ends at that offset of the record.
type operation struct {
	store.Operation
	end int64
}

// recordOf is the file in which the operations of a program that runs in a folder are recorded.
func recordOf(dir string) string { return filepath.Join(filepath.Dir(dir), "operations") }

// operations runs the program in a folder and returns what it has done to files below that, with
// paths relative to it.
func operations(dir string, args []string) (list []operation, err error) {
	to := recordOf(dir)
	cmd := exec.Command(recorded, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), recordTo+"="+to)
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%v: %w\n%s", args, err, out)
	}
	data, err := os.ReadFile(to)
	if err != nil {
		return nil, err
	}
	reader := bytes.NewReader(data) // a ByteReader, so that gob reads no more than it needs
	from := gob.NewDecoder(reader)
	for {
		var o operation
		if err := from.Decode(&o.Operation); errors.Is(err, io.EOF) {
			return list, nil
		} else if err != nil {
			return nil, err
		}
		o.end = reader.Size() - int64(reader.Len())
		o.Path, o.To = storetest.Below(dir, o.Path), storetest.Below(dir, o.To)
		if !strings.HasPrefix(o.Path, "..") && !strings.HasPrefix(o.Path, "/") {
			list = append(list, o)
		}
	}
}

// run runs the program in a folder.
func run(dir string, args []string) (said string, err error) {
	cmd := exec.Command(program, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	return string(out), err
}
