package method

import (
	"fmt"
	"strconv"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/memory/fingerprints"
	"github.com/mithril-stream/mithril-stream/sketch/simhash"
	"github.com/mithril-stream/mithril-stream/stream"
)

// fingerprintSketcher returns what makes a sketcher of fingerprints for each worker, and which
// fingerprints these are.
func fingerprintSketcher(c *config.Filter) (func() stream.Sketcher, KeyKind, error) {
	if c.Fingerprint.TLSH {
		return digestSketcher(c)
	}
	shingler, err := ShinglesFrom(c)
	if err != nil {
		return nil, KeyKind{}, err
	}
	weights, err := readWeights(c)
	if err != nil {
		return nil, KeyKind{}, err
	}
	made, err := simhash.New(shingler, simhash.Params{
		Bits: c.Fingerprint.Bits, Weight: c.Fingerprint.Weight, Weights: weights,
	})
	identity := append(ShinglesOf(c), bloomlsh.Parameter{Name: "sketch", Value: c.Similar.Sketch},
		bloomlsh.Parameter{Name: "bits", Value: strconv.Itoa(c.Fingerprint.Bits)},
		bloomlsh.Parameter{Name: "weight", Value: c.Fingerprint.Weight})
	if weights != nil {
		identity = append(identity, bloomlsh.Parameter{Name: "idf", Value: fmt.Sprintf("%016x", weights.Hash())})
	}
	return func() stream.Sketcher { return made.Clone() }, fingerprintsOf(c, identity), err
}

// fingerprintsOf are those that may be compared with each other, and what is remembered of them.
// made is how they are made.
func fingerprintsOf(c *config.Filter, made []bloomlsh.Parameter) KeyKind {
	return KeyKind{Bands: 1, Votes: 1, Identity: append(made,
		bloomlsh.Parameter{Name: "distance", Value: strconv.Itoa(c.Fingerprint.Distance)},
		bloomlsh.Parameter{Name: MemoryParameter, Value: MemoryOfFingerprints},
	)}
}

// FingerprintParams are the parameters of the memory.
func FingerprintParams(c *config.Filter) fingerprints.Params {
	p := fingerprints.Params{
		Bits: c.Fingerprint.Bits, Distance: c.Fingerprint.Distance, UnseenOnly: c.Index.Remember == "unseen",
	}
	if c.Fingerprint.TLSH {
		p.Measure = fingerprints.TLSH
	}
	return p
}
