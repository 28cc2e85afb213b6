// Package fixedseed fixes the seed of a package's property tests, so that a fresh clone always
// tries the same cases. Test packages that use rapid import it for its side effect. RAPID_SEED=0 in
// the environment selects random cases (make explore), and -rapid.seed a given seed.
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
