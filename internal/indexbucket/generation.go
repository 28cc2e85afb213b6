package indexbucket

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/zeebo/xxh3"

	"github.com/mithril-stream/mithril-stream/internal/index"
)

const (
	currentName    = "CURRENT"
	currentOpening = "mithril-stream index in a bucket\n"
	formatVersion  = "version\t1\n"
	maxCurrent     = 16 << 20
)

// A generation is the state of an index at the end of a run.
type generation struct {
	number uint64 // from 1; 0 means none
	files  []file // in the order of names
}

// A file is a file of a generation. Generations share the objects of equal files.
type file struct {
	name   string // in the directory of the index
	length int64
	sum    uint64 // xxh3
	key    string // of the object, below the prefix
}

// runForm matches the files of the journal.
var runForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^runs/[0-9]+\.(json|verdicts|pieces)$`)
})

// isStored reports whether a file of that name belongs to an index. Others, such as its lock, are
// not stored in the bucket.
func isStored(name string) bool { return index.IsFile(name) || runForm().MatchString(name) }

// folderForm matches the prefixes of a run's objects: the number of its generation, and its token,
// so that two runs never write the same object.
var folderForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([0-9]+)-[0-9a-f]{16}$`) })

// isSame reports whether two generations have the same files.
func (g generation) isSame(other generation) bool {
	return slices.EqualFunc(g.files, other.files, func(a, b file) bool {
		return a.name == b.name && a.length == b.length && a.sum == b.sum
	})
}

// find returns the file with a name.
func (g generation) find(name string) (f file, ok bool) {
	i, ok := slices.BinarySearchFunc(g.files, name, func(f file, name string) int { return cmp.Compare(f.name, name) })
	if ok {
		f = g.files[i]
	}
	return f, ok
}

func (g generation) encode() []byte {
	var text bytes.Buffer
	text.WriteString(currentOpening + formatVersion)
	fmt.Fprintf(&text, "generation\t%d\n", g.number)
	for _, f := range g.files {
		fmt.Fprintf(&text, "file\t%s\t%d\t%016x\t%s\n", f.name, f.length, f.sum, f.key)
	}
	fmt.Fprintf(&text, "checksum\t%016x\n", xxh3.Hash(text.Bytes()))
	return text.Bytes()
}

// decodeGeneration is the inverse of encode. It accepts only what encode writes.
func decodeGeneration(text []byte) (g generation, err error) {
	rest, ok := strings.CutPrefix(string(text), currentOpening)
	if !ok {
		return g, errors.New("it does not begin as the list of the files of an index")
	}
	if rest, ok = strings.CutPrefix(rest, formatVersion); !ok {
		return g, errors.New("it has another version than 1: use a newer program")
	}
	line, rest, _ := strings.Cut(rest, "\n")
	g.number, err = strconv.ParseUint(strings.TrimPrefix(line, "generation\t"), 10, 63)
	if err != nil || g.number == 0 {
		return g, fmt.Errorf("the line %q does not name a generation", line)
	}
	end := strings.LastIndex(rest, "checksum\t")
	for line := range strings.Lines(rest[:max(end, 0)]) {
		f, err := decodeFile(strings.TrimSuffix(line, "\n"))
		if err != nil {
			return g, fmt.Errorf("the line %q: %w", line, err)
		}
		if n := len(g.files); n > 0 && g.files[n-1].name >= f.name {
			return g, fmt.Errorf("the line %q is out of order", line)
		}
		g.files = append(g.files, f)
	}
	if !bytes.Equal(g.encode(), text) {
		return g, errors.New("its checksum is wrong, or its lines are not in their form")
	}
	return g, nil
}

func decodeFile(line string) (f file, err error) {
	fields := strings.Split(line, "\t")
	if len(fields) != 5 || fields[0] != "file" {
		return f, errors.New("it is not that of a file")
	}
	f.name, f.key = fields[1], fields[4]
	folder, name, _ := strings.Cut(f.key, "/")
	if !isStored(f.name) || name != f.name || !folderForm().MatchString(folder) {
		return f, errors.New("an index has no such file")
	}
	if f.length, err = strconv.ParseInt(fields[2], 10, 64); err != nil || f.length < 0 {
		return f, errors.New("it has no length")
	}
	if f.sum, err = strconv.ParseUint(fields[3], 16, 64); err != nil {
		return f, errors.New("it has no checksum")
	}
	return f, nil
}

// folderNumber returns the generation that an object was written for; ok is false for foreign
// objects.
func folderNumber(key string) (number uint64, ok bool) {
	folder, name, _ := strings.Cut(key, "/")
	m := folderForm().FindStringSubmatch(folder)
	if m == nil || !isStored(name) {
		return 0, false
	}
	number, err := strconv.ParseUint(m[1], 10, 63)
	return number, err == nil
}
