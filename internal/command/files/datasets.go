package files

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
)

// Hugging Face datasets saves a table as a directory: Arrow files, dataset_info.json, and
// state.json, which names the files and their order. Other Arrow files there are of an
// earlier save, or results that map and filter have left. The splits of a DatasetDict are such
// directories, below one with dataset_dict.json.
const (
	arrowExtension = ".arrow"
	datasetState   = "state.json"
	datasetInfo    = "dataset_info.json"
	datasetDict    = "dataset_dict.json"
)

// maxState bounds state.json, in bytes. It has some 50 for a file.
const maxState = 16 << 20

// A savedDataset is the contents of a directory, which may not be a dataset.
type savedDataset struct {
	files             []string // Arrow files, in the order of their names
	hasState, hasInfo bool     // there is such a file
	taken             bool
}

// isOne reports whether these are files that datasets has saved.
func (d *savedDataset) isOne() bool { return (d.hasState || d.hasInfo) && len(d.files) > 0 }

// rowsOfDatasets leaves out of the files below a directory those of datasets that hold no rows.
// What is no dataset stays as it is.
func (s Streams) rowsOfDatasets(found []string) ([]string, error) {
	saved := savedDatasets(found)
	dicts := map[string]bool{} // directories above datasets
	for dir, d := range saved {
		if d.isOne() {
			above, _ := filepath.Split(strings.TrimRight(dir, `/\`))
			dicts[above] = true
		}
	}
	if len(dicts) == 0 {
		return found, nil
	}
	var rows []string
	for _, path := range found {
		dir, name := filepath.Split(path)
		d := saved[dir]
		switch {
		case name == datasetDict && dicts[dir]:
		case !d.isOne() || !isOfDataset(name):
			rows = append(rows, path)
		case !d.taken:
			files, err := s.filesOf(dir, d)
			if err != nil {
				return nil, err
			}
			rows = append(rows, files...)
			d.taken = true
		}
	}
	return rows, nil
}

// isOfDataset reports whether datasets may have given a file this name.
func isOfDataset(name string) bool {
	return name == datasetState || name == datasetInfo || filepath.Ext(name) == arrowExtension
}

// savedDatasets sorts files by their directories.
func savedDatasets(found []string) map[string]*savedDataset {
	saved := map[string]*savedDataset{}
	for _, path := range found {
		dir, name := filepath.Split(path)
		d := saved[dir]
		if d == nil {
			d = &savedDataset{}
			saved[dir] = d
		}
		switch {
		case name == datasetState:
			d.hasState = true
		case name == datasetInfo:
			d.hasInfo = true
		case filepath.Ext(name) == arrowExtension:
			d.files = append(d.files, path)
		}
	}
	return saved
}

// filesOf returns the files with the rows of a dataset, as its state.json orders them.
func (s Streams) filesOf(dir string, d *savedDataset) ([]string, error) {
	if !d.hasState {
		return d.files, nil
	}
	path := dir + datasetState
	state, err := s.readState(path)
	if err != nil {
		return nil, fmt.Errorf("%s, which says which arrow files beside it are the dataset: %w; name the files instead",
			path, err)
	}
	if len(state.Indices) > 0 {
		return nil, fmt.Errorf("%s: an indices mapping, %s, says which rows are in the dataset, and is not read: "+
			"in Python, call flatten_indices() on it, and save it again", path, state.Indices[0].Name)
	}
	var files []string
	for _, file := range state.Data {
		if _, isThere := slices.BinarySearch(d.files, dir+file.Name); !isThere {
			return nil, fmt.Errorf("%s names the file %q, which is not beside it: copy the whole directory, or name "+
				"files", path, file.Name)
		}
		files = append(files, dir+file.Name)
	}
	return files, nil
}

// A datasetFiles is what state.json says of the files of a dataset. Old versions may have saved
// indices.arrow too: the numbers of the rows that are in the dataset.
type datasetFiles struct {
	Data    []datasetFile `json:"_data_files"`
	Indices []datasetFile `json:"_indices_data_files"`
}

type datasetFile struct {
	Name string `json:"filename"`
}

func (s Streams) readState(path string) (state datasetFiles, err error) {
	in, err := s.OpenRaw(path)
	if err != nil {
		return state, err
	}
	defer in.Close()
	data, err := io.ReadAll(io.LimitReader(in, maxState+1))
	switch {
	case err != nil:
		return state, err
	case len(data) > maxState:
		return state, fmt.Errorf("it has more than %d MiB", maxState>>20)
	}
	if err = json.Unmarshal(data, &state); err == nil && len(state.Data) == 0 {
		err = errors.New("it names no files")
	}
	return state, err
}
