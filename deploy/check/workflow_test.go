package check

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// A workflow is what the tests look at of one.
type workflow struct {
	Jobs map[string]struct {
		RunsOn   string `json:"runs-on"`
		Strategy struct{ Matrix map[string][]string }
		Steps    []struct{ Uses, Run string }
	}
}

func readYAML(t *testing.T, path string, into any) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// goals are what make is asked for in a script.
func goals(script string) (all []string) {
	for _, line := range regexp.MustCompile(`(?m)(?:\bmake|\.ci/run)((?: +[^\s|&;]+)+)`).FindAllStringSubmatch(script, -1) {
		for _, word := range strings.Fields(line[1]) {
			if regexp.MustCompile(`^[a-z-]+$`).MatchString(word) && word[0] != '-' {
				all = append(all, word)
			}
		}
	}
	return all
}

// prerequisites are the goals that a goal of the Makefile makes first.
func prerequisites(makefile, goal string) []string {
	rule := regexp.MustCompile(`(?m)^` + goal + `:([^=\n]*)$`).FindStringSubmatch(makefile)
	if rule == nil {
		return nil
	}
	return strings.Fields(rule[1])
}

// TestTheWorkflowRunsWhatCIRuns compares the goals of its jobs with those of .ci/run, and both with
// the Makefile.
func TestTheWorkflowRunsWhatCIRuns(t *testing.T) {
	var ci workflow
	readYAML(t, "../../.github/workflows/ci.yaml", &ci)
	text, err := os.ReadFile("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	makefile := string(text)
	var made []string
	systems := map[string]bool{}
	for name, job := range ci.Jobs {
		if job.RunsOn == "" || len(job.Steps) == 0 {
			t.Errorf("the job %s does nothing", name)
		}
		for _, system := range append(job.Strategy.Matrix["system"], job.RunsOn) {
			systems[system] = true
		}
		for _, step := range job.Steps {
			made = append(made, goals(step.Run)...)
		}
	}
	for _, goal := range made {
		if !regexp.MustCompile(`(?m)^(?:[a-z-]+ )*` + goal + `(?: [a-z-]+)*:`).MatchString(makefile) {
			t.Errorf("a job makes %s, which the Makefile does not know", goal)
		}
	}
	script, err := os.ReadFile("../../.ci/run")
	if err != nil {
		t.Fatal(err)
	}
	var wanted []string
	for _, goal := range goals(regexp.MustCompile(`(?m)^\s*#.*$`).ReplaceAllString(string(script), "")) {
		if goal == "check" {
			wanted = append(wanted, prerequisites(makefile, goal)...)
		} else if regexp.MustCompile(`(?m)^` + goal + `:`).MatchString(makefile) {
			wanted = append(wanted, goal)
		}
	}
	if len(wanted) < 8 {
		t.Fatalf(".ci/run makes only %v", wanted)
	}
	for _, goal := range wanted {
		if !slices.Contains(made, goal) {
			t.Errorf(".ci/run makes %s, and no job does", goal)
		}
	}
	for _, system := range []string{"ubuntu-24.04", "ubuntu-24.04-arm", "macos-15"} {
		if !systems[system] {
			t.Errorf("no job runs on %s", system)
		}
	}
}

// TestWhatIsSlowRunsEveryNight: each goal that takes too long for every push has a job whose
// failure opens an issue.
func TestWhatIsSlowRunsEveryNight(t *testing.T) {
	text, err := os.ReadFile("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	nightly, err := os.ReadFile("../../.github/workflows/nightly.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, goal := range []string{
		"explore", "brokers", "race-all", "python-thorough", "release-check", "release-again",
	} {
		if !regexp.MustCompile(`(?m)^`+goal+`:`).Match(text) ||
			!regexp.MustCompile(`(?m)- goals: (\S+ )*`+goal+`( |$)`).Match(nightly) {
			t.Errorf("%s is no goal, or no job of nightly.yaml makes it", goal)
		}
	}
	// SYSTEMS is empty since .ci/run builds releases for its own system only
	for _, wanted := range []string{
		"schedule:", `SYSTEMS: ""`, ".ci/run ${{ matrix.goals }}", "if: failure()", "gh issue create",
	} {
		if !strings.Contains(string(nightly), wanted) {
			t.Errorf("nightly.yaml lacks %s", wanted)
		}
	}
}

// TestTheReleaseIsBuiltTwice, has provenance, and is signed if there is a key.
func TestTheReleaseIsBuiltTwice(t *testing.T) {
	var release workflow
	readYAML(t, "../../.github/workflows/release.yaml", &release)
	var steps []string
	for _, step := range release.Jobs["release"].Steps {
		steps = append(steps, step.Uses+step.Run)
	}
	all := strings.Join(steps, "\n")
	for _, wanted := range []string{
		"make release-check release-again", "make sign", "actions/attest-build-provenance@", "--draft",
	} {
		if !strings.Contains(all, wanted) {
			t.Errorf("no step has %s:\n%s", wanted, all)
		}
	}
}

// TestFormsAndUpdates: forms ask for what is needed to find the fault, and dependabot knows every
// module.
func TestFormsAndUpdates(t *testing.T) {
	for file, asks := range map[string][]string{
		"wrong-verdict.yml": {"command", "audit"}, "lost-record.yml": {"command", "stats", "code"},
	} {
		var form struct {
			Name, Description string
			Body              []struct {
				ID, Type    string
				Validations struct{ Required bool }
			}
		}
		readYAML(t, filepath.Join("../../.github/ISSUE_TEMPLATE", file), &form)
		for _, id := range asks {
			required := false
			for _, field := range form.Body {
				required = required || field.ID == id && field.Validations.Required
			}
			if form.Name == "" || form.Description == "" || !required {
				t.Errorf("%s does not ask for %s", file, id)
			}
		}
	}
	var updates struct {
		Updates []struct{ Directories []string }
	}
	readYAML(t, "../../.github/dependabot.yml", &updates)
	err := filepath.WalkDir("../..", func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != "../.." && (d.Name()[0] == '.' || d.Name() == "testdata") {
			return filepath.SkipDir
		}
		if d.Name() != "go.mod" {
			return nil
		}
		dir := "/" + strings.TrimPrefix(strings.TrimPrefix(filepath.Dir(path), "../.."), "/")
		if !slices.Contains(updates.Updates[0].Directories, dir) {
			t.Errorf("dependabot does not know the module in %s", dir)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
