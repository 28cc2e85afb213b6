// Package help renders the documentation of the command line: a one-screen overview, the full list
// of flags, the text of one flag or topic, manual pages, and shell completions. All of it comes
// from the grammar of the command line, so a flag is declared only once.
package help

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// A Manual is what is said about a program. Its fields are not changed while it is in use.
type Manual struct {
	Grammar *kong.Application // with the flags of every command that is asked about
	Purpose string            // what the program does, in a paragraph
	Usage   []string          // examples that one starts from
	Root    string            // the command that runs if none is named
	Topics  []Topic
	Pages   map[string]string // where there is more about a command: an address

	// Choices returns the valid values of a flag that has a list of them, else nil.
	Choices func(*kong.Flag) []string
}

// A Topic is what is to be said about more than one flag: rows, and a text below them.
type Topic struct {
	Name, Title string
	Rows        []Row
	Text        string
}

// write writes a topic without its title.
func (t Topic) write(w io.Writer) {
	rows(w, t.Rows, 2)
	if t.Text != "" {
		fmt.Fprintln(w, strings.Join(wrapped(t.Text, width), "\n"))
	}
}

// commands are those that a user is told about, without the one that runs if none is named.
func (m Manual) commands() []*kong.Node {
	return slices.DeleteFunc(slices.Clone(m.Grammar.Children), func(n *kong.Node) bool {
		return n.Hidden || n.Name == m.Root
	})
}

// root is the command that runs if none is named.
func (m Manual) root() *kong.Node { return child(m.Grammar.Node, m.Root) }

// child returns the command with this name below a node, if there is one.
func child(of *kong.Node, name string) *kong.Node {
	i := slices.IndexFunc(of.Children, func(n *kong.Node) bool { return n.Name == name })
	if i < 0 {
		return nil
	}
	return of.Children[i]
}

// node returns the command that words name, if they name one; without words, the default command.
func (m Manual) node(words ...string) *kong.Node {
	if len(words) == 0 {
		return m.root()
	}
	node := m.Grammar.Node
	for _, word := range words {
		if node = child(node, word); node == nil {
			return nil
		}
	}
	return node
}

// path is what is typed to run a command.
func (m Manual) path(node *kong.Node) string {
	if node.Parent == nil || node.Name == m.Root {
		return m.Grammar.Name
	}
	return m.path(node.Parent) + " " + node.Name
}

// flags are the flags of a command, and of the program as a whole, that a user is told about.
func flags(node *kong.Node) []*kong.Flag {
	var list []*kong.Flag
	for ; node != nil; node = node.Parent {
		list = append(list, node.Flags...)
	}
	return slices.DeleteFunc(list, func(f *kong.Flag) bool { return f.Hidden })
}

// About writes all that is to be said about a word: a command, a topic or a flag. It returns an
// error that names what there is, if there is no such thing.
func (m Manual) About(w io.Writer, words ...string) error {
	if len(words) == 0 {
		m.Brief(w, m.root())
		return nil
	}
	if node := m.node(words...); node != nil {
		m.Full(w, node)
		return nil
	}
	word := strings.Join(words, " ")
	if word == "all" {
		m.all(w)
		return nil
	}
	for _, topic := range m.Topics {
		if topic.Name == word {
			fmt.Fprintln(w, topic.Title)
			topic.write(w)
			return nil
		}
	}
	if m.flag(w, strings.TrimLeft(word, "-")) {
		return nil
	}
	return fmt.Errorf("there is no help for %q: it is no command, no flag, and none of the topics %s",
		word, strings.Join(m.TopicNames(), ", "))
}

// TopicNames are the names of the topics.
func (m Manual) TopicNames() []string {
	var names []string
	for _, topic := range m.Topics {
		names = append(names, topic.Name)
	}
	return names
}

// flag writes what is said of a flag of any command, once for each text, and reports whether there
// is such a flag.
func (m Manual) flag(w io.Writer, name string) bool {
	commands := map[string][]string{}
	var texts []string
	for _, node := range m.leaves() {
		for _, f := range flags(node) {
			if f.Name != name && !slices.Contains(f.Aliases, name) {
				continue
			}
			var b strings.Builder
			rows(&b, []Row{{left(f), describe(f.Value, m.Choices(f))}}, 2)
			if commands[b.String()] == nil {
				texts = append(texts, b.String())
			}
			commands[b.String()] = append(commands[b.String()], m.path(node))
		}
	}
	for _, text := range texts {
		fmt.Fprintf(w, "%s\n%s", strings.Join(commands[text], ", "), text)
	}
	return len(texts) > 0
}

// leaves are the commands that can be run.
func (m Manual) leaves() []*kong.Node {
	return slices.DeleteFunc(m.Grammar.Leaves(true), func(n *kong.Node) bool { return n.Hidden })
}
