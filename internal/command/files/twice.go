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

// ReadTwice returns streams and inputs that can be read more than once, while what is to be written
// is. What comes from standard input is kept in a file in dir, and called stdin all the same; done
// gives that file back. Other inputs that are no files are refused.
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
			return s, nil, done, usage.Error(fmt.Errorf("%s is not a file, and must be read twice: give it on "+
				"standard input, which is kept for that", InputName(path)))
		}
	}
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

// keep copies a stream to a file, which has a name of its own only where it could not be opened
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
