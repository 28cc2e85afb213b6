package config

import (
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/config/cmdline"
	"github.com/mithril-stream/mithril-stream/config/values"
	"github.com/mithril-stream/mithril-stream/internal/spec"
)

// An index stores those flags of the run that created it that make up its rule: which part of a
// record is compared, and when two records are duplicates. A tag says which flags those are:
//
//	rule:"yes"    an index keeps it, and a run that is not given it takes it from there
//	rule:"field"  the same, and a run that is given another value is told about it
//
// Flags that name files, such as --model, are not stored, since the files may move.

// ruleArguments returns arguments that set flags to their current values, for the flags that were
// given and belong to the rule of an index.
func ruleArguments(flags any, isGiven cmdline.Given) (arguments []string) {
	eachFlag(reflect.ValueOf(flags), func(name string, tag reflect.StructTag, v reflect.Value) {
		if tag.Get("rule") == "" || !isGiven[name] {
			return
		}
		if v.Kind() == reflect.Bool && v.Bool() {
			arguments = append(arguments, name)
			return
		}
		for _, value := range textsOf(v) {
			arguments = append(arguments, name+"="+value)
		}
	})
	return arguments
}

// madeByAll returns the arguments that an index stores, or nil if it has none. They name the memory
// even if it was the command's default, since commands have different defaults.
func madeByAll(arguments []string, memory spec.Memory) []string {
	const name = "--memory="
	isMemory := func(argument string) bool { return strings.HasPrefix(argument, name) }
	if memory.Index == "" {
		return nil
	}
	if slices.ContainsFunc(arguments, isMemory) {
		return arguments
	}
	return append(arguments, name+memory.Kind)
}

// textsOf returns the values to give a flag on the command line, one for each element of a list.
func textsOf(v reflect.Value) []string {
	switch v := reflect.Indirect(v).Interface().(type) {
	case []string:
		return v
	case values.Age:
		return []string{strconv.FormatInt(int64(time.Duration(v)/time.Second), 10) + "s"}
	case spec.Seed: // a secret seed is in the index, where a random one is taken from
		if v.Random || v.Secret != 0 {
			return []string{"random"}
		}
		return []string{strconv.FormatUint(v.Number, 10)}
	case float64:
		return []string{strconv.FormatFloat(v, 'g', -1, 64)}
	default:
		return []string{fmt.Sprint(v)}
	}
}

// A storedRule is the rule stored in an index.
type storedRule struct {
	dir  string
	rule []string // its arguments
}

// storedIn returns the rule stored in the first index that --index or --against names. It returns
// nil if no such index exists yet, or if all of them are in buckets and the command accepts none.
func storedIn(ctx *kong.Context, rules RuleReader) *storedRule {
	var indexes []string
	var asked RuleQuestion
	for _, flag := range ctx.Flags() {
		switch flag.Name {
		case "index":
			indexes = append(cmdline.AppendTexts(nil, flag.Target), indexes...)
		case "against":
			indexes = cmdline.AppendTexts(indexes, flag.Target)
		case "s3-endpoint":
			asked.Remote.S3Endpoint = flag.Target.String()
		case "s3-region":
			asked.Remote.S3Region = flag.Target.String()
		case "quiet":
			asked.Quiet = flag.Target.Bool()
		}
	}
	different := slices.Compact(slices.Sorted(slices.Values(indexes)))
	inBuckets := canUseBuckets(ctx) && len(different) == len(indexes)
	for _, index := range indexes {
		if strings.Contains(index, "://") && !inBuckets {
			continue
		}
		asked.Index = index
		if rule, err := rules(asked); err == nil && rule != nil { // else opening the index reports the error
			return &storedRule{index, rule}
		}
	}
	return nil
}

// canUseBuckets reports whether the command accepts indexes in buckets. If not, it rejects them
// without contacting a server.
func canUseBuckets(ctx *kong.Context) bool {
	isGiven, command := cmdline.GivenIn(ctx), ctx.Selected()
	takesDirectories := command != nil && slices.Contains([]string{"judge", "kafka"}, command.Name)
	return !takesDirectories && !isGiven["--checkpoint"] && !isGiven["--resume"]
}

// MadeBy returns the arguments that make up the rule of the run that created an index. It returns
// nil for an index that was not created from a command line.
func MadeBy(dir string) (arguments []string, err error) {
	text, isKept, err := bloomlsh.ReadMadeBy(dir)
	if err != nil || !isKept {
		return nil, err
	}
	if err := json.Unmarshal([]byte(text), &arguments); err != nil {
		return nil, fmt.Errorf("%s: the parameter %s is not a list of arguments: %w", dir, bloomlsh.MadeByParameter,
			err)
	}
	return arguments, nil
}

// ForgetsBy returns the argument by which an index forgets by time, or "" if it does not. Opening
// the index reports what is wrong with it.
func ForgetsBy(dir string) string {
	arguments, _ := MadeBy(dir)
	for _, argument := range arguments {
		if strings.HasPrefix(argument, "--forget-after=") {
			return argument
		}
	}
	return ""
}

// withStored parses the command line again, with those flags stored in the index that the command
// has and was not given. It returns nil if there are none. The notes say where the fields given
// differ from those compared when the index was created.
func withStored(
	ctx *kong.Context, args []string, version string, rules RuleReader,
) (whole *kong.Context, notes []string) {
	stored := storedIn(ctx, rules)
	if stored == nil {
		return nil, nil
	}
	flags, isGiven := map[string]*kong.Flag{}, cmdline.GivenIn(ctx)
	for _, flag := range ctx.Flags() {
		flags["--"+flag.Name] = flag
	}
	missing := stored.missing(flags, isGiven)
	notes = stored.differences(flags, isGiven)
	if len(missing) == 0 {
		return nil, notes
	}
	at := 0
	if len(args) > 0 && slices.Contains(commandNames(), args[0]) {
		at = 1
	}
	whole, err := parse(slices.Insert(slices.Clone(args), at, missing...), version, io.Discard)
	if err != nil { // the stored flags conflict with the given ones
		return nil, notes
	}
	return whole, notes
}

// missing returns arguments for the stored flags that the command has and was not given.
func (s *storedRule) missing(flags map[string]*kong.Flag, isGiven cmdline.Given) (arguments []string) {
	for _, argument := range s.rule {
		name, _, _ := strings.Cut(argument, "=")
		if flag := flags[name]; flag != nil && flag.Tag.Get("rule") != "" && !isGiven[name] {
			arguments = append(arguments, argument)
		}
	}
	return arguments
}

// differences returns notes on fields that differ from those compared when the index was created.
func (s *storedRule) differences(flags map[string]*kong.Flag, isGiven cmdline.Given) (notes []string) {
	for name, flag := range flags {
		if flag.Tag.Get("rule") != "field" || !isGiven[name] {
			continue
		}
		var given, made []string
		for _, value := range textsOf(flag.Target) {
			given = append(given, name+"="+value)
		}
		for _, argument := range s.rule {
			if strings.HasPrefix(argument, name+"=") {
				made = append(made, argument)
			}
		}
		if made == nil && name == "--field" {
			made = []string{"--field=text"}
		}
		if !slices.Equal(given, made) && made != nil {
			notes = append(notes, fmt.Sprintf("%s was made with %s, and this run compares %s with that",
				s.dir, strings.Join(made, " "), strings.Join(given, " ")))
		}
	}
	slices.Sort(notes)
	return notes
}
