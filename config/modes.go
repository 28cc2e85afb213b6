package config

import (
	"fmt"
	"slices"
)

// A mode is what a run compares or remembers, or does with records, in place of the default: to
// compare texts by their sets of shingles with Bloom filters, and to leave out what is a duplicate.
// This table says which flags have no meaning beside it. One that has meaning with some values
// alone is looked at where the mode is resolved.
type mode struct {
	does    string // what asks for it does so: "compares vectors"
	refuses []string
}

// Flags that have a meaning together.
var (
	bandFlags = []string{
		"--preset", "--tune", "--recall", "--profile", "--num-perm", "--bands", "--rows", "--votes", "--band-key",
		"--seed",
	}
	shingleFlags = []string{"--normalize", "--tokenize", "--shingle-size"}
	bloomFlags   = []string{"--fp-rate", "--on-full", "--filter"}
	forgetFlags  = []string{"--keep-generations", "--forget-after"}
	otherRules   = []string{"--equal", "--key", "--method"}
	// what only says which texts are similar
	similarityFlags = slices.Concat(bandFlags, shingleFlags, []string{sketchFlag, thresholdFlag})
)

const sketchFlag, thresholdFlag = "--sketch", "--threshold"

// What is compared.
var (
	bySimHash = mode{"compares fingerprints", slices.Concat(bandFlags, bloomFlags, otherRules,
		[]string{thresholdFlag, "--verify", "--max-memory"})}
	byTLSH = mode{"compares digests of bytes", slices.Concat(bySimHash.refuses,
		[]string{"--tokenize", "--shingle-size"})}
	bySamples   = mode{"compares samples of shingles", slices.Concat(bandFlags, bloomFlags, otherRules)}
	byEmbedding = mode{"compares vectors, all of them in memory", slices.Concat(bandFlags, shingleFlags,
		bloomFlags, []string{"--verify", "--max-memory"})}
	byVectors = mode{"compares vectors that records have, and no texts", []string{
		"--model", "--pooling", "--field", "--markup", "--report"}}
	byTokens = mode{"compares tokens that records have, and no texts", slices.Concat(otherRules,
		[]string{"--field", "--markup", "--normalize", "--tokenize", "--report"})}
	byEquality = mode{"is about whole records that are equal", slices.Concat(bandFlags,
		[]string{sketchFlag, thresholdFlag, "--tokenize", "--shingle-size", "--overlap", "--action", "--parts",
			"--max-memory"})}
	byKey   = mode{"compares fields as they are", slices.Concat(byEquality.refuses, []string{"--field", "--markup"})}
	byParts = mode{"is about parts of records that are equal", slices.Concat(similarityFlags,
		[]string{"--remember", "--max-memory", "--forget-after", "--counts"})}
)

// What is remembered.
var (
	inKeys = mode{"remembers the key of each record", slices.Concat(bloomFlags, []string{"--verify", "--containment"})}
	// of parts of records
	inSet = mode{"remembers nothing after the run, and has no filters", []string{
		"--index", "--against", "--read-only", "--capacity", "--parts", "--fp-rate", "--keep-generations",
		"--originals", "--id", "--verify", "--containment", "--max-memory"}}
	// what is asked is of one kind for all records
	inBoth = mode{"asks tables first and Bloom filters later", slices.Concat(forgetFlags,
		[]string{"--against", "--read-only", "--counts"})}
	ofKinds = mode{"remembers kinds, and no other records", slices.Concat(otherRules, []string{
		"--index", "--against", "--read-only", "--resume", "--checkpoint", "--memory", "--max-memory", "--verify",
		"--capacity", "--fp-rate", "--on-full", "--keep-generations", "--remember", "--filter", "--repeat",
		"--overwrite", "--undo-runs", "--keep-runs", "--index-cache"})}
	readOnly = mode{"adds nothing to an index, and commits nothing", []string{"--checkpoint", "--resume"}}
)

// What is written, or looked at again.
var (
	withKinds = mode{"says what came again between the records", []string{
		"--annotate", "--to", "--schema", "--output-dir", "--originals", "--id", "--audit"}}
	withCounts = mode{"counts the copies of records of this run and its --index, and forgets none",
		slices.Concat(forgetFlags, []string{"--read-only", "--against"})}
	withEdits = mode{"changes records, or writes none", []string{"--markup", "--to", "--annotate", "--report"}}
	withAudit = mode{"compares sets of shingles of records of this run", slices.Concat(otherRules,
		[]string{"--index", "--against"})}
)

// check refuses a flag that has no meaning beside the one that asks for the mode.
func (m mode) check(g given, asks string) error {
	if flag := g.first(m.refuses...); flag != "" {
		return fmt.Errorf("%s does not go with %s, which %s: leave one of them out", flag, asks, m.does)
	}
	return nil
}
