package config

import "github.com/mithril-stream/mithril-stream/config/values"

// ResampleFlags say how the size and sources of a group affect its kept record.
type ResampleFlags struct {
	MinSources int           `not:"sketched,days" needs:"--count-by FIELD|--counts FILE: it names the sources of each group" range:"[2,)" placeholder:"N" help:"@resample/min-sources"`
	Repeat     values.Repeat `not:"sketched,days" placeholder:"TABLE" help:"@resample/repeat"`
}

// IsSet reports whether any of the flags is set.
func (w ResampleFlags) IsSet() bool { return w.MinSources > 0 || w.Repeat.IsSet() }

// Times returns how often to write the record kept of a group with that size and that number of
// known sources.
func (w ResampleFlags) Times(size uint64, sources int) int {
	if sources < w.MinSources {
		return 0
	}
	return w.Repeat.Times(size)
}
