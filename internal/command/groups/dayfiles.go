package groups

import (
	"fmt"
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/memory/days"
	"github.com/mithril-stream/mithril-stream/internal/shown"
	"github.com/mithril-stream/mithril-stream/internal/written"
)

// dayFiles holds the files that the run writes.
type dayFiles struct {
	kept   dayFile // with the kept records
	merged dayFile // with the groups of earlier days that have merged; its path may be empty
	all    []string
	std    files.Streams

	stdout written.Output // the file that standard output is; zero if it is not a file
}

// A dayFile is a file that belongs to a day.
type dayFile struct {
	path  string
	start int64 // where in the file the day begins
}

// begin notes what is there before the day is written.
func (f *dayFiles) begin() (err error) {
	if f.stdout, err = files.DescribeOutput("-", f.std); err != nil {
		return err
	}
	if f.kept.start, err = f.std.StartOf(f.kept.path); err != nil {
		return err
	}
	f.merged.start, err = f.std.StartOf(f.merged.path)
	return err
}

// chooseRepeated returns the days that precede the current one. If the current day has the same
// records as an earlier one and replaces what that day kept, only the days before that one precede
// it.
func (d *groupDays) chooseRepeated(errs files.Streams) (before []days.Day, err error) {
	now, err := files.TargetOf(d.files.kept.path, d.files.std)
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

// protect refuses to overwrite what a day has kept, or its list of merged groups. Those records are
// in the index, so no other day would write them again. Only a repeated day may overwrite its own
// files. before is the number of days that precede it.
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
			for _, of := range d.files.outputsOf(day) {
				is := now.Compare(of.Output, d.place, day.Place)
				isOwn := d.repeated && i == before && path == of.path && is == files.Identical
				wasEmpty := of.IsEmpty() && (now.IsOpen || now.IsEmpty())
				if is >= files.Changed && !isOwn && !wasEmpty {
					return d.errReplaced(path, i, of, is)
				}
			}
		}
	}
	return nil
}

// errReplaced returns the error for a path that leads to a file of a day, numbered from 0.
func (d *groupDays) errReplaced(path string, day int, of dayOutput, is files.Likeness) error {
	has := of.has
	if is == files.Changed {
		has = "as far as can be known, " + of.had
	}
	dir := d.index.Path()
	return fmt.Errorf("%s is the output of day %d of %s, %s, so no other day would write them again: write to another "+
		"file, or take back the days from that one on with mithril-stream index undo --to %d %s",
		files.OutputName(path), day+1, dir, has, day, dir)
}

// A dayOutput is a file that a day has written.
type dayOutput struct {
	written.Output
	path     string // where the current day writes what corresponds to it
	has, had string // what would be lost: if the file is as it was, and if it has changed
}

// outputsOf returns the files of a day that must not be lost.
func (f dayFiles) outputsOf(day days.Day) []dayOutput {
	const list = "the only list of the groups that merged on that day"
	return []dayOutput{
		{day.Written, f.kept.path, "and the index has all of its records",
			"and the index has the records that this day kept"},
		{day.Merged, f.merged.path, list, list},
	}
}

// written describes a file of the day, once it has its name.
func (f dayFiles) written(file dayFile) (written.Output, error) {
	of, err := f.stdout, error(nil) // it is closed by now
	if file.path != "-" {
		of, err = files.DescribeOutput(file.path, f.std)
	}
	of = files.WithContents(of)
	of.Start = min(file.start, of.Bytes)
	return of, err
}
