package method

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/internal/memory/fingerprints"
	"github.com/mithril-stream/mithril-stream/internal/method/exact"
	"github.com/mithril-stream/mithril-stream/internal/method/identity"
	"github.com/mithril-stream/mithril-stream/internal/method/sketchers"
	"github.com/mithril-stream/mithril-stream/internal/parameter"
	"github.com/mithril-stream/mithril-stream/internal/spec"
	"github.com/mithril-stream/mithril-stream/internal/usage"
	"github.com/mithril-stream/mithril-stream/sketch/simhash"
	"github.com/mithril-stream/mithril-stream/sketch/tlsh"
	"github.com/mithril-stream/mithril-stream/stream"
)

// fingerprintSketcher returns a function that makes a sketcher of fingerprints for each worker, and
// the kind of the fingerprints.
func fingerprintSketcher(c spec.Method) (func() stream.Sketcher, identity.KeyKind, error) {
	if c.Rule.Fingerprint.TLSH {
		return digestSketcher(c)
	}
	shingler, err := sketchers.ShinglesFrom(c)
	if err != nil {
		return nil, identity.KeyKind{}, err
	}
	weights, err := sketchers.ReadWeights(c)
	if err != nil {
		return nil, identity.KeyKind{}, err
	}
	made, err := simhash.New(shingler, simhash.Params{
		Bits: c.Rule.Fingerprint.Bits, Weight: c.Rule.Fingerprint.Weight, Weights: weights,
	})
	list := append(sketchers.ShinglesOf(c), bloomlsh.Parameter{Name: "sketch", Value: c.Rule.Sketch},
		bloomlsh.Parameter{Name: "bits", Value: strconv.Itoa(c.Rule.Fingerprint.Bits)},
		bloomlsh.Parameter{Name: "weight", Value: c.Rule.Fingerprint.Weight})
	if weights != nil {
		list = append(list, bloomlsh.Parameter{Name: "idf", Value: fmt.Sprintf("%016x", weights.Hash())})
	}
	return func() stream.Sketcher { return made.Clone() }, fingerprintsOf(c, list), err
}

// fingerprintsOf returns the kind of the fingerprints that may be compared with each other. made
// says how they are made.
func fingerprintsOf(c spec.Method, made []bloomlsh.Parameter) identity.KeyKind {
	return identity.KeyKind{Banding: identity.OneKey, Identity: append(made,
		bloomlsh.Parameter{Name: "distance", Value: strconv.Itoa(c.Rule.Fingerprint.Distance)},
		bloomlsh.Parameter{Name: identity.MemoryParameter, Value: identity.MemoryOfFingerprints},
	)}
}

// fingerprintsKind describes the memory of the fingerprints of a method.
func fingerprintsKind(c spec.Method, _ identity.KeyKind) *exact.Kind {
	if c.Rule.Fingerprint.TLSH {
		return exact.KindOfFingerprints(FingerprintParams(c), "")
	}
	return exact.KindOfFingerprints(FingerprintParams(c), ", or a smaller --distance, or --bits 64")
}

// FingerprintParams returns the parameters of the memory.
func FingerprintParams(c spec.Method) fingerprints.Params {
	p := fingerprints.Params{
		Bits: c.Rule.Fingerprint.Bits, Distance: c.Rule.Fingerprint.Distance, UnseenOnly: c.Memory.UnseenOnly(),
	}
	if c.Rule.Fingerprint.TLSH {
		p.Measure = fingerprints.TLSH
	}
	return p
}

// digestSketcher returns a function that makes a sketcher of TLSH digests for each worker, and the
// kind of the digests.
func digestSketcher(c spec.Method) (func() stream.Sketcher, identity.KeyKind, error) {
	if _, err := tlsh.NewBySymbols(c.Rule.Text.Normalize); err != nil {
		return nil, identity.KeyKind{}, err
	}
	kind := fingerprintsOf(c, append(identity.Markup(c.Rule.Text.Markup),
		bloomlsh.Parameter{Name: "normalize", Value: c.Rule.Text.Normalize},
		bloomlsh.Parameter{Name: "sketch", Value: c.Rule.Sketch}))
	return func() stream.Sketcher {
		s, _ := tlsh.NewBySymbols(c.Rule.Text.Normalize) // the name is right
		return s
	}, kind, nil
}

// ofFingerprints completes the description of a memory of fingerprints.
func (m *storedMemory) ofFingerprints(_ string, files *SketchFiles) error {
	c := spec.Method{Rule: spec.Rule{Fingerprint: &spec.Fingerprint{TLSH: m.Parameter("sketch") == spec.SketchTLSH}}}
	c.Rule.Sketch = m.Parameter("sketch")
	c.Rule.Text.Normalize, c.Rule.Text.Tokenize = m.Parameter("normalize"), m.Parameter("tokenize")
	c.Rule.Fingerprint.Weight = m.Parameter("weight")
	var wrong [3]error
	c.Rule.Fingerprint.Distance, wrong[0] = m.number("distance")
	if !c.Rule.Fingerprint.TLSH {
		c.Rule.Fingerprint.Bits, wrong[1] = m.number("bits")
		c.Rule.Text.ShingleSize, wrong[2] = m.number("shingle-size")
	}
	if err := errors.Join(wrong[:]...); err != nil {
		return err
	}
	m.Kind = fingerprintsKind(c, identity.KeyKind{})
	if files == nil {
		return nil
	}
	c.Rule.Text.Markup, c.Rule.Fingerprint.IDF = m.Parameter("markup"), files.Idf
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
