package config

import (
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/mithril-stream/mithril-stream/config/cmdline"
)

// TestRuleArgumentsAreReadBack checks that each flag of the rule can be read back: the arguments
// that an index stores set it to the same value.
func TestRuleArgumentsAreReadBack(t *testing.T) {
	values := map[string]string{
		"--field": "body", "--time": "date", "--id": "key", "--preset": "passages", "--markup": "html",
		"--normalize": "ccnet", "--tokenize": "char", "--shingle-size": "7", "--tokens": "ids",
		"--threshold": "0.7", "--tune": "f1", "--recall": "0.9", "--profile": "distinct", "--num-perm": "64",
		"--bands": "8", "--rows": "8", "--votes": "2", "--sketch": "simhash", "--band-key": "sum",
		"--seed": "7", "--bits": "128", "--weight": "uniform", "--distance": "5", "--pooling": "mean",
		"--vector": "v", "--scale": "4", "--contained": "either", "--equal": "", "--key": "url:site",
		"--method": "ccnet", "--overlap": "0.5", "--within": "url:domain", "--fp-rate": "1e-09",
		"--on-full": "refuse", "--keep-generations": "4", "--remember": "unseen", "--filter": "paged",
		"--forget-after": "36h", "--memory": "exact", "--verify": "text", "--verify-shingle": "3",
		"--containment": "0.8",
	}
	flags := rulesOf(t, nil)
	for _, flag := range flags {
		name := "--" + flag.Name
		value, known := values[name]
		if !known {
			t.Errorf("%s: give a value of it here", name)
			continue
		}
		argument := name
		if value != "" {
			argument += "=" + value
		}
		if got := argumentOf(t, name, argument); !slices.Equal(got, argumentOf(t, name, got...)) || len(got) != 1 {
			t.Errorf("%s is kept as %q, which is read as %q", argument, got, argumentOf(t, name, got...))
		}
	}
	if len(flags) != len(values) {
		t.Errorf("there are %d flags of the rule, and values of %d", len(flags), len(values))
	}
}

// TestSecretsAreNotKept checks that the flags shown for an index do not include a secret seed.
func TestSecretsAreNotKept(t *testing.T) {
	got := argumentOf(t, "--seed", "--seed=random:0123456789abcdef")
	if want := []string{"--seed=random"}; !slices.Equal(got, want) {
		t.Errorf("a secret seed is kept as %q, not as %q", got, want)
	}
}

// argumentOf returns what is stored for a flag given by these arguments.
func argumentOf(t *testing.T, name string, arguments ...string) []string {
	t.Helper()
	flags := new(FilterFlags)
	parsed(t, flags, arguments)
	return ruleArguments(*flags, cmdline.Given{name: true})
}

func rulesOf(t *testing.T, arguments []string) (rules []*kong.Flag) {
	t.Helper()
	for _, flag := range parsed(t, new(FilterFlags), arguments).Model.Flags {
		if flag.Tag.Get("rule") != "" {
			rules = append(rules, flag)
		}
	}
	return rules
}

func parsed(t *testing.T, flags any, arguments []string) *kong.Context {
	t.Helper()
	k, err := kong.New(flags, kong.Vars{"presets": ""}, kong.Writers(io.Discard, io.Discard), kong.Exit(func(int) {}),
		kong.KindMapper(reflect.String, kong.MapperFunc(asBytes)))
	if err != nil {
		t.Fatal(err)
	}
	ctx, err := k.Parse(arguments)
	if err != nil {
		t.Fatal(strings.Join(arguments, " "), err)
	}
	return ctx
}
