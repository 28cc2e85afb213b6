package groups

import (
	"fmt"
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/memory/days"
	"github.com/mithril-stream/mithril-stream/internal/shown"
	"github.com/mithril-stream/mithril-stream/internal/written"
)

// dayFiles are the paths of files that the run writes.
type dayFiles struct {
	kept string // with the kept records
	all  []string
	std  files.Streams

	stdout written.Output // the file that standard output is; zero if it is none
	start  int64          // where in the file of kept records the day begins
}

// chooseRepeated returns the days that come before the current one: those before the one that has
// the same records, if what that one kept is to be written again; else all.
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

// protect refuses to write anything over what a day has kept: that is in the index, so that no
// other day would write it again. The day that is repeated may keep it once more; before is how
// many days come before that.
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

// written describes the file of kept records, when it has its name.
func (f dayFiles) written() (written.Output, error) {
	of, err := f.stdout, error(nil) // it is closed
	if f.kept != "-" {
		of, err = files.DescribeOutput(f.kept, f.std)
	}
	of = files.WithContents(of)
	of.Start = min(f.start, of.Bytes)
	return of, err
}
