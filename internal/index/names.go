package index

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/mithril-stream/mithril-stream/internal/framelog"
)

// Names of the files of an index. docs/design/format.md defines the files.
const (
	lockName        = "LOCK"
	ManifestFile    = "MANIFEST"
	newManifestName = "MANIFEST.new"
	mergedName      = "MERGED" // a hash of what was merged; without a MANIFEST the merge is incomplete
	// exists until the program that writes exits cleanly
	writingName = "WRITING"
)

func baseName(number int, series uint64) string { return fmt.Sprintf("base-%d-%d", number, series) }

func logName(series uint64) string { return fmt.Sprintf("log-%d", series) }

func undoName(series, run uint64) string { return fmt.Sprintf("undo-%d-%d", series, run) }

// parseUndoName is the inverse of undoName.
func parseUndoName(name string) (series, run uint64, ok bool) {
	first, second, _ := strings.Cut(strings.TrimPrefix(name, "undo-"), "-")
	series, err := strconv.ParseUint(first, 10, 64)
	run, failed := strconv.ParseUint(second, 10, 64)
	return series, run, err == nil && failed == nil && name == undoName(series, run)
}

// isIndexFile reports whether a name can be that of MANIFEST or of a file that it names, and
// returns the series of such a file.
func isIndexFile(name string) (series uint64, ok bool) {
	if name == ManifestFile || name == newManifestName {
		return 0, true
	}
	kind, rest, _ := strings.Cut(name, "-")
	number := uint64(1)
	if kind == "base" {
		var first string
		first, rest, _ = strings.Cut(rest, "-")
		number, _ = strconv.ParseUint(first, 10, 32)
	}
	series, err := strconv.ParseUint(rest, 10, 64)
	// Accept only the canonical form of a name.
	ok = err == nil && (name == logName(series) || name == baseName(int(number), series)) && number > 0 && series > 0
	return series, ok
}

// logForm matches the names of logs: those of an exact memory, which may be divided into windows,
// and those of the days of groups. It is compiled on first use, so that programs start fast.
var logForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(exact(-[nw]?[0-9]{1,20}(-[0-9]{1,20})?)?|day-[0-9]{1,20})$`)
})

// isLog reports whether name can be that of a section's log.
func isLog(name string) bool { return logForm().MatchString(name) }

// IsFile reports whether a file of that name, if there is one, belongs in a copy of an index.
func IsFile(name string) bool {
	_, isIndex := isIndexFile(name)
	_, _, isUndo := parseUndoName(name)
	return isIndex && name != newManifestName || isUndo || name == mergedName || isLog(name)
}

// magicOf returns the bytes that a file of that name starts with.
func magicOf(name string) []byte {
	switch {
	case strings.HasPrefix(name, "base-"):
		return framelog.Named(sealedHolds)
	case strings.HasPrefix(name, "log-"):
		return framelog.Named(commitsHold)
	}
	return []byte(framelog.Magic)
}
