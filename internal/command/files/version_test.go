package files

import (
	"runtime/debug"
	"testing"
)

func TestVersion(t *testing.T) {
	setting := func(key, value string) debug.BuildSetting { return debug.BuildSetting{Key: key, Value: value} }
	revision := setting("vcs.revision", "8180c92f3ab1d0c5d3f1a0b4")
	for _, test := range []struct {
		module   string
		settings []debug.BuildSetting
		want     string
	}{
		{"v0.1.0", nil, "0.1.0"},
		{"v1.20.3-rc.1", []debug.BuildSetting{revision}, "1.20.3-rc.1"},
		{"v0.1.0+dirty", nil, "0.1.0+dirty"},
		{"v0.0.0-20261124101112-8180c92f3ab1", nil, "0.1.0-dev+8180c92f3ab1"},
		{"v0.1.1-0.20261124101112-8180c92f3ab1+dirty", nil, "0.1.0-dev+8180c92f3ab1.dirty"},
		{"(devel)", []debug.BuildSetting{revision}, "0.1.0-dev+8180c92f3ab1"},
		{"(devel)", []debug.BuildSetting{revision, setting("vcs.modified", "true")}, "0.1.0-dev+8180c92f3ab1.dirty"},
		{"(devel)", nil, "0.1.0-dev"},
		{"", nil, "0.1.0-dev"},
	} {
		info := &debug.BuildInfo{Main: debug.Module{Version: test.module}, Settings: test.settings}
		if got := versionOf(info); got != test.want {
			t.Errorf("%q with %v: %s, not %s", test.module, test.settings, got, test.want)
		}
	}
	if got := versionOf(nil); got != "0.1.0-dev" {
		t.Errorf("nothing known: %s", got)
	}
}
