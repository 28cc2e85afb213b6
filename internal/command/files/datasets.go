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

// Hugging Face datasets saves a table as a directory with Arrow files, dataset_info.json, and
// state.json, which lists the files in order. Other Arrow files there come from an earlier save, or
// are results left by map and filter. The splits of a DatasetDict are such directories, inside one
// with dataset_dict.json.
const (
	arrowExtension = ".arrow"
	datasetState   = "state.json"
	datasetInfo    = "dataset_info.json"
	datasetDict    = "dataset_dict.json"
)

// maxState is the maximum size of state.json, in bytes. It has about 50 bytes per file.
const maxState = 16 << 20

// A savedDataset describes the files in a directory, which may not be a dataset.
type savedDataset struct {
	files             []string // Arrow files, sorted by name
	hasState, hasInfo bool     // whether there is such a file
	taken             bool
}

// isOne reports whether datasets has saved these files.
func (d *savedDataset) isOne() bool { return (d.hasState || d.hasInfo) && len(d.files) > 0 }

// rowsOfDatasets removes the files of datasets that contain no rows from the files below a
// directory. Files that do not belong to a dataset stay.
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

// savedDatasets groups files by directory.
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

// filesOf returns the files with the rows of a dataset, in the order of its state.json, if any.
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

// A datasetFiles is what state.json says about the files of a dataset. Old versions may also have
// saved indices.arrow, which contains the numbers of the rows that are in the dataset.
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
