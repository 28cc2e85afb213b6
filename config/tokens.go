package config

import (
	"fmt"

	"github.com/mithril-stream/mithril-stream/internal/spec"
)

// TokenFlags say which tokens records have.
type TokenFlags struct {
	TokenIDs string `rule:"field" not:"sketched" name:"tokens" run:"same" way:"10" placeholder:"PATH" help:"@tokens/tokens"`
}

// resolveTokens refuses what is about texts where records have tokens, and sets what follows: they
// are compared as words between spaces.
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
