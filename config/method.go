package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mithril-stream/mithril-stream/config/values"
	"github.com/mithril-stream/mithril-stream/internal/layout"
	"github.com/mithril-stream/mithril-stream/internal/memory/overlap"
	"github.com/mithril-stream/mithril-stream/internal/record"
	"github.com/mithril-stream/mithril-stream/internal/spec"
	"github.com/mithril-stream/mithril-stream/internal/urlkey"
)

// Values of EditFlags.Action.
const (
	ActionDrop   = "drop-record"
	ActionCut    = "cut"
	ActionMask   = "mask"
	ActionReport = "report"
)

// EqualityFlags make records duplicates if they are equal, not merely similar.
type EqualityFlags struct {
	Exact bool     `rule:"yes" not:"rules,sketched" name:"equal" aliases:"exact" brief:"Remove only records that are the same" help:"@method/equal"`
	Key   []string `rule:"field" not:"rules,sketched" run:"same" placeholder:"FIELD" sep:"none" brief:"Remove records whose field equals an earlier one" help:"@method/key"`

	KeyForms []urlkey.Form `kong:"-"` // of the values of each field of Key; nil for no normalization
}

// IsSet reports whether any of the flags is set.
func (e EqualityFlags) IsSet() bool { return e.Exact || len(e.Key) > 0 }

// takeForms splits the keys into fields, which it returns, and the forms of their values.
func (e *EqualityFlags) takeForms() (fields []string, err error) {
	forms := make([]urlkey.Form, len(e.Key))
	for i, key := range e.Key {
		var field string
		field, forms[i] = urlkey.Cut(key)
		err = errors.Join(err, checkOneForm(key, field))
		fields = append(fields, field)
	}
	if slices.ContainsFunc(forms, func(f urlkey.Form) bool { return f != urlkey.AsItIs }) {
		e.KeyForms = forms
	}
	return fields, err
}

// checkOneForm rejects a form given for only one alternative of a field.
func checkOneForm(key, field string) error {
	alternatives := record.Alternatives(field)
	for _, one := range alternatives {
		if _, form := urlkey.Cut(one); form != urlkey.AsItIs && len(alternatives) > 1 {
			return fmt.Errorf("--key %s: a form applies to all alternatives: give it once, at the end", key)
		}
	}
	return nil
}

// MethodFlags select a rule other than similarity.
type MethodFlags struct {
	EqualityFlags
	PartFlags
	EditFlags
}

// EditFlags say what to do with parts of records that were seen before.
type EditFlags struct {
	Action string `not:"equality,key" run:"same" default:"drop-record" enum:"drop-record,cut,mask,report" placeholder:"WHAT" help:"@method/action"`
	Mask   string `needs:"--action mask: nothing else is replaced" run:"same" default:"[…]" placeholder:"TEXT" help:"With --action mask: the text that replaces a paragraph. (default: ${default})"`
}

// PartFlags say which parts of records are judged.
type PartFlags struct {
	Method  string       `rule:"yes" not:"rules" placeholder:"NAME" brief:"Judge by parts seen before: ccnet, dolma, dclm, …" help:"@method/method"`
	Overlap float64      `rule:"yes" not:"equality,key" range:"(0,1]" placeholder:"T" help:"@method/overlap"`
	Parts   values.Count `not:"equality,key,set" range:"[1,)" placeholder:"N" help:"@method/parts"`

	NGram     int    `kong:"-"` // for methods that use n-grams
	Tokens    string `kong:"-"` // for bloom-ngrams
	PartScale int    `kong:"-"` // for methods that sample n-grams; 1 means all
}

// Edits reports whether parts of records are edited or reported, rather than records removed.
func (e EditFlags) Edits() bool { return e.Action != "" && e.Action != ActionDrop }

// methodOfPreset selects the method if the preset names one.
func (c *comparison) methodOfPreset() error {
	if !slices.Contains(overlap.MethodNames(), c.Preset) {
		return nil
	}
	if c.Method != "" && c.Method != c.Preset {
		return fmt.Errorf("--preset %s and --method %s are two methods: give one of them", c.Preset, c.Method)
	}
	c.Method, c.Preset, c.given = c.Preset, "", c.given.Without("--preset")
	c.given["--method"] = true
	return nil
}

// resolveMethod checks the flags given with a method, before presets and defaults set others.
func (c *comparison) resolveMethod() error {
	asks, m := "--method "+c.Method, byParts
	switch {
	case c.EqualityFlags.IsSet() && c.Method != "":
		return fmt.Errorf("--equal and --key compare whole records, and --method %s parts of them: give one of them",
			c.Method)
	case len(c.Key) > 0:
		c.Method, asks, m = spec.MethodExact, "--key", byKey
	case c.Exact:
		c.Method, asks, m = spec.MethodExact, "--equal", byEquality
	case c.Method == "":
		return c.withoutMethod()
	}
	if c.Method == spec.MethodExact {
		if err := c.resolveKeyTimes(asks); err != nil {
			return err
		}
	}
	if err := m.checkValue(asks, "--memory", c.Memory); err != nil {
		return err
	}
	if c.Memory == spec.MemoryExact {
		if err := c.inExactMemory().check(c.given, c.askingExact(asks)); err != nil {
			return err
		}
	}
	if c.Method == spec.MethodExact {
		fill(&c.Normalize, "none")
	} else if err := c.completeParts(); err != nil {
		return err
	}
	if err := m.check(c.given, asks); err != nil {
		return err
	}
	if len(c.Key) > 0 && !layout.HasKeys(layout.Name(c.format)) {
		return fmt.Errorf("--key names a field, and records of %s have none", c.format)
	}
	fields, err := c.EqualityFlags.takeForms()
	*c.fields = append(*c.fields, fields...)
	return err
}

// askingExact returns the flags that imply an exact memory, for error messages.
func (c *comparison) askingExact(asks string) string {
	if c.ForgetAfter > 0 && !c.given["--memory"] {
		return asks + " --forget-after"
	}
	return asks + " --memory exact"
}

// inExactMemory returns the mode in which keys or parts of records are remembered exactly, rather
// than in Bloom filters.
func (c *comparison) inExactMemory() mode {
	if c.Method == spec.MethodExact {
		return inKeys
	}
	return inSet
}

// withoutMethod rejects flags that need a method if none is given.
func (c *comparison) withoutMethod() error {
	switch {
	case c.Overlap != 0:
		return errors.New("--overlap needs --method NAME: it is the share of its parts")
	case c.Edits():
		return fmt.Errorf("--action %s needs --method NAME: similar records have no parts", c.Action)
	case c.Parts != 0:
		return errors.New("--parts needs --method NAME: give --capacity for records")
	}
	return nil
}

// completeParts checks the flags that define parts, and fills in what the user did not set.
func (c *comparison) completeParts() error {
	p := overlap.Params{
		Method: c.Method, NGram: c.ShingleSize, Tokens: c.Tokenize, Threshold: c.Overlap, Scale: c.Scale,
	}
	complete, err := p.Complete()
	switch {
	case !slices.Contains(overlap.MethodNames(), c.Method):
		return fmt.Errorf("--method %s is not known: use one of %s", c.Method,
			strings.Join(overlap.MethodNames(), ", "))
	case c.ShingleSize != 0 && !p.HasNGrams():
		return fmt.Errorf("--shingle-size is the length of an n-gram, and %s has none", c.Method)
	case c.Tokenize != "" && c.Method != "bloom-ngrams":
		return fmt.Errorf("--tokenize does not go with --method %s, which has its own words", c.Method)
	case c.Tokenize != "" && err != nil:
		return fmt.Errorf("--tokenize %s: bloom-ngrams takes char or whitespace", c.Tokenize)
	case err != nil:
		return fmt.Errorf("--method %s: %w", c.Method, err)
	case c.Parts != 0 && c.GivenCapacity != nil:
		return errors.New("--parts and --capacity both say what to plan for: give one of them")
	}
	c.Overlap, c.NGram, c.Tokens, c.PartScale = complete.Threshold, complete.NGram, complete.Tokens, complete.Scale
	c.ShingleSize, c.Tokenize, c.given = 0, "", c.given.Without("--shingle-size", "--tokenize")
	if c.GivenFPRate == nil && p.HasNGrams() {
		rate := nGramRate
		c.GivenFPRate = &rate
	}
	if c.Edits() {
		return c.checkEdit(complete)
	}
	return nil
}

// nGramRate is the false-positive rate for n-grams. No single n-gram decides: an error in a
// thousand of them changes no share by an amount that matters, and needs a third less memory than
// 1e-8.
const nGramRate = 1e-3

// checkEdit checks the flags given with --action cut, mask or report.
func (c *comparison) checkEdit(p overlap.Params) error {
	asks := "--action " + c.Action
	switch {
	case !p.HasPieces():
		return fmt.Errorf("%s does not go with --method %s, which looks at whole records", asks, c.Method)
	case p.Scale > 1:
		return fmt.Errorf("%s does not go with --scale %d: a paragraph has too few n-grams for a sample of them", asks,
			p.Scale)
	case len(*c.fields) > 1:
		return fmt.Errorf("%s takes one --field: the paragraphs of several could not be told apart", asks)
	}
	return withEdits.check(c.given, asks)
}
