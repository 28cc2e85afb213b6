package stream

import (
	"math"
	"strconv"

	"github.com/mithril-stream/mithril-stream/internal/jsontext"
)

// Annotation makes a run write every record to Output, with its verdict as JSON members.
type Annotation struct {
	Annotate bool
	// Similarity estimates the similarity to earlier records from the votes. It is nil if the judge
	// counts no votes.
	Similarity func(votes int) float64
	// Name appends the name of the record Verdict.Original, as JSON. If Name is nil, the record's
	// number is used.
	Name func(dst []byte, record uint64) []byte
}

// The member that Annotation.Annotate adds to a record: true for a duplicate, false for an unseen
// record, null for one without text.
var (
	memberDuplicate = []byte(`"mithril_duplicate":true`)
	memberUnseen    = []byte(`"mithril_duplicate":false`)
	memberUnjudged  = []byte(`"mithril_duplicate":null`)
)

// An annotating is the link that adds verdicts to records.
type annotating struct {
	passive
	Annotation
	members []byte // of the record that passes
}

func newAnnotating(p plan) link {
	if p.lane != toOutput || !p.Annotate {
		return nil
	}
	return &annotating{Annotation: p.Annotation}
}

func (a *annotating) process(r *passing) error {
	a.members = a.append(a.members[:0], &r.decision)
	r.members = a.members
	return nil
}

// append appends a record's members to dst. It appends nothing for a record that is not a JSON
// object, since that cannot have members.
func (a *annotating) append(dst []byte, d *Decision) []byte {
	switch {
	case d.Fate == Duplicate:
		dst = append(dst, memberDuplicate...)
	case d.Fate == Unseen:
		dst = append(dst, memberUnseen...)
	case d.Problem.IsTextProblem():
		return append(dst, memberUnjudged...)
	default:
		return dst
	}
	switch {
	case d.Fate == Duplicate && d.Verdict.Original != 0:
		return a.appendOriginal(dst, d.Verdict)
	case a.Similarity != nil:
		dst = append(dst, `,"mithril_votes":`...)
		dst = strconv.AppendUint(dst, uint64(d.Verdict.Votes), 10)
		dst = append(dst, `,"mithril_similarity":`...)
		dst = strconv.AppendFloat(dst, a.Similarity(int(d.Verdict.Votes)), 'f', 3, 64)
	}
	return dst
}

// appendOriginal appends the members for a duplicate whose original is known.
func (a *annotating) appendOriginal(dst []byte, v Verdict) []byte {
	dst = append(dst, `,"mithril_duplicate_of":`...)
	if name := a.Name; name != nil {
		dst = name(dst, v.Original)
	} else {
		dst = strconv.AppendUint(dst, v.Original, 10)
	}
	dst = append(dst, `,"mithril_similarity":`...)
	return AppendSimilarity(dst, v.Similarity)
}

// AppendSimilarity appends a similarity rounded to four decimals, without trailing zeros.
func AppendSimilarity(dst []byte, similarity float32) []byte {
	return strconv.AppendFloat(dst, math.Round(float64(similarity)*1e4)/1e4, 'f', -1, 64)
}

// writeAnnotated writes line with member inserted before its closing brace. Every other byte stays
// as it is. If member is empty, the whole line does.
func (o *output) writeAnnotated(line, member []byte) error {
	if len(member) == 0 {
		return o.write(line)
	}
	for _, part := range jsontext.WithMembers(line, member) {
		if err := o.write(part); err != nil {
			return err
		}
	}
	return nil
}
