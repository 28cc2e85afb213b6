package command

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/compress"
	"github.com/mithril-stream/mithril-stream/internal/units"
)

// mostOfCountLine limits the length of a line, in bytes: two names and the counts of a group.
const mostOfCountLine = 64 << 20

// eachCountLine calls take for each line that --counts has written, except empty ones. Files of
// several days may be concatenated.
func eachCountLine(
	ctx context.Context, path string, maxWindow int64, std files.Streams, take func(line []byte) error,
) error {
	src, err := files.OpenStoppable(ctx, path, std)
	if err != nil {
		return err
	}
	defer src.Close()
	plain, err := compress.NewReader(src, path, maxWindow)
	if err != nil {
		return err
	}
	defer plain.Close()
	return scanCountLines(path, plain, take)
}

func scanCountLines(path string, src io.Reader, take func(line []byte) error) error {
	lines, number := bufio.NewScanner(src), 1
	lines.Buffer(nil, mostOfCountLine)
	for ; lines.Scan(); number++ {
		if len(lines.Bytes()) == 0 {
			continue
		}
		if err := take(lines.Bytes()); err != nil {
			return fmt.Errorf("%s:%d: %w", path, number, err)
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return fmt.Errorf("%s:%d: the line has more than %s", path, number, units.Bytes(mostOfCountLine))
	}
	if lines.Err() != nil {
		return fmt.Errorf("read %s: %w", path, lines.Err())
	}
	return nil
}
