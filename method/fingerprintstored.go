package method

import (
	"errors"
	"fmt"
	"strings"

	"github.com/mithril-stream/mithril-stream/config"
	"github.com/mithril-stream/mithril-stream/internal/parameter"
	"github.com/mithril-stream/mithril-stream/internal/usage"
)

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
	m.Kind = fingerprintKind{FingerprintParams(c)}
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
