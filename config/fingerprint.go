package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mithril-stream/mithril-stream/internal/spec"
	"github.com/mithril-stream/mithril-stream/sketch/tlsh"
)

// FingerprintFlags say which fingerprints are compared, and how close they must be.
type FingerprintFlags struct {
	WeightFlags
	DistanceFlags
}

// DistanceFlags say how close fingerprints must be.
type DistanceFlags struct {
	Distance *int `rule:"yes" not:"sketched" needs:"--sketch simhash|--sketch tlsh: it is about fingerprints" placeholder:"D" help:"@fingerprint/distance"`
}

// WeightFlags say how long a SimHash is, and how it is computed.
type WeightFlags struct {
	Bits   int    `rule:"yes" not:"sketched" needs:"--sketch simhash: it is about fingerprints" range:"[64,128]" enum:"0,64,128" default:"0" placeholder:"N" help:"With --sketch simhash: the length of a fingerprint, 64 or 128. (default: 64)"`
	Weight string `rule:"yes" not:"sketched" needs:"--sketch simhash: it is about fingerprints" enum:",tf,uniform" default:"" placeholder:"HOW" help:"With --sketch simhash: the weight of a shingle. tf: how often it is in the text. uniform: the same for all. (default: tf)"`
	IDF    string `not:"sketched" needs:"--sketch simhash: it is about fingerprints" name:"idf" placeholder:"FILE" help:"@fingerprint/idf"`
}

// simHashShingle is the default number of tokens in a shingle of a fingerprint. With single words,
// those that are frequent in every text outweigh the rest, and unrelated texts get close
// fingerprints. With longer shingles, too few survive an edit. With --idf, frequent words weigh
// little, so a shingle is one word (idfShingle).
const simHashShingle, idfShingle = 2, 1

// Defaults of --distance.
const (
	defaultDistance = 3
	defaultTLSH     = 50
)

// weightIDF is the weight that --idf selects.
const weightIDF = "idf"

// resolveFingerprint completes the flags about fingerprints, if they are used, and rejects flags
// that have no effect on them.
func (c *comparison) resolveFingerprint() error {
	p := &spec.Fingerprint{TLSH: c.Sketch == spec.SketchTLSH, Bits: c.Bits, Weight: c.Weight, IDF: c.IDF,
		Distance: defaultDistance}
	if !p.TLSH && c.Sketch != spec.SketchSimHash {
		return c.checkSketch()
	}
	if err := c.checkBesideFingerprint(); err != nil {
		return err
	}
	most, that := tlsh.Unrelated, ""
	switch {
	case p.IDF != "" && p.Weight != "":
		return fmt.Errorf("--idf has other weights than --weight %s: leave one of them out", p.Weight)
	case p.IDF != "":
		p.Weight = weightIDF
		fill(&c.ShingleSize, idfShingle)
	}
	if p.TLSH {
		p.Distance = defaultTLSH
	} else {
		fill(&c.ShingleSize, simHashShingle)
		fill(&p.Bits, 64)
		fill(&p.Weight, "tf")
		most, that = p.Bits/4, ", a quarter of the bits"
	}
	if c.Distance != nil {
		p.Distance = *c.Distance
	}
	if p.Distance < 0 || p.Distance > most {
		return fmt.Errorf("--distance %d must be between 0 and %d%s", p.Distance, most, that)
	}
	c.Memory, c.fingerprint = spec.MemoryExact, p
	return nil
}

// checkSketch rejects an unknown kind of sketch.
func (c *comparison) checkSketch() error {
	names := choices["sketch"]()
	if c.Sketch == "" || slices.Contains(names, c.Sketch) {
		return nil
	}
	return fmt.Errorf("--sketch %s is not known: use one of %s", c.Sketch, strings.Join(names, ", "))
}

// checkBesideFingerprint rejects flags that mean nothing for fingerprints.
func (c *comparison) checkBesideFingerprint() error {
	asks, m := "--sketch "+c.Sketch, bySimHash
	if c.Sketch == spec.SketchTLSH {
		m = byTLSH
	}
	if err := m.check(c.given, asks); err != nil {
		return err
	}
	return m.checkValue(asks, "--memory", c.Memory)
}
