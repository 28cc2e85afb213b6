// Package fixedseed fixes the seed of a package's property tests, so that a fresh clone always
// tries the same cases. Test packages that use rapid import it for its side effect. RAPID_SEED=0 in
// the environment selects random cases (make explore), and -rapid.seed a given seed.
package fixedseed

import (
	"flag"
	"os"
	"strconv"
	"testing"

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

// Quarter lets the property tests of t try a quarter of the usual number of cases: it is for tests
// that take longer than all others. RAPID_CHECKS in the environment (make explore) and
// -rapid.checks set the number for these, too. Tests that run in parallel must not call it.
func Quarter(t testing.TB) {
	checks := flag.Lookup("rapid.checks")
	_, chosen := os.LookupEnv("RAPID_CHECKS")
	if chosen || checks.Value.String() != checks.DefValue {
		return
	}
	n, err := strconv.Atoi(checks.DefValue)
	if err != nil {
		t.Fatal(err)
	}
	set := func(n int) {
		if err := checks.Value.Set(strconv.Itoa(n)); err != nil {
			t.Fatal(err)
		}
	}
	set(n / 4)
	t.Cleanup(func() { set(n) })
}
