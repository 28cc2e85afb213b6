package config

import (
	"fmt"

	"github.com/mithril-stream/mithril-stream/internal/spec"
)

// TokenFlags say which tokens records have.
type TokenFlags struct {
	TokenIDs string `rule:"field" not:"sketched" name:"tokens" run:"same" way:"10" placeholder:"PATH" help:"@tokens/tokens"`
}

// apply does what the filter does with --tokens, for a command that has these of its flags.
func (t TokenFlags) apply(isGiven explicitFlags, field *[]string, text *spec.Text, similar SimilarFlags) error {
	f := FilterFlags{given: isGiven, Text: *text, SimilarFlags: similar, TokenFlags: t}
	f.Field = *field
	err := f.resolveTokens()
	*field, *text = f.Field, f.Text
	return err
}

// resolveTokens refuses what is about texts where records have tokens, and sets what follows: they
// are compared as words between spaces.
func (f *FilterFlags) resolveTokens() error {
	switch {
	case f.TokenIDs == "":
		return nil
	case f.Sketch == spec.SketchTLSH || f.ByVectors():
		return fmt.Errorf("--sketch %s compares no tokens: leave it or --tokens out", f.Sketch)
	}
	if err := byTokens.check(f.given, "--tokens"); err != nil {
		return err
	}
	f.Field, f.Normalize, f.Tokenize = []string{f.TokenIDs}, "none", "whitespace"
	return nil
}
