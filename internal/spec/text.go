package spec

import (
	"cmp"

	"github.com/mithril-stream/mithril-stream/sketch"
)

// A Text says how a text becomes a set of shingles. Preset is the published recipe that the rule is
// taken from; it is empty for the program's own.
type Text struct {
	Preset      string `rule:"yes" not:"presets" placeholder:"NAME" brief:"Use the settings of a published recipe: help presets" help:"@flags/preset"`
	Markup      string `rule:"yes" not:"texts,edits" default:"none" values:"none,html,html-text,markdown,auto" placeholder:"WHAT" brief:"Extract the text: html, html-text, markdown or auto" help:"@flags/markup"`
	Normalize   string `rule:"yes" not:"embedding,tokens,parts,sketched" placeholder:"HOW" values:"nfkc-fold,fineweb,ccnet,none" help:"@flags/normalize"`
	Tokenize    string `rule:"yes" not:"shingles,tokens" placeholder:"HOW" values:"word,word-grams,whitespace,char,uax29,grapheme,chinese,lines,paragraphs" brief:"Split texts by word, char, chinese, … (default: word)" help:"@flags/tokenize"`
	ShingleSize int    `rule:"yes" not:"shingles" range:"[1,)" aliases:"ngram" placeholder:"N" help:"How many consecutive tokens form a shingle. (default: 5; 2 with --sketch simhash, 1 with --idf)"`
}

// Complete fills in what the user left alone.
func (t *Text) Complete(r sketch.Recipe) {
	t.Normalize = cmp.Or(t.Normalize, r.Params.Normalize)
	t.Tokenize = cmp.Or(t.Tokenize, r.Params.Tokenize)
	t.ShingleSize = cmp.Or(t.ShingleSize, r.Params.ShingleSize)
}
