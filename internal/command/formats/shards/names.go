package shards

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/compress"
	"github.com/mithril-stream/mithril-stream/internal/layout"
	"github.com/mithril-stream/mithril-stream/internal/object"
)

// defaultName returns what files are called if the user does not say.
func (s *Files) defaultName(format string) string {
	ending, compressed := layout.Ending(format), s.of.Compress.Format
	if layout.IsArchive(format) {
		var packed bool
		if ending, packed = archiveEnding(format, s.of.Paths); packed && compressed == "" {
			compressed = "gzip"
		}
	}
	ending += map[string]string{"gzip": ".gz", "zstd": ".zst"}[compressed]
	switch {
	case !s.ByInput():
		return "part-" + layout.NumberPart + ending
	case s.of.Records.To != "" || s.of.Compress.Format != "" || slices.ContainsFunc(s.of.Paths, s.losesEnding):
		return layout.NameOfStem + ending
	}
	return layout.NameOfInput
}

// losesEnding reports whether the output for an input cannot have the input's name, since that
// would mean a compression that can only be read, or a column file that is compressed as a whole.
func (s *Files) losesEnding(path string) bool {
	method, err := compress.ByName(object.Name(path))
	return err != nil || method.Format != "" && layout.IsColumnar(s.of.Records.Name)
}

// archiveEnding returns how the names of web archives end, such as .warc.wet, if all end the same
// way. packed reports whether the first of them is gzip by its name.
func archiveEnding(format string, paths []string) (ending string, packed bool) {
	endingOf := func(path string) string {
		name := compress.TrimSuffix(filepath.Base(object.Name(path)))
		return name[len(stemOf(name)):]
	}
	ending = endingOf(paths[0])
	if ending == "" || slices.ContainsFunc(paths, func(path string) bool { return endingOf(path) != ending }) {
		ending = layout.Ending(format)
	}
	method, err := compress.ByName(object.Name(paths[0]))
	return ending, err == nil && method.Format == "gzip"
}

// stemOf returns a name without endings such as .jsonl.gz or .warc.wet.gz.
func stemOf(name string) string {
	stem := compress.TrimSuffix(name)
	format := layout.ByPath(stem)
	if format == "" {
		return stem
	}
	stem = strings.TrimSuffix(stem, filepath.Ext(stem))
	if layout.IsArchive(format) {
		stem = strings.TrimSuffix(stem, ".warc")
	}
	return stem
}

// nameInputs names inputs by their paths below the directories that all of them share.
func (s *Files) nameInputs(paths []string) error {
	var parts [][]string
	for _, path := range paths {
		if path == "-" {
			path = "stdin." + s.of.Records.Name
		} else if _, rest, ok := strings.Cut(object.Name(path), "://"); ok {
			path = rest
		} else {
			path = s.of.Std.WithoutArchive(path)
		}
		parts = append(parts, strings.Split(filepath.ToSlash(filepath.Clean(path)), "/"))
	}
	common := 0
	for ; ; common++ {
		if slices.ContainsFunc(parts, func(p []string) bool {
			return len(p) <= common+1 || p[common] != parts[0][common]
		}) {
			break
		}
	}
	for i, p := range parts {
		rest := slices.DeleteFunc(slices.Clone(p[common:]), func(part string) bool { return part == "" })
		name := filepath.Join(rest...)
		if !filepath.IsLocal(name) {
			return fmt.Errorf("%s leads out of --output-dir: give the inputs by paths without ../ in them",
				files.InputName(paths[i]))
		}
		s.inputs = append(s.inputs, name)
	}
	return nil
}

// Path returns the path of the file with a number, from 0.
func (s *Files) Path(number int) string {
	input, stem := "", ""
	if s.ByInput() {
		input = s.inputs[number]
		stem = stemOf(input)
	}
	name := strings.NewReplacer(layout.NameOfInput, input, layout.NameOfStem, stem,
		layout.NumberPart, fmt.Sprintf("%05d", number)).Replace(s.Name)
	if object.IsRemote(s.OutputDir) {
		return strings.TrimSuffix(s.OutputDir, "/") + "/" + filepath.ToSlash(name)
	}
	return filepath.Join(s.OutputDir, name)
}
