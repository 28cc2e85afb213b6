package main

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

var dist = flag.String("dist", "", "the `directory` of a release, whose files are installed as docs/install.md says")

// outside are commands of the page that need the network, as functions of the shell.
const outside = `set -eu
curl() { cp "$DIST/${2##*/}" . 2>/dev/null || cp "$SERVER/${2##*/}" .; }
gh() { test "$1 $2" = "attestation verify" && test -f "$3"; }
`

// inside changes what the page installs in the system, and names that are other ones while a
// version is no release.
var inside = strings.NewReplacer("/usr/local/bin", "$ROOT", "/usr/local", "$ROOT",
	"sudo dpkg -i ", "dpkg-deb --info ", "sudo rpm -i ", "rpm -K --nosignature ", "sudo ", "",
	"mithril_stream-$version-", "$DIST/mithril_stream-*-", "mithril-stream_$version-", "$DIST/mithril-stream_*-",
	"mithril-stream-$version-1.", "$DIST/mithril-stream-*-1.")

// TestInstallPage runs the commands of docs/install.md with the files of a release, which a key of
// this test signs.
func TestInstallPage(t *testing.T) {
	if *dist == "" || runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("make release-check has a release to install, on Linux on amd64")
	}
	from, err := filepath.Abs(*dist)
	if err != nil {
		t.Fatal(err)
	}
	lists, err := filepath.Glob(from + "/*.spdx.json")
	if err != nil || len(lists) != 1 {
		t.Fatalf("%s is no release: %v, %v", from, lists, err)
	}
	version := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(lists[0]), name+"-"), ".spdx.json")
	page, err := os.ReadFile("../../docs/install.md")
	if err != nil {
		t.Fatal(err)
	}
	script := outside
	for _, tool := range []string{"minisign", "dpkg-deb", "rpm"} {
		if _, err := exec.LookPath(tool); err != nil {
			if os.Getenv("CI") != "" {
				t.Fatalf("%s is not installed", tool)
			}
			script += tool + "() { echo " + tool + " is not installed; }\n"
		}
	}
	for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(string(page), -1) {
		script += inside.Replace(strings.ReplaceAll(block[1], "version=0.1.0", "version="+version))
	}
	work, server, root := t.TempDir(), t.TempDir(), t.TempDir()
	sign := `touch "$SERVER/SHA256SUMS.minisig"; command -v minisign >/dev/null || exit 0
minisign -G -W -f -p mithril-stream.pub -s "$SERVER/key" >/dev/null
minisign -S -s "$SERVER/key" -m "$DIST/SHA256SUMS" -x "$SERVER/SHA256SUMS.minisig"`
	var said []byte
	for _, text := range []string{sign, script} {
		cmd := exec.Command("bash", "-c", text)
		cmd.Dir, cmd.Env = work, append(os.Environ(), "DIST="+from, "SERVER="+server, "ROOT="+root)
		if said, err = cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s\n%s", err, text, said)
		}
	}
	for _, wanted := range []string{"amd64.tar.gz: OK", "mithril-stream " + version + "\n", "Package: mithril-stream"} {
		if !strings.Contains(string(said), wanted) {
			t.Errorf("the commands do not say %q:\n%s", wanted, said)
		}
	}
	if _, err := os.Stat(root + "/share/man/man1/mithril-stream.1.gz"); err != nil {
		t.Error(err)
	}
	if own, err := exec.Command(root+"/mithril-stream", "--version").Output(); !strings.Contains(string(own), version) {
		t.Errorf("installed is %q: %v", own, err)
	}
	t.Logf("%s", said)
}
