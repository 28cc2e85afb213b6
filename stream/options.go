package stream

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"

	"github.com/mithril-stream/mithril-stream/internal/record"
)

// What to do with records that cannot be read.
const (
	ErrorKeep   = "keep"   // they go to the output
	ErrorDivert = "divert" // they go to Outputs.Rejects only
	ErrorFail   = "fail"   // they go to the output, and the caller fails in the end
)

// What to do with records whose texts contain nothing to compare.
const (
	EmptyKeep   = "keep"
	EmptyDrop   = "drop"
	EmptyReject = "reject" // they count as records that cannot be read
)

// DefaultMaxRecord is the default of Source.MaxRecord, in bytes.
const DefaultMaxRecord = 64 << 20

// Options say where the records of a run come from, how they are judged, and where they go.
type Options struct {
	Source
	Method Method
	Outputs

	OnError string // ErrorKeep (the default), ErrorDivert or ErrorFail
	Empty   string // EmptyKeep (the default), EmptyDrop or EmptyReject
	Threads int    // workers; 0 is one for each processor that Go may use
	// Ahead limits the bytes of batches that are read ahead for Judge.Prefetch, in addition to the
	// batches that keep the workers busy. Half of them are judged while the others are read.
	Ahead int64

	From        Stats        // the counts of the run that this one resumes: that much input is skipped
	Checkpoints *Checkpoints // nil if the run is not to be resumable
	// AsideStay lets records that refer to others stay even if those are removed. They always do
	// with Checkpoints, since a resumed run would not know about the others.
	AsideStay bool

	// Mark is called for each mark of a RecordReader when exactly the records before it have been
	// decided. The goroutine that calls sinks and the judge calls Mark. If it fails, nothing more
	// is written. It may be nil.
	Mark func(tag any) error
}

// Source says where records come from.
type Source struct {
	Inputs    []Input           // read one after the other, as one stream
	Format    Format            // of all of them
	Union     *RowUnion         // the columns of CSV and TSV inputs whose headers differ; nil if all have one header
	MaxRecord int               // bytes, without the terminator; a longer record is a reject. 0: DefaultMaxRecord
	Inspect   func(text []byte) // is called with each text that is sketched, by several goroutines; may be nil
	// Within is a field, written like ID. A record is compared only with records that have the same
	// value in it. The Sketcher must be a Confiner. Empty means no field.
	Within string
	SinkData
	Times
	Limits

	// OnLost is called for each input that cannot be read to its end, after the records before that
	// place. The run then continues with the next input. If OnLost is nil, the run fails.
	OnLost func(Place)

	// IsFatal reports whether an error of an input ends the run even if OnLost is set. It may be
	// nil. Several goroutines call it.
	IsFatal func(error) bool
}

// SinkData says what sinks receive of each record in addition to the decision.
type SinkData struct {
	ID      string   // the field of JSON records, or the column of CSV, that names them; may be empty
	Fields  []string // the same for more fields, each in the form of ID
	Excerpt int      // how many bytes of each text; 0 if sinks have no use for it
}

// Times says where the times of records come from.
type Times struct {
	Timed     bool       // the judge gets the times of records (Batch.Times)
	Time      string     // the field, in the form of ID, that says so; if it is empty, Record.Time
	LineTimes *LineTimes // lines of text say so, also for Fields; Time must be empty. nil if they do not
}

// Limits say when problems with the input make a run fail.
type Limits struct {
	// If none of the first Unreadable records can be read, the run fails with an UnreadableError
	// before anything is written. The same happens if the input has fewer records and none of them
	// can be read. 0 means never.
	Unreadable int
	// If more than this share of the records, and at least UnreadableLeast, cannot be read, the run
	// fails at its end with a ShareError. 0 means never.
	UnreadableShare float64
	UnreadableLeast uint64
	// NeedsFields makes a run fail at its end with a NoFieldError if no record had a string or
	// number in ID, or a string, number or boolean in one of Fields, or any value in one of several
	// text fields.
	NeedsFields bool
}

// Outputs says where records go. Outputs that are nil are not written.
type Outputs struct {
	Output     io.Writer // the kept records
	Duplicates io.Writer // the removed records
	Rejects    io.Writer // the records that could not be read
	Sinks      []Sink    // observe every record, one after the other
	Form
	Links
}

// Form is the form in which records are written.
type Form struct {
	// Convert writes Output and Duplicates as JSON, one record per line. Only whole records can be
	// converted, so others are Diverted whatever OnError is.
	Convert bool
	// Check is what the written form requires of a record's bytes. Records that fail it are
	// Diverted, too.
	Check CharCheck
	Array bool // write Output and Duplicates as one JSON array; the records must be JSON, or Convert be set

	Packed    Packed        // the outputs that take records packed, if a RecordReader frames them
	NewPacker func() Packer // makes one for each worker; nil if no output is packed
}

// Links say how to change the records of Output before they are written. With the zero Links they
// are written as they came.
type Links struct {
	Repeat Repeat  // has records written several times, or left out; it may be nil
	Shards *Shards // divides Output; it may be nil
	Annotation
	// Members are added to the unseen records of Output. nil adds none. Members cannot be combined
	// with Annotate.
	Members *Members
	Editing
	// Insert adds records of its own to Output. It may be nil. It needs a format whose records
	// simply follow each other, and that are written as they came.
	Insert *Inserter
}

// complete checks the options and fills in defaults.
func (o Options) complete() (Options, error) {
	o.OnError = cmp.Or(o.OnError, ErrorKeep)
	o.Empty = cmp.Or(o.Empty, EmptyKeep)
	o.MaxRecord = cmp.Or(o.MaxRecord, DefaultMaxRecord)
	if o.Threads <= 0 {
		o.Threads = runtime.GOMAXPROCS(0)
	}
	switch {
	case o.Format == nil:
		return o, errors.New("stream options: Format is missing: give JSONLines or another one")
	case record.HasEmptySeparator(o.Format):
		return o, errors.New("stream options: the separator of Text is empty: give one, such as \"\\n\"")
	case o.Method.Judge.Decide == nil:
		return o, errors.New("stream options: Method.Judge is missing: give ByVotes of an index")
	case o.MaxRecord < 0:
		return o, fmt.Errorf("stream options: MaxRecord is %d: give a number of bytes", o.MaxRecord)
	case o.OnError != ErrorKeep && o.OnError != ErrorDivert && o.OnError != ErrorFail:
		return o, fmt.Errorf("stream options: OnError is %q: give keep, divert or fail", o.OnError)
	case o.Empty != EmptyKeep && o.Empty != EmptyDrop && o.Empty != EmptyReject:
		return o, fmt.Errorf("stream options: Empty is %q: give keep, drop or reject", o.Empty)
	}
	if o.Ahead < 0 {
		return o, fmt.Errorf("stream options: Ahead is %d: give a number of bytes", o.Ahead)
	}
	if o.LineTimes != nil {
		if err := o.LineTimes.Check(o.Format); err != nil {
			return o, fmt.Errorf("stream options: LineTimes: %w", err)
		}
		if o.Time != "" {
			return o, errors.New("stream options: LineTimes and Time do not go together")
		}
	}
	fields := slices.DeleteFunc(slices.Clone(o.Fields), o.LineTimes.isField)
	for _, field := range append(fields, o.ID, o.Time, o.Within) {
		if err := record.CheckName(o.Format, field); err != nil {
			return o, fmt.Errorf("stream options: %w", err)
		}
	}
	if o.Shards != nil && (o.Shards.Next == nil || o.Output == nil && o.Shards.Bytes > 0) {
		return o, errors.New("stream options: Shards needs Next, and an Output whose Bytes can be counted")
	}
	if o.Members != nil && o.Annotate {
		return o, errors.New("stream options: Members and Annotate do not go together")
	}
	if err := o.checkInsert(); err != nil {
		return o, err
	}
	if o.Excerpt < 0 {
		return o, fmt.Errorf("stream options: Excerpt is %d: give a number of bytes", o.Excerpt)
	}
	for i, in := range o.Inputs {
		if (in.Open == nil) == (in.OpenRecords == nil) {
			return o, fmt.Errorf("stream options: input %d (%s) must have one of Open and OpenRecords", i, in.Name)
		}
	}
	return o, nil
}
