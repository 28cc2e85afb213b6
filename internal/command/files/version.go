package files

import (
	"regexp"
	"runtime/debug"
	"strings"
	"sync"
)

// next is the version that the program will have when it is released.
const next = "0.1.0"

// Version returns the version of the program, such as 0.1.0 if it was built from the tag of a
// release. Otherwise it is the next version with the commit, if known, as in
// 0.1.0-dev+8180c92f3ab1.
func Version() string { return version() }

var version = sync.OnceValue(func() string {
	info, _ := debug.ReadBuildInfo()
	return versionOf(info)
})

// tagged matches the version of a module at a tag, and commit matches the commit in a version
// between tags, in the forms that the go command uses.
const (
	tagged = `^v([0-9]+\.[0-9]+\.[0-9]+(?:-[a-z][a-z0-9.]*)?(?:\+dirty)?)$`
	commit = `-(?:0\.)?[0-9]{14}-([0-9a-f]{12})`
)

// versionOf returns the version of a program with that build information, which may be nil.
func versionOf(info *debug.BuildInfo) string {
	if info == nil {
		return next + "-dev"
	}
	if tag := regexp.MustCompile(tagged).FindStringSubmatch(info.Main.Version); tag != nil {
		return tag[1]
	}
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	at := settings["vcs.revision"]
	if between := regexp.MustCompile(commit).FindStringSubmatch(info.Main.Version); between != nil {
		at = between[1]
	}
	if at == "" {
		return next + "-dev"
	}
	at = at[:min(12, len(at))]
	if settings["vcs.modified"] == "true" || strings.HasSuffix(info.Main.Version, "+dirty") {
		at += ".dirty"
	}
	return next + "-dev+" + at
}
