package method

import (
	"fmt"
	"strconv"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/internal/memory/samples"
	"github.com/mithril-stream/mithril-stream/internal/method/exact"
	"github.com/mithril-stream/mithril-stream/internal/method/identity"
	"github.com/mithril-stream/mithril-stream/internal/method/sketchers"
	"github.com/mithril-stream/mithril-stream/internal/spec"
	"github.com/mithril-stream/mithril-stream/sketch/fracminhash"
	"github.com/mithril-stream/mithril-stream/stream"
)

// scaleParameter is the name of the scale in an identity.
const scaleParameter = "scale"

// sampleSketcher returns a function that makes a sketcher of samples for each worker, and the kind
// of the samples.
func sampleSketcher(c spec.Method) (func() stream.Sketcher, identity.KeyKind, error) {
	if c.Rule.Samples == nil {
		return nil, identity.KeyKind{}, fmt.Errorf("--sketch %s is for the filter, kafka, judge, groups and audit: "+
			"this command has no use for samples", spec.SketchFracMinHash)
	}
	shingler, err := sketchers.ShinglesFrom(c)
	if err != nil {
		return nil, identity.KeyKind{}, err
	}
	made, err := fracminhash.New(shingler, fracminhash.Params{Scale: c.Rule.Samples.Scale, Beside: besideSamples(c)})
	list := append(sketchers.ShinglesOf(c), bloomlsh.Parameter{Name: "sketch", Value: spec.SketchFracMinHash},
		bloomlsh.Parameter{Name: scaleParameter, Value: strconv.Itoa(c.Rule.Samples.Scale)},
		bloomlsh.Parameter{Name: identity.MemoryParameter, Value: identity.MemoryOfSamples})
	switch besideSamples(c) {
	case fracminhash.Set:
		list = append(list, identity.SetsParameter)
	case fracminhash.Finer:
		list = append(list, finerParameter)
	}
	kind := identity.KeyKind{Banding: identity.OneKey, Identity: list}
	return func() stream.Sketcher { return made.Clone() }, kind, err
}

// besideSamples says what is stored with samples.
func besideSamples(c spec.Method) fracminhash.Beside {
	switch {
	case c.Rule.Verify == spec.VerifyText:
		return fracminhash.Set
	case c.Rule.Samples.Finer:
		return fracminhash.Finer
	}
	return fracminhash.Nothing
}

// finerParameter says that samples are stored with finer ones.
var finerParameter = bloomlsh.Parameter{Name: "finer", Value: "2"}

// samplesOf describes the memory of samples.
func samplesOf(c spec.Method, _ identity.KeyKind) *exact.Kind {
	return exact.KindOfSamples(samples.Params{
		Scale: c.Rule.Samples.Scale, Threshold: c.Rule.Threshold, Either: c.Rule.Samples.Either,
		Beside:     besideSamples(c),
		UnseenOnly: c.Memory.UnseenOnly(), MaxMemory: c.Memory.Spills(),
	})
}

// DefaultSampleMemory returns the default memory, in bytes, for the samples of that many records of
// moderate length, and the minimum, with which the rest is on disk.
func DefaultSampleMemory(records uint64) (memory, least uint64) {
	p := samples.Params{Scale: spec.DefaultScale, Beside: fracminhash.Finer}
	return p.PeakBytes(records), p.LeastMemory(records)
}

// ofSamples completes the description of a memory of samples. No threshold is stored. Queries do
// not need one, and a merge uses the default to find out which records are copies of each other.
func (m *storedMemory) ofSamples(string, *SketchFiles) (err error) {
	c := spec.Method{Rule: spec.Rule{Samples: &spec.Samples{}}}
	c.Rule.Text = spec.Text{
		Markup: m.Parameter("markup"), Normalize: m.Parameter("normalize"), Tokenize: m.Parameter("tokenize"),
	}
	c.Rule.Threshold, c.Rule.Verify = spec.DefaultShare, m.Parameter(identity.SetsParameter.Name)
	c.Rule.Samples.Finer = m.Parameter(finerParameter.Name) == finerParameter.Value
	if c.Rule.Samples.Scale, err = m.number(scaleParameter); err != nil {
		return err
	}
	if c.Rule.Text.ShingleSize, err = m.number("shingle-size"); err != nil {
		return err
	}
	m.Kind = samplesOf(c, identity.KeyKind{})
	made, _, err := sampleSketcher(c)
	if err != nil {
		return err
	}
	return m.extracted(made)
}

func pageOfSamples(c spec.Method, _ identity.KeyKind) Page {
	contained, source := "in-earlier", "the part of a text that is in the other one, estimated from samples"
	if c.Rule.Samples.Either {
		contained = "either"
	}
	if besideSamples(c) == fracminhash.Set {
		source = "the part of a text that is in the other one, compared exactly"
	}
	return Page{
		Threshold: c.Rule.Threshold, Source: source,
		Parameters: append(parameters("threshold", number(c.Rule.Threshold), "contained", contained,
			"sketch", c.Rule.Sketch, "scale", strconv.Itoa(c.Rule.Samples.Scale)), textParameters(c.Rule.Text)...),
		Memory: parameters("verify", c.Rule.Verify),
	}
}
