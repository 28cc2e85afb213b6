package command

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/mithril-stream/mithril-stream/bloomlsh"
	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/memory/signatures"
	"github.com/mithril-stream/mithril-stream/sketch"
	"github.com/mithril-stream/mithril-stream/stream"
)

// A storedMemory is what the directory of an exact memory says about it.
type storedMemory struct {
	params      bloomlsh.Params // of the filters, which are empty
	identity    []bloomlsh.Parameter
	newSketcher func() stream.Sketcher // nil if texts are not asked about
	keys        keyKind                // that these make, as far as a model is needed for them
	kind        exactKind
}

// sketchFiles are what some sketches are made with, beside their parameters; each may be empty.
type sketchFiles struct{ model, pooling, idf string }

// readStored reads what the directory says. files are needed to ask about texts; nil asks about
// none.
func readStored(dir string, files *sketchFiles) (*storedMemory, error) {
	m := &storedMemory{}
	var err error
	if m.params, m.identity, err = bloomlsh.ReadParameters(dir); err != nil {
		return nil, err
	}
	memory, err := memoryOf(dir)
	if err != nil {
		return nil, err
	}
	switch memory {
	case config.MemoryExact:
		err = m.ofSignatures()
	case memoryOfFingerprints:
		err = m.ofFingerprints(files)
	case memoryOfVectors:
		err = m.ofVectors(dir, files)
	default:
		return nil, fmt.Errorf("%s does not know which records it has seen: make it with --memory exact", dir)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", dir, err), m.keys.close())
	}
	return m, nil
}

// parameter is the value of one of the identity, or empty.
func (m *storedMemory) parameter(name string) string {
	for _, p := range m.identity {
		if p.Name == name {
			return p.Value
		}
	}
	return ""
}

// number is the value of a parameter that must be one.
func (m *storedMemory) number(name string) (int, error) {
	n, err := strconv.Atoi(m.parameter(name))
	if err != nil {
		return 0, fmt.Errorf("the parameter %s is no number: %w", name, err)
	}
	return n, nil
}

// extracted has newSketcher make sketchers of the texts that are taken out of the markup.
func (m *storedMemory) extracted(ofText func() stream.Sketcher) error {
	name := m.parameter("markup")
	if _, err := extractedFrom(name, nil); err != nil {
		return err
	}
	m.newSketcher = func() stream.Sketcher {
		s, _ := extractedFrom(name, ofText()) // the name is right
		return s
	}
	return nil
}

// ofSignatures says that the memory has signatures, and how to make them. Any shared band makes a
// candidate; of the similarity only what is equal is looked for.
func (m *storedMemory) ofSignatures() error {
	params, err := paramsOf(m.identity, m.params.Bands)
	if err != nil {
		return err
	}
	made, err := sketcherWith(params)
	if err != nil {
		return err
	}
	sets := slices.Contains(m.identity, setsParameter)
	m.kind = &signatureKind{Params: signatures.Params{
		NumPerm: params.NumPerm, Bands: params.Bands, Rows: params.Rows, Votes: 1, Threshold: 1, Sets: sets,
	}}
	return m.extracted(func() stream.Sketcher {
		if sets {
			return sketch.SignedSet{Sketcher: made.Clone()}
		}
		return sketch.Signed{Sketcher: made.Clone()}
	})
}

// paramsOf takes back what identity has made of the parameters of a sketch.
func paramsOf(list []bloomlsh.Parameter, bands int) (p sketch.Params, err error) {
	number := func(text string) int {
		n, wrong := strconv.Atoi(text)
		err = errors.Join(err, wrong)
		return n
	}
	p.Bands = bands
	for _, parameter := range list {
		switch value := parameter.Value; parameter.Name {
		case "normalize":
			p.Normalize = value
		case "tokenize":
			p.Tokenize = value
		case "shingle-size":
			p.ShingleSize = number(value)
		case "sketch":
			p.Sketch = value
		case "num-perm":
			p.NumPerm = number(value)
		case seedParameter:
			var wrong error
			p.Seed, p.Secret, wrong = parseSeed(value)
			err = errors.Join(err, wrong)
		case "rows":
			p.Rows = number(value)
		case "band-key":
			p.BandKey = value
		}
	}
	return p, errors.Join(err, p.Validate())
}
