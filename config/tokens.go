package config

import (
	"fmt"

	"github.com/mithril-stream/mithril-stream/internal/spec"
)

// TokenFlags say where the tokens of records are.
type TokenFlags struct {
	TokenIDs string `rule:"field" not:"sketched" name:"tokens" run:"same" way:"10" placeholder:"PATH" help:"@tokens/tokens"`
}

// resolveTokens rejects flags about text if records provide tokens, and sets those that follow:
// tokens are compared like words separated by spaces.
func (c *comparison) resolveTokens() error {
	switch {
	case c.TokenIDs == "":
		return nil
	case c.Sketch == spec.SketchTLSH || c.ByVectors():
		return fmt.Errorf("--sketch %s compares no tokens: leave it or --tokens out", c.Sketch)
	}
	if err := byTokens.check(c.given, "--tokens"); err != nil {
		return err
	}
	*c.fields, c.Normalize, c.Tokenize = []string{c.TokenIDs}, "none", "whitespace"
	return nil
}
