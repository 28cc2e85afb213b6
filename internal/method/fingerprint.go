package method

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/memory/fingerprints"
	"github.com/mithril-stream/mithril-stream/internal/parameter"
	"github.com/mithril-stream/mithril-stream/internal/usage"
	"github.com/mithril-stream/mithril-stream/sketch/simhash"
	"github.com/mithril-stream/mithril-stream/sketch/tlsh"
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

// digestSketcher returns what makes a sketcher of TLSH digests for each worker, and which these
// are.
func digestSketcher(c *config.Filter) (func() stream.Sketcher, KeyKind, error) {
	if _, err := tlsh.NewBySymbols(c.Text.Normalize); err != nil {
		return nil, KeyKind{}, err
	}
	kind := fingerprintsOf(c, []bloomlsh.Parameter{
		{Name: "markup", Value: c.Text.Markup},
		{Name: "normalize", Value: c.Text.Normalize},
		{Name: "sketch", Value: c.Similar.Sketch},
	})
	return func() stream.Sketcher {
		s, _ := tlsh.NewBySymbols(c.Text.Normalize) // the name is right
		return s
	}, kind, nil
}

// ofFingerprints says that the memory has fingerprints, and how to make them.
func (m *storedMemory) ofFingerprints(_ string, files *SketchFiles) error {
	c := &config.Filter{Fingerprint: &config.Fingerprint{TLSH: m.Parameter("sketch") == config.SketchTLSH}}
	c.Similar.Sketch = m.Parameter("sketch")
	c.Text.Normalize, c.Text.Tokenize = m.Parameter("normalize"), m.Parameter("tokenize")
	c.Fingerprint.Weight = m.Parameter("weight")
	var wrong [3]error
	c.Fingerprint.Distance, wrong[0] = m.number("distance")
	if !c.Fingerprint.TLSH {
		c.Fingerprint.Bits, wrong[1] = m.number("bits")
		c.Text.ShingleSize, wrong[2] = m.number("shingle-size")
	}
	if err := errors.Join(wrong[:]...); err != nil {
		return err
	}
	m.Kind = fingerprintKind(FingerprintParams(c))
	if files == nil {
		return nil
	}
	c.Text.Markup, c.Fingerprint.IDF = m.Parameter("markup"), files.Idf
	if hash := m.Parameter("idf"); hash != "" && files.Idf == "" {
		return usage.Error(errors.New("its fingerprints have weights: give the --idf FILE that they were made with"))
	}
	made, of, err := fingerprintSketcher(c)
	if err != nil {
		return err
	}
	if differences := parameter.Differences(m.Identity, of.Identity, "here"); len(differences) > 0 {
		return fmt.Errorf("it was made with another table of weights: %s", strings.Join(differences, ", "))
	}
	return m.extracted(made)
}
