package method

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/internal/index"
	"github.com/mithril-stream/mithril-stream/internal/parameter"
	"github.com/mithril-stream/mithril-stream/internal/spec"
	"github.com/mithril-stream/mithril-stream/internal/usage"
	"github.com/mithril-stream/mithril-stream/sketch"
)

// seedParameter is what the seed is called in an identity. Its value is a number or a secret.
const seedParameter = "seed"

func seedOf(p sketch.Params) string {
	if p.Secret != 0 {
		return p.Secret.String()
	}
	return strconv.FormatUint(p.Seed, 10)
}

// parseSeed takes back what seedOf has made of parameters.
func parseSeed(value string) (seed uint64, secret sketch.Secret, err error) {
	if secret, ok, err := sketch.ParseSecret(value); ok {
		return 0, secret, err
	}
	seed, err = strconv.ParseUint(value, 10, 64)
	return seed, 0, err
}

// secretOf is the secret in an identity, or 0.
func secretOf(identity []bloomlsh.Parameter) (secret sketch.Secret, seed string) {
	seed, _ = parameter.Value(identity, seedParameter)
	_, secret, _ = parseSeed(seed) // what is no seed is no secret
	return secret, seed
}

// secretFor is the secret of a run, or 0 if it has a seed. A random one is the secret of the
// first index that the run asks, so that their keys can be compared, or else is drawn.
func secretFor(seed spec.Seed, m spec.Memory) (sketch.Secret, error) {
	if !seed.Random {
		return seed.Secret, nil
	}
	for _, dir := range m.Indexes() {
		identity, err := index.ReadParameters(dir)
		if errors.Is(err, index.ErrNoIndex) {
			continue
		}
		if err != nil {
			return 0, err
		}
		secret, number := secretOf(identity)
		if secret == 0 {
			return 0, usage.Error(fmt.Errorf(
				"--seed random: %s was made with --seed %s: give that, or make a new index", dir, number))
		}
		return secret, nil
	}
	return sketch.NewSecret(), nil
}
