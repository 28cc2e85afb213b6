package identity

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

// SeedParameter is the name of the seed in an identity. Its value is a number or a secret.
const SeedParameter = "seed"

func seedOf(p sketch.Params) string {
	if p.Secret != 0 {
		return p.Secret.String()
	}
	return strconv.FormatUint(p.Seed, 10)
}

// ParseSeed is the inverse of seedOf.
func ParseSeed(value string) (seed uint64, secret sketch.Secret, err error) {
	if secret, ok, err := sketch.ParseSecret(value); ok {
		return 0, secret, err
	}
	seed, err = strconv.ParseUint(value, 10, 64)
	return seed, 0, err
}

// SecretOf returns the secret in an identity, or 0.
func SecretOf(identity []bloomlsh.Parameter) (secret sketch.Secret, seed string) {
	seed, _ = parameter.Value(identity, SeedParameter)
	_, secret, _ = ParseSeed(seed) // an invalid seed has no secret
	return secret, seed
}

// SecretFor returns the secret of a run, or 0 if it has a numeric seed. For a random seed it is the
// secret of the first index that the run searches, so that their keys can be compared, or else
// drawn at random.
func SecretFor(seed spec.Seed, m spec.Memory) (sketch.Secret, error) {
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
		secret, number := SecretOf(identity)
		if secret == 0 {
			return 0, usage.Error(fmt.Errorf(
				"--seed random: %s was made with --seed %s: give that, or make a new index", dir, number))
		}
		return secret, nil
	}
	return sketch.NewSecret(), nil
}
