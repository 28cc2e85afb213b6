package command

import (
	"cmp"
	"errors"
	"io"
	"runtime/debug"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/command/files"
	"github.com/mithril-stream/mithril-stream/internal/shown"
)

// printVersion prints the version of the program and, if asked for, what it is made of: one line
// for each fact, with spaces between its parts.
func printVersion(c *config.Version, out io.Writer) error {
	if err := shown.Line(out, "mithril-stream %s", files.Version()); err != nil || !c.Build {
		return err
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return errors.New("this program was built without a list of its modules")
	}
	err := shown.Line(out, "go %s", info.GoVersion)
	for _, s := range info.Settings {
		err = cmp.Or(err, shown.Line(out, "build %s=%s", s.Key, s.Value))
	}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		err = cmp.Or(err, shown.Line(out, "module %s %s %s", m.Path, m.Version, m.Sum))
	}
	return err
}
