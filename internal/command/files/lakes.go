package files

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Directories of tables whose log says which of their files are current: some of the others were
// deleted, or replaced by newer ones, and must not be read.
var tableLogs = []struct{ entry, within, table, todo string }{
	{"_delta_log", "", "a Delta table", "deltalake or Spark"},
	{".hoodie", "", "a Hudi table", "Spark"},
	{"metadata", ".metadata.json", "an Iceberg table", "pyiceberg or Spark"},
}

// refuseTable returns an error for a directory that is such a table, judging by its entries.
func refuseTable(dir string, entries []os.DirEntry) error {
	for _, entry := range entries {
		for _, log := range tableLogs {
			if entry.Name() != log.entry || log.within != "" && !hasFile(filepath.Join(dir, log.entry), log.within) {
				continue
			}
			return fmt.Errorf("%s is %s: its log in %s says which of its files are current, and that is not read: "+
				"export it, as by %s, or name its files", dir, log.table, log.entry, log.todo)
		}
	}
	return nil
}

// hasFile reports whether a directory has a file whose name ends so.
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

// PathColumns are the names that directories of inputs give to columns, as in lang=de/part.parquet,
// in the order in which they are met. Data frameworks add such columns to the rows.
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
