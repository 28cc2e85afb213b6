package cmdline

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/alecthomas/kong"

	"github.com/mithril-stream/mithril-stream/internal/shown"
)

// Limits on a list and on each name in it, in bytes.
const maxList, maxName = 256 << 20, 64 << 10

// ReadFileList adds the names listed in --files-from to those on the command line, for every
// command that has the flag. Since the list may provide all names, the grammar makes the arguments
// of these commands optional; ReadFileList rejects a command line that needs names and has neither.
func ReadFileList(ctx *kong.Context) error {
	at := slices.IndexFunc(ctx.Selected().Flags, func(f *kong.Flag) bool { return f.Name == "files-from" })
	if at < 0 {
		return nil
	}
	named := listedValue(ctx.Selected())
	inputs := named.Target.Addr().Interface().(*[]string)
	if list := ctx.Selected().Flags[at].Target.String(); list != "" {
		names, err := readList(list)
		if err != nil {
			return fmt.Errorf("--files-from %s: %w", shown.Text(list), err)
		}
		if list == "-" && slices.Contains(append(*inputs, names...), "-") {
			return errors.New("--files-from - reads names from standard input, so - cannot be among them")
		}
		*inputs = append(*inputs, names...)
	}
	if needs := named.Tag.Get("needs"); needs != "" && len(*inputs) == 0 {
		return errors.New(needs)
	}
	return nil
}

// listedValue returns what the names of a list are added to: the arguments of a command, or a flag
// that replaces them.
func listedValue(command *kong.Node) *kong.Value {
	if len(command.Positional) > 0 {
		return command.Positional[0]
	}
	isListed := func(f *kong.Flag) bool { return f.Tag.Has("listed") }
	at := slices.IndexFunc(command.Flags, isListed)
	return command.Flags[at].Value
}

// readList reads the names in a list. It returns an error if there are none.
func readList(list string) ([]string, error) {
	from := os.Stdin
	if list != "-" {
		f, err := os.Open(list)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		from = f
	}
	text, err := io.ReadAll(io.LimitReader(from, maxList+1))
	switch {
	case err != nil:
		return nil, err
	case len(text) > maxList:
		return nil, fmt.Errorf("the list is longer than %d MiB: give directories or patterns", maxList>>20)
	}
	return listed(text)
}

// listed splits a text into names, ignoring empty ones.
func listed(text []byte) ([]string, error) {
	end := []byte("\n")
	if bytes.IndexByte(text, 0) >= 0 {
		end = []byte{0}
	}
	var names []string
	number := 0
	for name := range bytes.SplitSeq(text, end) {
		number++
		switch {
		case len(name) > maxName:
			return nil, fmt.Errorf("name %d has %d bytes: this is no list of names", number, len(name))
		case len(name) > 0:
			names = append(names, string(name))
		}
	}
	if names == nil {
		return nil, errors.New("the list names nothing")
	}
	return names, nil
}

// CopyInputs copies the arguments of a command to the same command parsed again, since a list of
// files may be readable only once.
func CopyInputs(to, from *kong.Context) {
	if names := listedValue(from.Selected()); names != nil {
		listedValue(to.Selected()).Target.Set(names.Target)
	}
}
