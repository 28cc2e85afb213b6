package files

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// tableLogs lists kinds of tables with a log that says which of their files are current. Some of
// the other files were deleted or replaced by newer ones, and must not be read.
var tableLogs = []struct{ entry, within, table, todo string }{
	{"_delta_log", "", "a Delta table", "deltalake or Spark"},
	{".hoodie", "", "a Hudi table", "Spark"},
	{"metadata", ".metadata.json", "an Iceberg table", "pyiceberg or Spark"},
}

// refuseTable returns an error if a directory is such a table, judging by its entries.
func refuseTable(dir string, entries []os.DirEntry) error {
	for _, entry := range entries {
		for _, log := range tableLogs {
			if entry.Name() != log.entry || log.within != "" && !hasFile(filepath.Join(dir, log.entry), log.within) {
				continue
			}
			return fmt.Errorf("%s is %s: its log in %s says which of its files are current, and this program does not "+
				"read such logs: export it, as by %s, or name its files", dir, log.table, log.entry, log.todo)
		}
	}
	return nil
}

// hasFile reports whether a directory contains a file whose name has the given ending.
func hasFile(dir, ending string) bool {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false
	}
	for _, entry := range entries {
		if strings.HasSuffix(entry.Name(), ending) {
			return true
		}
	}
	return false
}

// PathColumns returns the names of columns in the directory names of inputs, as in
// lang=de/part.parquet, in the order of their first appearance. Data frameworks add such columns to
// the rows.
func PathColumns(paths []string) (names []string) {
	for _, path := range paths {
		parts := strings.Split(filepath.ToSlash(filepath.Dir(path)), "/")
		for _, part := range parts {
			if name, _, is := strings.Cut(part, "="); is && name != "" {
				names = addNew(names, []string{name})
			}
		}
	}
	return names
}
