package run

import (
	"time"

	"github.com/mithril-stream/mithril-stream/internal/command/formats/shards"
	"github.com/mithril-stream/mithril-stream/internal/memory/kinds"
	"github.com/mithril-stream/mithril-stream/internal/method/exact"
	"github.com/mithril-stream/mithril-stream/internal/method/filters"
	"github.com/mithril-stream/mithril-stream/internal/quality/doubts"
	"github.com/mithril-stream/mithril-stream/stream"
)

// runStats is the format of the stats file.
type runStats struct {
	Version string  `json:"version"`
	Seconds float64 `json:"seconds"`
	fieldCounts
	RunCounts
	Doubts     []doubts.Doubt       `json:"doubts,omitempty"`               // what looks wrong
	LeftOut    int                  `json:"files_left_out,omitempty"`       // of directories, by their names
	Replaced   uint64               `json:"bytes_replaced,omitempty"`       // by U+FFFD, for --invalid-utf8 replace
	Shards     []shards.Stats       `json:"shards,omitempty"`               // the files among which kept records are divided
	Others     []string             `json:"files_of_another_run,omitempty"` // whose names are those of further shards
	Repeats    uint64               `json:"repeats_run,omitempty"`          // the run whose verdicts were repeated
	Extends    uint64               `json:"extends_run,omitempty"`          // the run that this one continues
	PeakMemory uint64               `json:"peak_memory_bytes"`
	Indexes    []filters.IndexStats `json:"indexes"`          // the one that the run extended, or those that it only searched
	Exact      *exact.Stats         `json:"exact,omitempty"`  // what the exact memory holds, if there is one
	Kinds      *kinds.Stats         `json:"kinds,omitempty"`  // under --every or --rate
	Groups     *uint64              `json:"groups,omitempty"` // of two records or more, where they are formed
}

// fieldCounts are counts under the names that similar tools use, so that programs that read their
// files can read these. A record that is not a duplicate is unique, even if it has no text.
type fieldCounts struct {
	Total      uint64  `json:"total_documents"`
	Unique     uint64  `json:"unique_documents"`
	Duplicates uint64  `json:"duplicate_documents"`
	Ratio      float64 `json:"duplicate_ratio"` // of all, between 0 and 1
	Seconds    float64 `json:"processing_time_secs"`
}

func fieldCountsOf(s stream.Stats, elapsed time.Duration) fieldCounts {
	return fieldCounts{
		Total: s.Records, Unique: s.Records - s.Duplicates, Duplicates: s.Duplicates,
		Ratio: float64(s.Duplicates) / float64(max(1, s.Records)), Seconds: elapsed.Seconds(),
	}
}

// RunCounts are the counts of a run so far.
type RunCounts struct {
	Complete    bool                 `json:"complete"`
	Records     uint64               `json:"records"`
	Unseen      uint64               `json:"unseen"`
	Duplicates  uint64               `json:"duplicates"`
	Empty       uint64               `json:"empty"`
	Blank       uint64               `json:"blank_lines,omitempty"`
	LeftOut     *stream.LeftOut      `json:"left_out_of_the_text,omitempty"`
	Never       []stream.FieldMember `json:"never_left_out,omitempty"`
	NotURLs     *stream.LeftOut      `json:"values_that_are_not_urls,omitempty"`
	NonFinite   uint64               `json:"records_with_nan_or_infinity,omitempty"`
	Revisits    *stream.Followers    `json:"revisits,omitempty"` // of web archives
	Rejected    uint64               `json:"rejected"`
	Rejects     stream.RejectCounts  `json:"rejects"`
	FirstReject *stream.Place        `json:"first_reject,omitempty"`
	CutOff      uint64               `json:"cut_off"` // of the rejected: records that are cut off by the end of their input
	FirstCut    *stream.Place        `json:"first_cut_off,omitempty"`
	Lost        uint64               `json:"inputs_not_read_to_their_end"`
	FirstLost   *stream.Place        `json:"first_of_these,omitempty"`
	BytesIn     uint64               `json:"bytes_in"`
	BytesOut    uint64               `json:"bytes_out"`
}

func CountsOf(s stream.Stats) RunCounts {
	given := func(of stream.LeftOut) *stream.LeftOut {
		if of.Values == 0 {
			return nil
		}
		return &of
	}
	var revisits *stream.Followers
	if s.Followers != (stream.Followers{}) {
		revisits = &s.Followers
	}
	return RunCounts{
		Revisits: revisits,
		Blank:    s.Blank, LeftOut: given(s.LeftOut), NotURLs: given(s.NotURLs), Never: s.NeverLeftOut,
		NonFinite: s.NonFinite,
		Complete:  s.Complete && s.Lost == 0,
		Records:   s.Records, Unseen: s.Unseen, Duplicates: s.Duplicates, Empty: s.Empty,
		Rejected: s.Rejects.Total(), Rejects: s.Rejects, FirstReject: s.FirstReject, Lost: s.Lost,
		CutOff: s.Rejects.CutOff(), FirstCut: s.FirstCut,
		FirstLost: s.FirstLost,
		BytesIn:   s.BytesIn, BytesOut: s.Written.Output,
	}
}
