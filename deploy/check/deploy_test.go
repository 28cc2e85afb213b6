// Package check reads the deployment examples with the parsers of the tools that they are for. It
// is a module of its own, so that no other module depends on these parsers.
package check

import (
	"bytes"
	"debug/elf"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"github.com/mithril-stream/mithril-stream/config"
)

// parsed expects that the program takes a command line, and that it is one of the consumer.
func parsed(t *testing.T, args []string) *config.Kafka {
	t.Helper()
	command, err := config.Parse(args, "test", io.Discard)
	if err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	return command.(*config.Kafka)
}

func build(t *testing.T) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "mithril-stream")
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags=-s", "-o", path, ".")
	cmd.Dir, cmd.Env = "../..", append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return path
}

// The program is built as the container file does it; nothing else is in the image, so it must need
// nothing.
func TestTheBinaryIsStatic(t *testing.T) {
	program := build(t)
	said, err := exec.Command(program, "version", "--build").Output()
	if module := `(?m)^module github\.com/alecthomas/kong v[0-9.]+ h1:\S+$`; err != nil ||
		!regexp.MustCompile(module).Match(said) || !strings.Contains(string(said), "build CGO_ENABLED=0\n") {
		t.Errorf("it does not say what it is made of: %v\n%s", err, said)
	}
	f, err := elf.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	libraries, err := f.ImportedLibraries()
	if err != nil || len(libraries) > 0 || slices.ContainsFunc(f.Progs,
		func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP }) {
		t.Errorf("the binary needs %v, %v", libraries, err)
	}
}

func TestContainerfile(t *testing.T) {
	text, err := os.ReadFile("../Containerfile")
	if err != nil {
		t.Fatal(err)
	}
	result, err := parser.Parse(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if len(result.Warnings) > 0 {
		t.Errorf("warnings: %v", result.Warnings)
	}
	stages, _, err := instructions.Parse(result.AST, nil)
	if err != nil {
		t.Fatal(err)
	}
	last := stages[len(stages)-1]
	var user string
	var entry, copied []string
	for _, command := range last.Commands {
		switch c := command.(type) {
		case *instructions.UserCommand:
			user = c.User
		case *instructions.EntrypointCommand:
			if entry = c.CmdLine; c.PrependShell {
				t.Error("the entry point needs a shell, and there is none")
			}
		case *instructions.CopyCommand:
			copied = append(copied, c.SourcePaths...)
		case *instructions.RunCommand:
			t.Error("there is nothing to run in the last stage")
		}
	}
	if !slices.Contains(copied, "/src/LICENSE") || !slices.Contains(copied, "/src/NOTICE") {
		t.Errorf("the licences are not in the image: %v", copied)
	}
	if last.BaseName != "scratch" || user != "65532:65532" || !slices.Equal(entry, []string{"/mithril-stream"}) {
		t.Errorf("from %s, user %s, entry point %v", last.BaseName, user, entry)
	}
}

func TestKubernetes(t *testing.T) {
	text, err := os.ReadFile("../kubernetes.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var set appsv1.StatefulSet
	if err := yaml.UnmarshalStrict(text, &set); err != nil { // unknown and repeated fields are errors
		t.Fatal(err)
	}
	if set.APIVersion != "apps/v1" || set.Kind != "StatefulSet" {
		t.Errorf("%s %s", set.APIVersion, set.Kind)
	}
	pod := set.Spec.Template.Spec
	sidecar := pod.InitContainers[0]
	if sidecar.RestartPolicy == nil || *sidecar.RestartPolicy != corev1.ContainerRestartPolicyAlways {
		t.Error("it is no sidecar")
	}
	s := sidecar.SecurityContext
	if !*s.ReadOnlyRootFilesystem || *s.AllowPrivilegeEscalation || !*pod.SecurityContext.RunAsNonRoot ||
		!slices.Equal(s.Capabilities.Drop, []corev1.Capability{"ALL"}) {
		t.Error("the sidecar may do more than it needs")
	}
	c := parsed(t, sidecar.Args)
	mounted := func(path string) bool {
		return slices.ContainsFunc(sidecar.VolumeMounts,
			func(m corev1.VolumeMount) bool { return strings.HasPrefix(path, m.MountPath+"/") })
	}
	for _, path := range []string{c.Filter.Memory.Index, c.Security.TLSCA, c.Security.SASLPasswordFile} {
		if !mounted(path) {
			t.Errorf("%s is on no volume", path)
		}
	}
	for _, m := range sidecar.VolumeMounts {
		named := func(name string) bool { return name == m.Name }
		if !slices.ContainsFunc(pod.Volumes, func(v corev1.Volume) bool { return named(v.Name) }) &&
			!slices.ContainsFunc(set.Spec.VolumeClaimTemplates,
				func(v corev1.PersistentVolumeClaim) bool { return named(v.Name) }) {
			t.Errorf("there is no volume %s", m.Name)
		}
	}
	for name, probe := range map[string]*corev1.Probe{"/healthz": sidecar.LivenessProbe,
		"/readyz": sidecar.ReadinessProbe} {
		if probe.HTTPGet.Path != name || probe.HTTPGet.Port.StrVal != sidecar.Ports[0].Name ||
			!strings.HasSuffix(c.Service.Listen, ":9090") || sidecar.Ports[0].ContainerPort != 9090 {
			t.Errorf("the probe %v asks another port or path", probe.HTTPGet)
		}
	}
}

func TestSystemd(t *testing.T) {
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("systemd-analyze is not installed")
		}
		t.Skip("systemd-analyze is not installed: it reads the unit")
	}
	text, err := os.ReadFile("../mithril-stream-kafka.service")
	if err != nil {
		t.Fatal(err)
	}
	const installed = "/usr/local/bin/mithril-stream"
	start := string(text)[strings.Index(string(text), "ExecStart="+installed)+len("ExecStart="+installed):]
	start = strings.ReplaceAll(start[:strings.Index(start, "\n#")], "\\\n", " ")
	if c := parsed(t, strings.Fields(start)); !strings.HasPrefix(c.Filter.Memory.Index, "${STATE_DIRECTORY}/") {
		t.Errorf("the index %s is not where the unit may write", c.Filter.Memory.Index)
	}
	unit := filepath.Join(t.TempDir(), "mithril-stream-kafka.service")
	if err := os.WriteFile(unit, []byte(strings.Replace(string(text), installed, build(t), 1)), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"verify", "--man=no", unit},
		{"security", "--offline=true", "--threshold=20", "--no-pager", unit}, // 20: an exposure of at most 2.0 of 10
	} {
		if out, err := exec.Command("systemd-analyze", args...).CombinedOutput(); err != nil ||
			args[0] == "verify" && len(out) > 0 {
			t.Errorf("systemd-analyze %s: %v\n%s", args[0], err, out)
		}
	}
}
