package method

import (
	"fmt"
	"strconv"
	"time"

	"github.com/mithril-stream/mithril-stream/internal/memory/kinds"
	"github.com/mithril-stream/mithril-stream/internal/method/exact"
	"github.com/mithril-stream/mithril-stream/internal/method/identity"
	"github.com/mithril-stream/mithril-stream/internal/spec"
	"github.com/mithril-stream/mithril-stream/internal/usage"
)

// beginDigest opens a memory that judges records by their kinds.
func beginDigest(o *Opening) (*Detector, error) {
	k := o.Method.Rule.Kinds
	var form kinds.Form
	switch o.FormatName {
	case "text":
		form = kinds.Lines(o.Separator)
	case "jsonl":
		form = kinds.Objects
	default:
		return nil, usage.Error(fmt.Errorf("--every and --rate are for text and JSON Lines, and records of %s have no "+
			"place for what is said of kinds: convert them with --to jsonl in a step before", o.FormatName))
	}
	d, err := kinds.NewDigest(exact.Params(o.Method, o.Keys), kinds.Rule{
		MaxKinds: k.MaxKinds, Every: k.Every, Pass: k.Rate.Records, PassEvery: k.Rate.Every, ForgetAfter: k.ForgetAfter,
		Timed: k.Time != "",
	}, form, time.Now)
	if err != nil {
		return nil, err
	}
	return &Detector{Judge: o.Keys.Failures.Before(d.Judge()), Digest: d}, nil
}

// pageOfDigest says what decides about kinds. Nothing is known about single pairs.
func pageOfDigest(c spec.Method, keys identity.KeyKind) Page {
	p, k := pageOfMinHash(c, keys), c.Rule.Kinds
	p.Source, p.Banded = "", false
	p.Memory = parameters("most kinds", strconv.Itoa(k.MaxKinds))
	for _, interval := range []struct {
		name string
		of   time.Duration
	}{{"every", k.Every}, {"rate, each", k.Rate.Every}, {"forget after", k.ForgetAfter}} {
		if interval.of > 0 {
			p.Memory = append(p.Memory, parameters(interval.name, interval.of.String())...)
		}
	}
	return p
}
