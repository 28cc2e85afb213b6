package index

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/zeebo/xxh3"

	"github.com/mithril-stream/mithril-stream/internal/framelog"
	"github.com/mithril-stream/mithril-stream/internal/parameter"
	"github.com/mithril-stream/mithril-stream/internal/store"
)

// formatVersion is the version of the format of an index.
const formatVersion = framelog.Version

const (
	manifestOpening = "mithril-stream index\n"
	maxManifest     = 1 << 20
)

// A manifest names the files that make up the index.
type manifest struct {
	parameters []Parameter
	bases      []SealedName // sealed files, numbered without gaps
	log        string
	logLength  int64 // the log was committed at least up to here
	undone     undone
}

// An undone says how many runs the last undo took back, and how long the log was then. It no longer
// applies once something is committed.
type undone struct {
	length int64
	runs   int // 0 if there was no undo
}

// A SealedName names a sealed file and the seal it must have.
type SealedName struct {
	name string
	seal uint64
}

// firstBase returns the number of the first sealed file, or 1 if there is none.
func (m *manifest) firstBase() int {
	if len(m.bases) == 0 {
		return 1
	}
	number, _, _ := strings.Cut(strings.TrimPrefix(m.bases[0].name, "base-"), "-")
	first, _ := strconv.Atoi(number) // baseName has this form
	return first
}

func (m *manifest) encode() []byte {
	var text bytes.Buffer
	text.WriteString(manifestOpening)
	fmt.Fprintf(&text, "version\t%d\n", formatVersion)
	text.Write(encodeParameters(m.parameters))
	for _, base := range m.bases {
		fmt.Fprintf(&text, "base\t%s\t%016x\n", base.name, base.seal)
	}
	fmt.Fprintf(&text, "log\t%s\t%d\n", m.log, m.logLength)
	if m.undone.runs > 0 {
		fmt.Fprintf(&text, "undone\t%d\t%d\n", m.undone.runs, m.undone.length)
	}
	fmt.Fprintf(&text, "checksum\t%016x\n", xxh3.Hash(text.Bytes()))
	return text.Bytes()
}

// decodeManifest is the inverse of encode. It accepts only what encode writes.
func decodeManifest(text []byte) (*manifest, error) {
	rest, ok := strings.CutPrefix(string(text), manifestOpening)
	if !ok {
		return nil, errors.New("it does not begin as a manifest")
	}
	line, rest, _ := strings.Cut(rest, "\n")
	version, ok := strings.CutPrefix(line, "version\t")
	if !ok {
		return nil, errors.New("it has no version")
	}
	if version != strconv.Itoa(formatVersion) {
		return nil, otherVersion(version)
	}
	end := strings.LastIndex(rest, "checksum\t")
	if end < 0 || rest[end:] != fmt.Sprintf("checksum\t%016x\n", xxh3.Hash(text[:len(text)-len(rest)+end])) {
		return nil, errors.New("its checksum is wrong")
	}
	m := &manifest{}
	for line := range strings.Lines(rest[:end]) {
		if err := m.decodeLine(strings.TrimSuffix(line, "\n")); err != nil {
			return nil, fmt.Errorf("the line %q: %w", line, err)
		}
	}
	if err := parameter.CheckNames(m.parameters); err != nil {
		return nil, err
	}
	if !bytes.Equal(m.encode(), text) {
		return nil, errors.New("its lines are not in their form or order")
	}
	return m, nil
}

// otherVersion returns the error for a file of another version of the format.
func otherVersion(version string) error {
	if n, err := strconv.ParseUint(version, 10, 64); err == nil && n < formatVersion {
		return fmt.Errorf("%w: it is %s, which this program no longer reads (it writes %d): build the index again, or "+
			"use the program that wrote it", ErrVersion, version, formatVersion)
	}
	return fmt.Errorf("%w: it is %q, this program knows %d: use a newer program", ErrVersion, version, formatVersion)
}

func (m *manifest) decodeLine(line string) error {
	if p, ok, err := parameter.ParseLine(line); ok {
		m.parameters = append(m.parameters, p)
		return err
	}
	fields := strings.Split(line, "\t")
	if len(fields) != 3 {
		return fmt.Errorf("%w: it has not 3 fields: use a newer program", ErrVersion)
	}
	first, second := fields[1], fields[2]
	var err error
	switch fields[0] {
	case "base":
		var seal uint64
		seal, err = strconv.ParseUint(second, 16, 64)
		m.bases = append(m.bases, SealedName{first, seal})
	case "log":
		m.log = first
		m.logLength, err = strconv.ParseInt(second, 10, 64)
	case "undone":
		var failed error
		m.undone.runs, failed = strconv.Atoi(first)
		m.undone.length, err = strconv.ParseInt(second, 10, 64)
		err = errors.Join(failed, err)
	default:
		err = fmt.Errorf("%w: it is of no known kind: use a newer program", ErrVersion)
	}
	return err
}

// readManifest returns ErrNoIndex if the manifest does not exist.
func readManifest(files *store.Dir) (*manifest, error) {
	m, err := readManifestAt(files, ManifestFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w", files.Path(), ErrNoIndex)
	}
	return m, err
}

// readManifestAt reads MANIFEST or a copy of it.
func readManifestAt(files *store.Dir, name string) (*manifest, error) {
	path := filepath.Join(files.Path(), name)
	text, err := readSmall(files, name)
	if err != nil {
		return nil, err
	}
	m, err := decodeManifest(text)
	switch {
	case errors.Is(err, ErrVersion):
		return nil, fmt.Errorf("%s: %w", path, err)
	case err != nil:
		return nil, Corrupt(path, "%v", err)
	}
	// The names are joined to the directory, so they must not lead out of it.
	for _, name := range m.names() {
		if _, ok := isIndexFile(name); !ok {
			return nil, Corrupt(path, "%q is not the name of an index file", name)
		}
	}
	return m, nil
}

// names returns the names of the base files and of the log.
func (m *manifest) names() []string { return append(m.baseNames(), m.log) }

func (m *manifest) baseNames() []string {
	names := make([]string, len(m.bases))
	for i, base := range m.bases {
		names[i] = base.name
	}
	return names
}

func readSmall(files *store.Dir, name string) ([]byte, error) {
	f, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	size, err := f.Size()
	if err != nil {
		return nil, err
	}
	if size > maxManifest {
		return nil, Corrupt(filepath.Join(files.Path(), name), "it is %d bytes long, at most %d are possible", size,
			maxManifest)
	}
	text := make([]byte, size)
	if _, err := f.ReadAt(text, 0); err != nil && err != io.EOF {
		return nil, err
	}
	return text, nil
}

// readManifestIn is like readManifest for a directory that is not open.
func readManifestIn(dir string) (*manifest, error) {
	files, err := openDir(dir)
	if err != nil {
		return nil, err
	}
	m, err := readManifest(files)
	return m, errors.Join(err, files.Close())
}

// replaceManifest atomically and durably replaces the index's MANIFEST. All files that the new one
// names must have been flushed.
func replaceManifest(files *store.Dir, m *manifest) error {
	// The names of these files must be durable before the manifest is.
	if err := files.Sync(); err != nil {
		return err
	}
	return files.Replace(ManifestFile, m.encode())
}
