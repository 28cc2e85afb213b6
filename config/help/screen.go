package help

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// Brief writes what fits on two screens of 80 columns: how a command is used, the flags that the
// recipes take, whose declarations have the tag brief, and how to see all others. The program
// itself lists its commands, too.
func (m Manual) Brief(w io.Writer, node *kong.Node) {
	if node.Name != m.Root && node.Parent != nil {
		m.briefCommand(w, node)
		return
	}
	for i, example := range m.Usage {
		fmt.Fprintf(w, "%-7s%s\n", []string{"Usage:", ""}[min(i, 1)], example)
	}
	all := flags(m.root())
	for _, g := range grouped(m.root()) {
		g.flags = slices.DeleteFunc(g.flags, func(f *kong.Flag) bool { return brief(f) == "" })
		listGroup(w, g, brief)
	}
	fmt.Fprintln(w, "\nCommands")
	listCommands(w, m.commands())
	fmt.Fprintf(w, "\n%s help all lists all %d flags, and those of each command. Also:\nhelp COMMAND, --FLAG, %s.\n",
		m.Grammar.Name, len(all), strings.Join(m.TopicNames(), ", "))
}

// brief is what Brief says about a flag, or "" for one that it leaves out.
func brief(f *kong.Flag) string { return f.Tag.Get("brief") }

// briefCommand writes how a command is used, and of its flags those that it alone has, and those
// that Brief shows.
func (m Manual) briefCommand(w io.Writer, node *kong.Node) {
	m.head(w, node)
	if !node.Leaf() {
		return
	}
	text := func(f *kong.Flag) string { return cmp.Or(brief(f), m.sentence(f)) }
	ofAll := map[string]string{}
	for _, f := range flags(m.root()) {
		ofAll[f.Name] = f.OrigHelp
	}
	left := 0
	for _, g := range grouped(node) {
		all := len(g.flags)
		g.flags = slices.DeleteFunc(g.flags, func(f *kong.Flag) bool {
			return ofAll[f.Name] == f.OrigHelp && !f.Required && brief(f) == ""
		})
		left += all - len(g.flags)
		listGroup(w, g, text)
	}
	if left > 0 {
		fmt.Fprintf(w, "\n%s help %s has %d more flags.\n", m.Grammar.Name,
			strings.TrimPrefix(m.path(node), m.Grammar.Name+" "), left)
	}
}

// Full writes a sentence for each flag of a command, in groups, and where there is more about each.
func (m Manual) Full(w io.Writer, node *kong.Node) {
	m.head(w, node)
	if !node.Leaf() {
		return
	}
	for _, g := range grouped(node) {
		m.wholeGroup(w, g)
	}
}

// all writes a sentence for every flag: those of the program, in groups, and of each command those
// that it alone has.
func (m Manual) all(w io.Writer) {
	fmt.Fprintln(w, m.Grammar.Name)
	inRoot := map[string]bool{}
	for _, g := range grouped(m.root()) {
		m.wholeGroup(w, g)
		for _, f := range g.flags {
			inRoot[f.Name] = true
		}
	}
	for _, node := range m.leaves() {
		own := slices.DeleteFunc(flags(node), func(f *kong.Flag) bool { return inRoot[f.Name] })
		if len(own) > 0 {
			fmt.Fprintf(w, "\n%s\n", m.path(node))
			listFlags(w, own, m.sentence)
		}
	}
}

// wholeGroup writes a sentence for each flag of a group, below the page about it, if there is one.
func (m Manual) wholeGroup(w io.Writer, g flagGroup) {
	if g.group != nil && g.group.Description != "" {
		title := *g.group
		title.Title += "\n  " + g.group.Description
		g.group = &title
	}
	listGroup(w, g, m.sentence)
}

// sentence is the first sentence about a flag, with its choices and its default.
func (m Manual) sentence(f *kong.Flag) string { return sentence(f.Value, m.Choices(f)) }

// listGroup writes what text says about the flags of a group, if there are any, below its title.
func listGroup(w io.Writer, g flagGroup, text func(*kong.Flag) string) {
	if len(g.flags) == 0 {
		return
	}
	title := "Flags"
	if g.group != nil {
		title = g.group.Title
	}
	fmt.Fprintf(w, "\n%s\n", title)
	listFlags(w, g.flags, text)
}

// head writes how a command is used, what it does, and its arguments or commands.
func (m Manual) head(w io.Writer, node *kong.Node) {
	fmt.Fprintf(w, "Usage: %s", m.path(node))
	for _, arg := range node.Positional {
		fmt.Fprint(w, " "+argument(arg))
	}
	if !node.Leaf() {
		fmt.Fprint(w, " COMMAND")
	}
	fmt.Fprintln(w, " [FLAGS]")
	does := node.Help
	if node.Name == m.Root {
		does = m.Purpose
	}
	fmt.Fprintf(w, "\n%s\n", strings.Join(wrapped(does, width), "\n"))
	if page := m.page(node); page != "" {
		fmt.Fprintln(w, page)
	}
	if !node.Leaf() {
		fmt.Fprintln(w, "\nCommands")
		listCommands(w, node.Children)
		return
	}
	if len(node.Positional) > 0 {
		fmt.Fprintln(w)
	}
	var arguments []Row
	for _, arg := range node.Positional {
		arguments = append(arguments, Row{strings.ToUpper(arg.Name), describe(arg, nil)})
	}
	rows(w, arguments, 2)
}

// page is where there is more about a command, or about the one that it is part of.
func (m Manual) page(node *kong.Node) string {
	for ; node != nil; node = node.Parent {
		if page := m.Pages[node.Name]; page != "" {
			return page
		}
	}
	return ""
}

// argument is how an argument is given.
func argument(arg *kong.Positional) string {
	name := strings.ToUpper(arg.Name)
	if arg.IsCumulative() {
		name += "..."
	}
	if !arg.Required {
		name = "[" + name + "]"
	}
	return name
}

// A flagGroup has the flags below one title.
type flagGroup struct {
	group *kong.Group // nil for those that are in none
	flags []*kong.Flag
}

// grouped has the flags of a command by their groups, in the order in which these begin; those of
// the run itself, and those without a group, are the last.
func grouped(node *kong.Node) []flagGroup {
	var groups []flagGroup
	var others flagGroup
	for _, f := range flags(node) {
		if f.Group == nil {
			others.flags = append(others.flags, f)
			continue
		}
		i := slices.IndexFunc(groups, func(g flagGroup) bool { return g.group.Key == f.Group.Key })
		if i < 0 {
			i = len(groups)
			groups = append(groups, flagGroup{group: f.Group})
		}
		groups[i].flags = append(groups[i].flags, f)
	}
	slices.SortStableFunc(groups, func(a, b flagGroup) int { return last(a) - last(b) })
	if len(others.flags) > 0 {
		groups = append(groups, others)
	}
	return groups
}

// last is 1 for the group that comes after all others, which is the one without a page.
func last(g flagGroup) int {
	if g.group.Description == "" {
		return 1
	}
	return 0
}

func listCommands(w io.Writer, commands []*kong.Node) {
	var list []Row
	for _, c := range commands {
		list = append(list, Row{c.Name, strings.TrimSuffix(c.Help, ".")})
	}
	rows(w, list, 2)
}

func listFlags(w io.Writer, list []*kong.Flag, text func(*kong.Flag) string) {
	var lines []Row
	for _, f := range list {
		lines = append(lines, Row{left(f), text(f)})
	}
	rows(w, lines, 2)
}
