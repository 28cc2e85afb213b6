package help

import (
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"
)

// Man writes the manual page of a command in the language of man(7). version is the version of the
// program.
func (m Manual) Man(w io.Writer, node *kong.Node, version string) {
	name := strings.ReplaceAll(m.path(node), " ", "-")
	does := node.Help
	if node.Name == m.Root {
		does = "remove near-duplicate records from a stream"
	}
	fmt.Fprintf(w, ".TH %s 1 \"\" %s\n", quoted(strings.ToUpper(name)), quoted(m.Grammar.Name+" "+version))
	section(w, "NAME", roff(name)+` \- `+roff(strings.TrimSuffix(lowerFirst(does), ".")))
	synopsis := ".B " + roff(m.path(node))
	for _, arg := range node.Positional {
		synopsis += "\n" + roff(argument(arg))
	}
	section(w, "SYNOPSIS", synopsis+"\n.RI [ FLAGS ]")
	if node.Name == m.Root {
		section(w, "DESCRIPTION", roff(m.Purpose))
		section(w, "EXAMPLES", ".nf\n"+roff(strings.Join(m.Usage, "\n"))+"\n.fi")
	} else {
		section(w, "DESCRIPTION", roff(node.Help)+"\n.br\n"+roff(m.page(node)))
	}
	m.manOptions(w, node)
	if node.Name == m.Root {
		m.manRest(w)
		return
	}
	section(w, "SEE ALSO", ".BR "+roff(m.Grammar.Name)+" (1)")
}

// manOptions writes the arguments and flags of a command, with all that is said of them.
func (m Manual) manOptions(w io.Writer, node *kong.Node) {
	for i, arg := range node.Positional {
		if i == 0 {
			section(w, "ARGUMENTS", "")
		}
		fmt.Fprintf(w, ".TP\n.I %s\n%s\n", roff(strings.ToUpper(arg.Name)), roff(describe(arg, nil)))
	}
	section(w, "OPTIONS", "")
	for _, g := range grouped(node) {
		if g.group != nil {
			fmt.Fprintf(w, ".SS %s\n", quoted(g.group.Title))
		}
		for _, f := range g.flags {
			fmt.Fprintf(w, ".TP\n.B %s\n%s\n", roff(strings.TrimSpace(left(f))), roff(describe(f.Value, m.Choices(f))))
		}
	}
}

// manRest writes what is said of the program as a whole.
func (m Manual) manRest(w io.Writer) {
	section(w, "COMMANDS", "")
	for _, c := range m.commands() {
		fmt.Fprintf(w, ".TP\n.B %s\n%s\n", roff(c.Name), roff(c.Help))
	}
	for _, topic := range m.Topics {
		section(w, strings.ToUpper(topic.Title), roff(topic.Text))
		for _, r := range topic.Rows {
			fmt.Fprintf(w, ".TP\n.B %s\n%s\n", roff(r.Name), roff(r.Text))
		}
	}
	var pages []string
	for _, node := range m.leaves() {
		if node.Name != m.Root {
			pages = append(pages, ".BR "+roff(strings.ReplaceAll(m.path(node), " ", "-"))+" (1)")
		}
	}
	section(w, "SEE ALSO", strings.Join(pages, ",\n"))
}

// ManualPages are the commands that have a manual page, as the words that name them.
func (m Manual) ManualPages() [][]string {
	var pages [][]string
	for _, node := range m.leaves() {
		pages = append(pages, strings.Fields(strings.TrimPrefix(m.path(node), m.Grammar.Name)))
	}
	return pages
}

// Command returns the command that words name, if they name one; without words, the default
// command.
func (m Manual) Command(words ...string) *kong.Node { return m.node(words...) }

func section(w io.Writer, title, text string) {
	fmt.Fprintf(w, ".SH %s\n", quoted(title))
	if text != "" {
		fmt.Fprintln(w, text)
	}
}

// roff is a text that means itself. A line that begins with a point would else be a request.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "…", `\[u2026]`).Replace(strings.TrimSpace(text))
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}

// quoted is a text as one argument of a request.
func quoted(text string) string { return `"` + strings.ReplaceAll(roff(text), `"`, `\(dq`) + `"` }

func lowerFirst(text string) string {
	if text == "" {
		return text
	}
	return strings.ToLower(text[:1]) + text[1:]
}
