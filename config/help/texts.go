package help

import (
	"embed"
	"strings"
	"sync"
)

// Long texts about flags are in texts/, a file for each file of package config that declares flags.
// There each text follows the name of its flag, indented, with a blank line behind it. A help tag
// names it, as in help:"@exact/verify".
//
//go:embed texts/*.txt
var textFiles embed.FS

// textOf returns the text that a help tag is or names.
func textOf(tag string) string {
	key, isKey := strings.CutPrefix(tag, "@")
	if !isKey {
		return tag
	}
	return texts()[key]
}

// texts are all texts by their keys. They are read when help is first asked for.
var texts = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	files, err := textFiles.ReadDir("texts")
	if err != nil {
		panic("help: internal error: " + err.Error()) // it is linked
	}
	for _, file := range files {
		content, err := textFiles.ReadFile("texts/" + file.Name())
		if err != nil {
			panic("help: internal error: " + err.Error())
		}
		for _, paragraph := range strings.Split(string(content), "\n\n") {
			name, text, _ := strings.Cut(strings.TrimSpace(paragraph), "\n")
			all[strings.TrimSuffix(file.Name(), ".txt")+"/"+name] = strings.Join(strings.Fields(text), " ")
		}
	}
	return all
})
