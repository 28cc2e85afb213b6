package help

import (
	"cmp"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/alecthomas/kong"
)

// width is how wide a text is, in columns.
const width = 80

// A Row is a name, and what is said about it.
type Row struct{ Name, Text string }

// rows writes rows, and what is said in them one below another.
func rows(w io.Writer, list []Row, indent int) {
	const most = 24 // a longer name has a line of its own
	column := 0
	for _, r := range list {
		if len(r.Name) <= most {
			column = max(column, len(r.Name))
		}
	}
	column += indent + 2
	for _, r := range list {
		line := fmt.Sprintf("%*s%-*s", indent, "", column-indent, r.Name)
		if len(r.Name)+indent+2 > column {
			fmt.Fprintf(w, "%*s%s\n", indent, "", r.Name)
			line = strings.Repeat(" ", column)
		}
		for _, part := range wrapped(r.Text, width-column) {
			fmt.Fprintln(w, strings.TrimRight(line+part, " "))
			line = strings.Repeat(" ", column)
		}
	}
}

// wrapped wraps a text to lines of at most columns columns.
func wrapped(text string, columns int) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		switch {
		case line == "":
			line = word
		case len(line)+1+len(word) > columns:
			lines, line = append(lines, line), word
		default:
			line += " " + word
		}
	}
	return append(lines, line)
}

// left is how a flag is given.
func left(f *kong.Flag) string {
	s := "    --" + f.Name
	if f.Short != 0 {
		s = "-" + string(f.Short) + ", --" + f.Name
	}
	if f.IsBool() {
		return s
	}
	return s + " " + cmp.Or(f.PlaceHolder, strings.ToUpper(f.Name))
}

// describe is all that is said of a flag or an argument.
func describe(v *kong.Value, choices []string) string {
	text, def := divided(v)
	return strings.TrimSuffix(text, ".") + "." + inBrackets(missing(text, choices), def)
}

// sentence is the first sentence of it, with the default.
func sentence(v *kong.Value, choices []string) string {
	text, def := divided(v)
	text, _, _ = strings.Cut(strings.TrimSuffix(text, "."), ". ")
	return text + inBrackets(missing(text, choices), def)
}

const defaultAtEnd = ` ?\((default: [^()]*(\([^()]*\)[^()]*)*)\)$`

// divided is what is said of a flag, and its default.
func divided(v *kong.Value) (text, def string) {
	text = strings.ReplaceAll(textOf(v.OrigHelp), "${default}", v.Default)
	if at := regexp.MustCompile(defaultAtEnd).FindStringSubmatchIndex(text); at != nil {
		return text[:at[0]], text[at[2]:at[3]]
	}
	return text, ""
}

// missing are the choices, if the text does not name all of them.
func missing(text string, choices []string) string {
	for _, choice := range choices {
		if !strings.Contains(text, choice) {
			return strings.Join(choices, ", ")
		}
	}
	return ""
}

// inBrackets has what stands behind a text in brackets.
func inBrackets(choices, def string) string {
	switch {
	case choices == "" && def == "":
		return ""
	case choices == "" || def == "":
		return " (" + choices + def + ")"
	}
	return " (" + choices + "; " + def + ")"
}
