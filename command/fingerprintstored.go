package command

import (
	"errors"
	"fmt"
	"strings"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/parameter"
	"github.com/mithril-stream/mithril-stream/internal/usage"
)

// ofFingerprints says that the memory has fingerprints, and how to make them.
func (m *storedMemory) ofFingerprints(files *sketchFiles) error {
	c := &config.Filter{Fingerprint: &config.Fingerprint{TLSH: m.parameter("sketch") == config.SketchTLSH}}
	c.Similar.Sketch = m.parameter("sketch")
	c.Text.Normalize, c.Text.Tokenize = m.parameter("normalize"), m.parameter("tokenize")
	c.Fingerprint.Weight = m.parameter("weight")
	var wrong [3]error
	c.Fingerprint.Distance, wrong[0] = m.number("distance")
	if !c.Fingerprint.TLSH {
		c.Fingerprint.Bits, wrong[1] = m.number("bits")
		c.Text.ShingleSize, wrong[2] = m.number("shingle-size")
	}
	if err := errors.Join(wrong[:]...); err != nil {
		return err
	}
	m.kind = fingerprintKind{fingerprintParams(c)}
	if files == nil {
		return nil
	}
	c.Text.Markup, c.Fingerprint.IDF = m.parameter("markup"), files.idf
	if hash := m.parameter("idf"); hash != "" && files.idf == "" {
		return usage.Error(errors.New("its fingerprints have weights: give the --idf FILE that they were made with"))
	}
	made, of, err := fingerprintSketcher(c)
	if err != nil {
		return err
	}
	if differences := parameter.Differences(m.identity, of.identity, "here"); len(differences) > 0 {
		return fmt.Errorf("it was made with another table of weights: %s", strings.Join(differences, ", "))
	}
	return m.extracted(made)
}
