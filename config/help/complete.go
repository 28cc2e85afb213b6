package help

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// filesToo is the line that asks the shell for the names of files.
const filesToo = ":files"

// Complete writes the completions of the last of words, one on each line, with a tab and a
// description. The line ":files" means file names. words are those after the name of the program;
// bash passes --flag=value as three.
func (m Manual) Complete(w io.Writer, words []string) {
	words = joined(words)
	last := ""
	if len(words) > 0 {
		last, words = words[len(words)-1], words[:len(words)-1]
	}
	node, rest := m.named(words)
	switch name, value, isValue := strings.Cut(last, "="); {
	case isValue && strings.HasPrefix(name, "--"):
		m.values(w, flagOf(node, name), value)
	case len(rest) > 0 && takesValue(flagOf(node, rest[len(rest)-1])):
		m.values(w, flagOf(node, rest[len(rest)-1]), last)
	case strings.HasPrefix(last, "-"):
		for _, f := range flags(node) {
			candidate(w, last, "--"+f.Name, sentence(f.Value, nil))
		}
	default:
		m.arguments(w, node, len(words) == 0, last)
	}
}

// joined has --flag, = and a value, which bash takes for words of their own, as one.
func joined(words []string) []string {
	var list []string
	for i := 0; i < len(words); i++ {
		if words[i] == "=" && len(list) > 0 {
			list[len(list)-1] += "="
			if i++; i < len(words) {
				list[len(list)-1] += words[i]
			}
			continue
		}
		list = append(list, words[i])
	}
	return list
}

// named is the command that the first of words name, and what stands behind them.
func (m Manual) named(words []string) (*kong.Node, []string) {
	node := m.Grammar.Node
	for len(words) > 0 && child(node, words[0]) != nil {
		node, words = child(node, words[0]), words[1:]
	}
	if node.Parent == nil {
		node = m.root()
	}
	return node, words
}

// flagOf returns the flag that a word names, if it names one.
func flagOf(node *kong.Node, word string) *kong.Flag {
	for _, f := range flags(node) {
		if word == "--"+f.Name || f.Short != 0 && word == "-"+string(f.Short) ||
			slices.ContainsFunc(f.Aliases, func(alias string) bool { return word == "--"+alias }) {
			return f
		}
	}
	return nil
}

func takesValue(f *kong.Flag) bool { return f != nil && !f.IsBool() }

// values writes the values of a flag: those of its list, or files where it takes them.
func (m Manual) values(w io.Writer, f *kong.Flag, begun string) {
	if f == nil {
		return
	}
	for _, choice := range m.Choices(f) {
		candidate(w, begun, choice, "")
	}
	if f.PlaceHolder == "FILE" || f.PlaceHolder == "DIR" {
		fmt.Fprintln(w, filesToo)
	}
}

// arguments writes the commands below a node, and asks for files where it takes arguments.
func (m Manual) arguments(w io.Writer, node *kong.Node, isFirst bool, begun string) {
	commands := node.Children
	if isFirst && node.Name == m.Root {
		commands = m.commands()
	}
	for _, c := range commands {
		candidate(w, begun, c.Name, c.Help)
	}
	if node.Leaf() && len(node.Positional) > 0 {
		fmt.Fprintln(w, filesToo)
	}
}

// candidate writes a word that goes on with what was begun.
func candidate(w io.Writer, begun, word, means string) {
	if strings.HasPrefix(word, begun) {
		fmt.Fprintf(w, "%s\t%s\n", word, means)
	}
}
