package method

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/mithril-stream/mithril-stream/internal/index"
	"github.com/mithril-stream/mithril-stream/internal/method/exact"
	"github.com/mithril-stream/mithril-stream/internal/method/identity"
	"github.com/mithril-stream/mithril-stream/internal/method/sketchers"
	"github.com/mithril-stream/mithril-stream/internal/parameter"
	"github.com/mithril-stream/mithril-stream/internal/spec"
	"github.com/mithril-stream/mithril-stream/sketch"
	"github.com/mithril-stream/mithril-stream/stream"
)

// A storedMemory describes an exact memory as its directory does.
type storedMemory struct {
	exact.Description
	NewSketcher func() stream.Sketcher // nil if texts are not queried
	Keys        identity.KeyKind       // of these sketchers; set only for vectors
}

// SketchFiles are what some sketches are made with, besides their parameters. Each may be empty.
type SketchFiles struct {
	Model, Pooling, Idf string
	Vector              string // the field that has the vectors of records
}

// ReadStored reads the description in a directory. files are needed to query texts, and may be nil
// otherwise.
func ReadStored(dir string, files *SketchFiles) (*storedMemory, error) {
	m := &storedMemory{}
	var err error
	if m.All, err = index.ReadParameters(dir); err != nil {
		return nil, err
	}
	memory := identity.MemoryIn(m.All)
	m.Identity = identity.Without(identity.Asked(m.All), []string{identity.BandsParameter})
	if memory == identity.MemoryOfGroups {
		return nil, fmt.Errorf("%s is an index of groups, which groups --index alone reads and adds to: give one of "+
			"--memory exact", dir)
	}
	of := slices.IndexFunc(methods, func(of Method) bool { return of.stored != nil && of.memory == memory })
	if of < 0 {
		return nil, fmt.Errorf("%s does not know which records it has seen: make it with --memory exact", dir)
	}
	if field := m.Parameter(sketchers.WithinParameter); field != "" && files != nil {
		return nil, fmt.Errorf("%s compares records only with those of the same %s: filter the records by "+
			"mithril-stream --read-only --within %[2]s, and --originals names what they resemble", dir, field)
	}
	value, _ := parameter.Value(m.All, identity.BandsParameter)
	if m.Bands, err = strconv.Atoi(value); err != nil {
		return nil, fmt.Errorf("%s: the parameter %s is not a number: %w", dir, identity.BandsParameter, err)
	}
	if files != nil {
		err = identity.CheckMarkup(m.Identity)
	}
	if err == nil {
		err = methods[of].stored(m, dir, files)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", dir, err), m.Keys.Close())
	}
	return m, nil
}

// Parameter returns the value of a parameter of the identity, or an empty string.
func (m *storedMemory) Parameter(name string) string {
	value, _ := parameter.Value(m.Identity, name)
	return value
}

// number returns the value of a parameter that must be a number.
func (m *storedMemory) number(name string) (int, error) {
	n, err := strconv.Atoi(m.Parameter(name))
	if err != nil {
		return 0, fmt.Errorf("the parameter %s is not a number: %w", name, err)
	}
	return n, nil
}

// extracted sets NewSketcher to make sketchers of texts that are extracted from the markup.
func (m *storedMemory) extracted(ofText func() stream.Sketcher) (err error) {
	if normalize := m.Parameter("normalize"); normalize != "" && m.Parameter("sketch") != spec.SketchTLSH {
		m.NewSketcher, err = sketchers.OfText(m.Parameter("markup"), normalize, m.Parameter("tokenize"), ofText)
		return err
	}
	m.NewSketcher, err = sketchers.FromMarkup(m.Parameter("markup"), ofText)
	return err
}

// sketcher returns a sketcher with the parameters of a stored sketch.
func (m *storedMemory) sketcher() (p sketch.Params, made *sketch.Sketcher, err error) {
	if p, err = m.sketchParams(); err == nil {
		made, err = sketchers.With(p)
	}
	return p, made, err
}

// sketchParams is the inverse of identity: it returns the parameters of a stored sketch.
func (m *storedMemory) sketchParams() (p sketch.Params, err error) {
	p = sketch.Params{
		Bands: m.Bands, Normalize: m.Parameter("normalize"), Tokenize: m.Parameter("tokenize"),
		Sketch: m.Parameter("sketch"), BandKey: m.Parameter("band-key"),
	}
	p.Seed, p.Secret, err = identity.ParseSeed(m.Parameter(identity.SeedParameter))
	for _, number := range []struct {
		name string
		to   *int
	}{
		{"shingle-size", &p.ShingleSize}, {"num-perm", &p.NumPerm}, {"rows", &p.Rows},
		{identity.SlotBitsParameter, &p.SlotBits},
	} {
		if number.name == identity.SlotBitsParameter && m.Parameter(identity.MemoryParameter) == identity.MemoryOfSets {
			continue // no slots are kept
		}
		var wrong error
		*number.to, wrong = m.number(number.name)
		err = errors.Join(err, wrong)
	}
	return p, errors.Join(err, p.Validate())
}
