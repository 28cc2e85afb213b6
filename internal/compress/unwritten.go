package compress

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// What names of outputs are refused for, since a reader would take the file for something else, and
// what to do instead.
const (
	otherCompression = "of compressions, gzip and zstd are written: name it .gz or .zst"
	anArchive        = "archives are not written: name it .gz or .zst, or use --output-dir for several files"
	aTable           = "this format is not written: name it .jsonl, .csv, .parquet or .arrow"
)

var unwritten = map[string][]string{
	otherCompression: {
		".zstd", ".gzip", ".lz4", ".br", ".brotli", ".lz", ".lzma", ".lzo", ".z", ".sz", ".snappy", ".bz", ".bzip2",
		".zlib",
	},
	anArchive: {".tar", ".tgz", ".tzst", ".tbz", ".tbz2", ".txz", ".zip", ".7z", ".rar"},
	aTable: {
		".xlsx", ".xls", ".ods", ".orc", ".avro", ".sqlite", ".sqlite3", ".db", ".duckdb", ".h5", ".hdf5", ".pkl",
		".npy", ".npz", ".rds", ".sas7bdat", ".dta", ".msgpack", ".bson", ".tfrecord", ".lance", ".pdf",
	},
}

// checkWritten refuses a name that says a format which is not written.
func checkWritten(path string) error {
	ending := strings.ToLower(filepath.Ext(path))
	for advice, endings := range unwritten {
		if ending != "" && slices.Contains(endings, ending) {
			return fmt.Errorf("%s would not be %s, as its name says: %s", path, ending, advice)
		}
	}
	return nil
}
