package spec

import (
	"fmt"
	"strconv"

	"github.com/mithril-stream/mithril-stream/sketch"
)

// A Seed is a number, a secret, or a wish for one: that of the index, or a new one.
type Seed struct {
	Number uint64
	Secret sketch.Secret
	Random bool
}

// UnmarshalText reads a number, the word random, or a secret as an index shows it.
func (s *Seed) UnmarshalText(text []byte) error {
	if string(text) == "random" {
		*s = Seed{Random: true}
		return nil
	}
	secret, isSecret, err := sketch.ParseSecret(string(text))
	if isSecret {
		*s = Seed{Secret: secret}
		return err
	}
	n, err := strconv.ParseUint(string(text), 10, 64)
	if err != nil {
		return fmt.Errorf("%q is no seed: write a whole number, or random", text)
	}
	*s = Seed{Number: n}
	return nil
}
