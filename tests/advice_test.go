package tests

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// An advisor knows which flags each command takes, and checks what messages advise.
type advisor struct {
	flags map[string]map[string]bool // by the command, such as "index undo"; "" is the filter
	all   map[string]bool
}

// flagLine is a line of --help, or of a manual page, that lists a flag. The page has those as well
// that --help leaves out.
var flagLine = regexp.MustCompile(`(?m)^(?: +|\.B )(?:-\w, )?--(?:\[no-\])?([a-z][a-z0-9-]*)`)

func newAdvisor(t *testing.T) *advisor {
	t.Helper()
	if testing.Short() {
		t.Skip("messages are the same under the race detector, which slows each start; make test checks them")
	}
	a := &advisor{flags: map[string]map[string]bool{}, all: map[string]bool{}}
	listed := regexp.MustCompile(`(?m)^  ([a-z]+)  +[A-Z]`)
	help := func(words ...string) string {
		out, err := exec.Command("mithril-stream", append(words, "--help")...).Output()
		if err != nil {
			t.Fatal(words, err)
		}
		manual, _ := exec.Command("mithril-stream", append([]string{"man"}, words...)...).Output() // of a leaf
		known := map[string]bool{"help": true}
		flags := string(out) + strings.ReplaceAll(string(manual), `\`, "")
		for _, m := range flagLine.FindAllStringSubmatch(flags, -1) {
			known[m[1]], a.all[m[1]] = true, true
		}
		a.flags[strings.Join(words, " ")] = known
		return string(out)
	}
	commandsOf := func(help string) (names []string) {
		_, list, _ := strings.Cut(help, "\nCommands\n")
		for _, m := range listed.FindAllStringSubmatch(list, -1) {
			names = append(names, m[1])
		}
		return names
	}
	for _, name := range commandsOf(help()) {
		for _, sub := range commandsOf(help(name)) {
			help(name, sub)
		}
	}
	if len(a.flags) < 20 || len(a.flags[""]) < 60 || !a.flags["index undo"]["runs"] {
		t.Fatalf("the commands are not read from their help: %v", slices.Sorted(maps.Keys(a.flags)))
	}
	return a
}

// Flags of other programs that messages name, and of this one where it answers questions.
var foreign = map[string]bool{
	"create": true, "reset-offsets": true, "to-earliest": true, "repo-type": true, "list": true, // of man
	"flag": true, "value-format": true, // any; another name of one
}

// aboutIndex says what an index, or a file, was made with: that is no advice.
var aboutIndex = regexp.MustCompile(
	`(?:index|indexes|is|are|one|made|groups|before|other|those|exact|they had|its command again)(?: of| with| for| by)?(?: --[a-z-]+(?: [A-Za-z0-9]+)?)+`)

var (
	adviceFlag = regexp.MustCompile(`--([a-z][a-z0-9-]*)`)
	// A message names another command right before its flags, or after the name of the program.
	otherCommand = regexp.MustCompile(
		`(?:mithril-stream(?: ((?:index )?[a-z]+))?|(?:^|[ ('])(index [a-z]+|sketch|dedup|groups|audit|substr))` +
			`(?: [A-Z][A-Z.a-z]*| \S+\.sketch| -o \S+)*((?: --[a-z][a-z0-9-]*(?: [A-Z0-9][A-Za-z.0-9]*)?)+)`)
	namedCommand = regexp.MustCompile(`mithril-stream (index [a-z]+|[a-z]+)`)
)

// wrongAdvice are the flags in a message of a command that neither it nor the command that the
// message names takes, and the commands that there are not.
func (a *advisor) wrongAdvice(command, message string) (wrong []string) {
	message = aboutIndex.ReplaceAllString(message, "")
	for _, m := range namedCommand.FindAllStringSubmatch(message, -1) {
		if a.flags[m[1]] == nil && m[1] != "help" && m[1] != "man" {
			wrong = append(wrong, m[1])
		}
	}
	for _, m := range otherCommand.FindAllStringSubmatch(message, -1) {
		for _, flag := range adviceFlag.FindAllStringSubmatch(m[3], -1) {
			if known := a.flags[m[1]+m[2]]; known != nil && !known[flag[1]] {
				wrong = append(wrong, m[1]+m[2]+" --"+flag[1])
			}
		}
	}
	message = otherCommand.ReplaceAllString(message, "")
	for _, m := range adviceFlag.FindAllStringSubmatch(message, -1) {
		if !a.flags[command][m[1]] && !foreign[m[1]] {
			wrong = append(wrong, "--"+m[1])
		}
	}
	return wrong
}

// commandOf is the command that arguments are of.
func (a *advisor) commandOf(args []string) string {
	for _, words := range []int{2, 1} {
		if len(args) >= words && a.flags[strings.Join(args[:words], " ")] != nil {
			return strings.Join(args[:words], " ")
		}
	}
	return ""
}

// The check itself finds what it should.
func TestAdviceIsChecked(t *testing.T) {
	a := newAdvisor(t)
	for _, c := range []struct{ command, message, wrong string }{
		{"groups", "none can be read: give --format or --field; or --on-error keep to pass them on", "--on-error"},
		{"", "none can be read: give --format or --field; or --on-error keep to pass them on", ""},
		{"index undo", "add --overwrite", "--overwrite"},
		{"groups", "make it with sketch --signatures", ""},
		{"groups", "make it with sketch --annotate", "sketch --annotate"},
		{"", "mithril-stream index undo --to 3 takes it back", ""},
		{"", "mithril-stream index undo --back 3 takes it back", "index undo --back"},
		{"", "give it up by mithril-stream index abandon", "index abandon"},
		{"", "give the --fiedl with the text", "--fiedl"},
	} {
		if wrong := strings.Join(a.wrongAdvice(c.command, c.message), " "); wrong != c.wrong {
			t.Errorf("%q of %q: found %q, want %q", c.message, c.command, wrong, c.wrong)
		}
	}
}

// No message names a flag that there is not.
func TestMessagesNameFlags(t *testing.T) {
	a := newAdvisor(t)
	messages, attributed := 0, 0
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			switch {
			case path == "bench", path == "python", path == "deploy", path == "tests", path == "testdata",
				path == "internal/kafkatest",
				strings.HasPrefix(path, "internal/tools"), strings.HasSuffix(path, "mithril-onnx"),
				strings.HasPrefix(entry.Name(), ".") && path != ".":
				return fs.SkipDir
			}
			return nil
		}
		if filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			text, ok := literalOf(n)
			if field, isField := n.(*ast.Field); isField && field.Tag != nil {
				text, ok = needsOf(field), true // its help has tests of its own
			}
			if !ok {
				return true
			}
			if of := commandsOf(path); of != nil && strings.Contains(text, "--") {
				attributed++
				if wrong := a.wrongForAll(of, text); len(wrong) > 0 {
					t.Errorf("%s: %q of %q: %q", set.Position(n.Pos()), wrong, of, text)
				}
			}
			for _, m := range adviceFlag.FindAllStringSubmatch(text, -1) {
				messages++
				if name := strings.TrimSuffix(m[1], "-"); !a.all[name] && !foreign[name] && name != "version" {
					t.Errorf("%s: there is no --%s: %q", set.Position(n.Pos()), name, text)
				}
			}
			return false
		})
		return nil
	})
	if err != nil || messages < 400 || attributed < 150 {
		t.Errorf("%d messages, %d of one command, %v", messages, attributed, err)
	}
}

// needsOf returns what a flag declares that it goes with, which a refusal quotes.
func needsOf(flag *ast.Field) string {
	tag, _ := strconv.Unquote(flag.Tag.Value)
	return reflect.StructTag(tag).Get("needs")
}

// literalOf is the text of a string literal, or of several that are put together.
func literalOf(n ast.Node) (text string, ok bool) {
	switch n := n.(type) {
	case *ast.BasicLit:
		if n.Kind == token.STRING {
			text, err := strconv.Unquote(n.Value)
			return text, err == nil
		}
	case *ast.BinaryExpr:
		left, first := literalOf(n.X)
		right, second := literalOf(n.Y)
		return left + right, first && second && n.Op == token.ADD
	}
	return "", false
}

// wrongForAll is what is wrong with a message that one of several commands says.
func (a *advisor) wrongForAll(commands []string, message string) (wrong []string) {
	for _, command := range commands {
		if wrong = a.wrongAdvice(command, message); len(wrong) == 0 {
			return nil
		}
	}
	return wrong
}

// commandsOf are the commands that the messages of a file belong to, if they are a few.
func commandsOf(path string) []string {
	var found []string
	longest := 0
	for prefix, commands := range ofFiles {
		if strings.HasPrefix(path, prefix) && len(prefix) > longest {
			longest, found = len(prefix), commands
		}
	}
	return found
}

// ofFiles are the commands of the files whose names begin so.
var ofFiles = map[string][]string{
	"internal/command/groups/": {"groups"}, "internal/command/judge/": {"judge"},
	"internal/command/kafka": {"kafka"}, "internal/kafka/": {"kafka"},
	"internal/command/index/delete": {"index delete"}, "internal/command/index/merge": {"index merge"},
	"internal/command/index/undo": {"index undo"}, "internal/command/index/compact": {"index compact"},
	"internal/command/contaminate": {"contaminate"}, "internal/command/items": {"contaminate"},
	"internal/command/substr": {"substr"}, "internal/command/boilerplate": {"boilerplate"},
	"internal/command/templates": {"templates"}, "internal/command/pairs": {"pairs"}, "internal/command/eval": {"eval"},
	"internal/command/audit": {"audit"}, "internal/command/sign": {"fingerprint"}, "internal/command/swap": {"apply"},
	"internal/command/near": {"near"}, "internal/command/idf": {"idf"},
	"internal/command/index/verify": {"index verify"}, "internal/command/index/inspect": {"index inspect"},
	"internal/command/itempage": {"contaminate"}, "internal/command/passagepage": {"substr"},
	"config/contaminate": {"contaminate"}, "config/groups": {"groups"}, "config/audit": {"audit"},
	"config/eval": {"eval"}, "config/substr": {"substr"}, "config/boilerplate": {"boilerplate"},
	"config/templates": {"templates"}, "config/pairs": {"pairs"},
	"config/sign": {"fingerprint"}, "config/near": {"near"}, "config/idf": {"idf"}, "config/plan": {"plan"},
	"config/kafka": {"kafka"}, "config/judge": {"judge"}, "config/sketch": {"sketch", "dedup", "apply"},
}

// What the scripts expect on standard error names flags of the command that says it.
func TestScriptsExpectGoodAdvice(t *testing.T) {
	a := newAdvisor(t)
	scripts, err := filepath.Glob("testdata/script/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	run := regexp.MustCompile(`^(?:! exec|exec|status \d+) mithril-stream ?([^|;]*)`)
	checked := 0
	for _, path := range scripts {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		script, _, _ := strings.Cut(string(text), "\n-- ")
		command, known := "", false
		for number, line := range strings.Split(script, "\n") {
			if m := run.FindStringSubmatch(line); m != nil {
				command, known = a.commandOf(strings.Fields(m[1])), true
			} else if regexp.MustCompile(`^(?:!? ?exec|status|interrupt|repeat|firstline|hold|ask) `).MatchString(line) {
				known = false // of a shell
			}
			if !known || !strings.HasPrefix(line, "stderr ") {
				continue
			}
			said := strings.ReplaceAll(line, `\`, "")
			checked++
			if wrong := a.wrongAdvice(command, said); len(wrong) > 0 && !isComplaint(said, wrong) {
				t.Errorf("%s:%d: of %q: %q: %s", path, number+1, command, wrong, line)
			}
		}
	}
	if checked < 500 {
		t.Errorf("%d messages are checked", checked)
	}
}

// isComplaint reports whether a message says that there is no such flag.
func isComplaint(message string, flags []string) bool {
	for _, flag := range flags {
		if !strings.Contains(message, "unknown flag "+flag) && !strings.Contains(message, flag+" is a flag of") &&
			!strings.Contains(message, "no flag "+flag) {
			return false
		}
	}
	return true
}
