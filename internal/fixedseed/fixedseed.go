// Package fixedseed gives the property tests of a package one seed, so that the tests of a fresh
// clone try the same cases each time. A test package that uses rapid imports it for its effect.
// RAPID_SEED=0 in the environment asks for random cases (make explore), and -rapid.seed for one.
package fixedseed

import (
	"flag"
	"os"

	_ "pgregory.net/rapid" // registers the flag
)

func init() {
	if _, chosen := os.LookupEnv("RAPID_SEED"); chosen {
		return
	}
	if err := flag.Set("rapid.seed", "1"); err != nil {
		panic(err)
	}
}
