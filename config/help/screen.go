package help

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// Brief writes what fits on one screen of 80 columns: how a command is used, and the flags that
// most runs take, whose declarations have the tag brief. The program itself lists its commands
// first.
func (m Manual) Brief(w io.Writer, node *kong.Node) {
	if node.Name != m.Root && node.Parent != nil {
		m.briefCommand(w, node)
		return
	}
	for i, example := range m.Usage {
		fmt.Fprintf(w, "%-7s%s\n", []string{"Usage:", ""}[min(i, 1)], example)
	}
	fmt.Fprintln(w, "\nCommands")
	listCommands(w, m.commands())
	fmt.Fprintln(w, "\nFlags that most runs take")
	var list []Row
	for _, g := range grouped(m.root()) {
		for _, f := range g.flags {
			if brief := f.Tag.Get("brief"); brief != "" {
				list = append(list, Row{left(f), brief})
			}
		}
	}
	rows(w, list, 2)
	fmt.Fprintf(w, "\n--help has all others; help COMMAND, --FLAG, %s\n",
		strings.Join(m.TopicNames(), ", "))
}

// briefCommand writes how a command is used, and of its flags those that it alone has, and those
// that most runs take.
func (m Manual) briefCommand(w io.Writer, node *kong.Node) {
	m.head(w, node)
	if !node.Leaf() {
		return
	}
	inRoot := map[string]bool{}
	for _, f := range flags(m.root()) {
		inRoot[f.Name] = true
	}
	all := slices.DeleteFunc(flags(node), isForExperts)
	own := slices.DeleteFunc(slices.Clone(all), func(f *kong.Flag) bool {
		return inRoot[f.Name] && !f.Required && f.Tag.Get("brief") == ""
	})
	fmt.Fprintln(w, "\nFlags")
	var list []Row
	for _, f := range own {
		text := f.Tag.Get("brief")
		if text == "" {
			text = sentence(f.Value, m.usual(f))
		}
		list = append(list, Row{left(f), text})
	}
	rows(w, list, 2)
	if left := len(all) - len(own); left > 0 {
		fmt.Fprintf(w, "\n--help has %d more, which %s has too.\n", left, m.Grammar.Name)
	}
}

// Full writes a sentence for each flag of a command but those for experts, in groups, and where
// there is more about each.
func (m Manual) Full(w io.Writer, node *kong.Node) {
	m.head(w, node)
	if !node.Leaf() {
		return
	}
	left := 0
	for _, g := range grouped(node) {
		all := len(g.flags)
		g.flags = slices.DeleteFunc(g.flags, isForExperts)
		left += all - len(g.flags)
		listGroup(w, g, m.usual)
	}
	if node.Name == m.Root {
		fmt.Fprintln(w, "\nCommands")
		listCommands(w, m.commands())
	}
	fmt.Fprintf(w, "\n%s help --FLAG describes a flag in full; topics: %s.\n", m.Grammar.Name,
		strings.Join(m.TopicNames(), ", "))
	if left > 0 {
		fmt.Fprintf(w, "%s help all has %d more, for measurements and comparisons.\n", m.Grammar.Name, left)
	}
}

// all writes a sentence for every flag: those of the program, in groups, and of each command those
// that it alone has.
func (m Manual) all(w io.Writer) {
	fmt.Fprintln(w, m.Grammar.Name)
	inRoot := map[string]bool{}
	for _, g := range grouped(m.root()) {
		listGroup(w, g, m.Choices)
		for _, f := range g.flags {
			inRoot[f.Name] = true
		}
	}
	for _, node := range m.leaves() {
		own := slices.DeleteFunc(flags(node), func(f *kong.Flag) bool { return inRoot[f.Name] })
		if len(own) > 0 {
			fmt.Fprintf(w, "\n%s\n", m.path(node))
			listFlags(w, own, m.Choices)
		}
	}
}

// listGroup writes the flags of a group below its title and the page about it, if there are any.
func listGroup(w io.Writer, g flagGroup, choices func(*kong.Flag) []string) {
	if len(g.flags) == 0 {
		return
	}
	title := "Flags"
	if g.group != nil {
		title = g.group.Title
	}
	fmt.Fprintf(w, "\n%s\n", title)
	if g.group != nil && g.group.Description != "" {
		fmt.Fprintf(w, "  %s\n", g.group.Description)
	}
	listFlags(w, g.flags, choices)
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

func listFlags(w io.Writer, list []*kong.Flag, choices func(*kong.Flag) []string) {
	var lines []Row
	for _, f := range list {
		lines = append(lines, Row{left(f), sentence(f.Value, choices(f))})
	}
	rows(w, lines, 2)
}
