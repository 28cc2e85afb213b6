package config

import (
	"errors"
	"fmt"
)

// TokenFlags say which tokens records have.
type TokenFlags struct {
	TokenIDs string `name:"tokens" run:"same" way:"10" placeholder:"PATH" help:"Compare the tokens that records have in this field, in place of a text: a list of integers, as a tokeniser of a language model makes. A shingle is --shingle-size of them."`
}

// resolveTokens refuses what is about texts where records have tokens, and sets what follows: they
// are compared as words between spaces.
func (f *FilterFlags) resolveTokens() error {
	const reads = "--tokens compares tokens that are there, and reads no text"
	switch {
	case f.TokenIDs == "":
		return nil
	case len(f.Field) > 0:
		return errors.New("--tokens says what is compared, and so does --field: give one of them")
	case f.Sketch == SketchTLSH || f.ByVectors():
		return fmt.Errorf("--sketch %s compares no tokens: leave it or --tokens out", f.Sketch)
	case f.Method != "" || f.Exact || len(f.Key) > 0:
		return errors.New("--method, --equal and --key do not compare tokens: leave them or --tokens out")
	case f.Report != "":
		return errors.New("--report shows texts, and --tokens reads none: leave it out")
	case f.Markup != "none" && f.Markup != "":
		return fmt.Errorf("%s: leave --markup out", reads)
	}
	if flag := f.given.first("--normalize", "--tokenize"); flag != "" {
		return fmt.Errorf("%s: leave %s out", reads, flag)
	}
	f.Field, f.Normalize, f.Tokenize = []string{f.TokenIDs}, "none", "whitespace"
	return nil
}
