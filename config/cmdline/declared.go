package cmdline

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/mithril-stream/mithril-stream/config/values"
)

// What a flag conflicts with is declared in its tags:
//
//	range:"(0,1]"                      its values, if it is given; outside:"…" is what to say then
//	needs:"--index DIR|--against DIR: why"  one of these must be given, or have this value
//	not:"simhash,parts"                it has no meaning in these modes (config/modes.go)
//	writes:"-"                         it names a file that is written, or - for standard output
//	writes:"records"                   the same, but standard output has the records
//	reads:"directory"                  it names a directory of files that are read
//
// A flag that takes a FILE, and is not declared to write it, reads it (FilesOf).
//
// Because of these tags, a flag whose range excludes zero can use zero for "not given". No two
// flags may write the same file.

// Check rejects flags whose use their declarations do not allow.
func (g Given) Check(ctx *kong.Context) error {
	flags := map[string]*kong.Flag{}
	for _, flag := range ctx.Flags() {
		flags["--"+flag.Name] = flag
	}
	for _, flag := range ctx.Flags() {
		if !g["--"+flag.Name] {
			continue
		}
		if declared := flag.Tag.Get("range"); declared != "" {
			if err := checkRange(flag, declared); err != nil {
				return err
			}
		}
		if declared := flag.Tag.Get("needs"); declared != "" {
			if err := g.checkNeed(flag, declared, flags); err != nil {
				return err
			}
		}
	}
	return checkWritten(ctx.Flags())
}

func checkRange(flag *kong.Flag, declared string) error {
	least, most, _ := strings.Cut(declared[1:len(declared)-1], ",")
	above, below := declared[0] == '(', strings.HasSuffix(declared, ")")
	v := reflect.Indirect(flag.Target)
	n := numberOf(v)
	low, high := boundOf(least), boundOf(most)
	if (n > low || n == low && !above) && (most == "" || n < high || n == high && !below) {
		return nil
	}
	if says := flag.Tag.Get("outside"); says != "" {
		return errors.New(says)
	}
	name := "--" + flag.Name
	if v.CanInterface() && slices.Contains([]reflect.Kind{reflect.Int, reflect.Float64}, v.Kind()) {
		name += fmt.Sprintf(" %v", v.Interface()) // values of other types have units
	}
	switch {
	case most == "":
		return fmt.Errorf("%s must be at least %s", name, least)
	case above && !below:
		return fmt.Errorf("%s must be above %s and at most %s", name, least, most)
	}
	return fmt.Errorf("%s must be between %s and %s", name, least, most)
}

// numberOf returns a flag's value as a number.
func numberOf(v reflect.Value) float64 {
	switch {
	case v.CanInt():
		return float64(v.Int())
	case v.CanUint():
		return float64(v.Uint())
	}
	return v.Float()
}

// boundOf parses the end of a range, which may have a unit.
func boundOf(text string) float64 {
	var bound values.Size
	if text == "" || bound.UnmarshalText([]byte(text)) != nil {
		return 0
	}
	return float64(bound)
}

// checkNeed rejects a flag given without any of the flags it needs. A group of flags can be shared
// by commands, so some of the needed flags may not exist in this command.
func (g Given) checkNeed(flag *kong.Flag, declared string, flags map[string]*kong.Flag) error {
	needed, why, _ := strings.Cut(declared, ": ")
	var others []string
	for other := range strings.SplitSeq(needed, "|") {
		name, value, _ := strings.Cut(other, " ")
		f := flags[name]
		switch {
		case f == nil:
			continue
		case value == "" || value == strings.ToUpper(value): // a placeholder
			if g[name] {
				return nil
			}
		case f.Target.String() == value:
			return nil
		}
		others = append(others, other)
	}
	last := len(others) - 1
	list := others[last]
	if last > 0 {
		list = strings.Join(others[:last], ", ") + " or " + list
	}
	return fmt.Errorf("--%s needs %s: %s", flag.Name, list, why)
}

// Files are the files that a command line names.
type Files struct {
	// Read are the files, named by any flag or argument, whose contents affect the output. An
	// element may be a directory or a pattern of inputs, or - for standard input.
	Read []string
	// ReadIn are directories, any of whose files may be read.
	ReadIn  []string
	Written []WrittenFile
}

// A WrittenFile is a file that a flag asks to write. Path is - for standard output, and empty if
// the flag was not given.
type WrittenFile struct{ Flag, Path string }

// Outputs returns the paths of the files that are written.
func (f Files) Outputs() (paths []string) {
	for _, w := range f.Written {
		paths = append(paths, w.Path)
	}
	return paths
}

// FilesOf returns the files that a command line names. Arguments are read, and so is a flag's FILE
// unless the flag is declared to write it.
func FilesOf(ctx *kong.Context) (f Files) {
	for _, flag := range ctx.Flags() {
		switch placeholder := flag.PlaceHolder; {
		case flag.Tag.Get("writes") != "":
			f.Written = append(f.Written, WrittenFile{"--" + flag.Name, flag.Target.String()})
		case placeholder == "FILE" || placeholder == "LIST":
			f.Read = AppendTexts(f.Read, flag.Target)
		case flag.Tag.Get("reads") != "":
			f.ReadIn = AppendTexts(f.ReadIn, flag.Target)
		}
	}
	if selected := ctx.Selected(); selected != nil {
		for _, argument := range selected.Positional {
			f.Read = AppendTexts(f.Read, argument.Target)
		}
	}
	return f
}

// AppendTexts appends the string or strings that a flag holds.
func AppendTexts(to []string, v reflect.Value) []string {
	switch texts := v.Interface().(type) {
	case string:
		if texts != "" {
			to = append(to, texts)
		}
	case []string:
		to = append(to, texts...)
	}
	return to
}

// checkWritten rejects writing two streams to one file, where they would overwrite each other.
func checkWritten(flags []*kong.Flag) error {
	writer := map[string]string{}
	for _, flag := range flags {
		declared := flag.Tag.Get("writes")
		if declared == "" {
			continue
		}
		name, path := "--"+flag.Name, flag.Target.String()
		other := writer[path]
		switch {
		case path == "":
		case path == "-" && declared != "-":
			return fmt.Errorf("%s - would mix with the %s: name a file", name, declared)
		case other != "":
			return fmt.Errorf("%s and %s both write %s: give each its own file", other, name, path)
		}
		writer[path] = name
	}
	return nil
}
