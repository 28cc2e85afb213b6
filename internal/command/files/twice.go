package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/private"
	"github.com/mithril-stream/mithril-stream/internal/usage"
)

// ReadTwice returns streams and inputs that can be read more than once, even while the outputs are
// written. Standard input is copied to a file in dir, but still called stdin; done removes that
// file. Other inputs must be regular files, and are noted (see Streams.See).
func ReadTwice(ctx context.Context, s Streams, inputs, written []string, dir string, quiet bool) (
	kept Streams, files []string, done func() error, err error,
) {
	done = func() error { return nil }
	if files, err = s.Paths(inputs); err != nil {
		return s, nil, done, err
	}
	if err := RefuseToMix(files, written, s); err != nil {
		return s, nil, done, err
	}
	for _, path := range files {
		if info, err := os.Stat(path); path != "-" && err == nil && !info.Mode().IsRegular() {
			return s, nil, done, usage.Error(fmt.Errorf("%s is not a regular file, but must be read twice: give it on "+
				"standard input, of which a copy is kept", InputName(path)))
		}
	}
	s.See(files)
	at := slices.Index(inputs, "-")
	if at < 0 {
		return s, inputs, done, nil
	}
	AnnounceTerminal(files, s, quiet)
	if s.kept, done, err = keep(StopWith(ctx, s.In), dir); err != nil {
		return s, nil, done, err
	}
	files = slices.Clone(inputs)
	files[at] = s.kept
	return s, files, done, nil
}

// keep copies a stream to a file. The file has a name only on systems where it could not be opened
// again without one.
func keep(in io.Reader, dir string) (path string, done func() error, err error) {
	file, err := private.Temporary(dir, "mithril-stream-*")
	if err != nil {
		return "", func() error { return nil }, err
	}
	path = file.Name()
	done = func() error { return errors.Join(file.Close(), os.Remove(path)) }
	if runtime.GOOS == "linux" {
		done = file.Close
		err = os.Remove(path)
		path = fmt.Sprintf("/dev/fd/%d", file.Fd())
	}
	if err == nil {
		_, err = io.Copy(file, in)
	}
	if err != nil {
		err = errors.Join(fmt.Errorf("copy stdin to %s: %w", file.Name(), err), done())
		return "", func() error { return nil }, err
	}
	return path, done, nil
}
