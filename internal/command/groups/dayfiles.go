package groups

import (
	"fmt"
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/memory/days"
	"github.com/mithril-stream/mithril-stream/internal/shown"
	"github.com/mithril-stream/mithril-stream/internal/written"
)

// dayFiles holds the paths of the files that the run writes.
type dayFiles struct {
	kept string // with the kept records
	all  []string
	std  files.Streams

	stdout written.Output // the file that standard output is; zero if it is not a file
	start  int64          // where in the file of kept records the day begins
}

// chooseRepeated returns the days that precede the current one. If the current day has the same
// records as an earlier one and replaces what that day kept, only the days before that one precede
// it.
func (d *groupDays) chooseRepeated(errs files.Streams) (before []days.Day, err error) {
	now, err := files.TargetOf(d.files.kept, d.files.std)
	if err != nil {
		return nil, err
	}
	content, known := d.content.Sum64(), 0
	for i, day := range slices.Backward(d.committed) {
		if day.Content != content || day.Records != d.today.Records() || day.Records == 0 {
			continue
		}
		if known = i + 1; now.Compare(day.Written, d.place, day.Place) != files.Unrelated {
			d.repeated = true
			return d.committed[:i], nil
		}
	}
	if known > 0 {
		shown.Notice(errs.Err, "%s has these records as those of day %d, whose output is not replaced: "+
			"only what is new is kept", d.index.Path(), known)
	}
	return d.committed, nil
}

// protect refuses to overwrite what a day has kept. Those records are in the index, so no other day
// would write them again. Only a repeated day may overwrite what it kept. before is the number of
// days that precede it.
func (d *groupDays) protect(before int) error {
	for _, path := range d.files.all {
		now, err := files.TargetOf(path, d.files.std)
		if err != nil {
			return err
		}
		if !now.IsThere {
			continue
		}
		for i, day := range slices.Backward(d.committed) {
			is := now.Compare(day.Written, d.place, day.Place)
			isOwn := d.repeated && i == before && path == d.files.kept && is == files.Identical
			if is < files.Changed || isOwn || day.Written.IsEmpty() {
				continue
			}
			has := "and all that it has"
			if is == files.Changed {
				has = "as far as can be known, and what that day kept"
			}
			dir := d.index.Path()
			return fmt.Errorf("%s is the output of day %d of %s, %s is in the index, so that no "+
				"other day would write it again: write to another file, or take the days from that one on back by "+
				"mithril-stream index undo --to %d %s", files.OutputName(path), i+1, dir, has, i, dir)
		}
	}
	return nil
}

// written describes the file of kept records, once it has its name.
func (f dayFiles) written() (written.Output, error) {
	of, err := f.stdout, error(nil) // it is closed by now
	if f.kept != "-" {
		of, err = files.DescribeOutput(f.kept, f.std)
	}
	of = files.WithContents(of)
	of.Start = min(f.start, of.Bytes)
	return of, err
}
