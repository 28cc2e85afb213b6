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

// What happens to records that cannot be read.
const (
	ErrorKeep   = "keep"   // they go to the output
	ErrorDivert = "divert" // they go to Outputs.Rejects only
	ErrorFail   = "fail"   // they go to the output, and the caller fails in the end
)

// What happens to records whose texts have nothing to compare.
const (
	EmptyKeep   = "keep"
	EmptyDrop   = "drop"
	EmptyReject = "reject" // they count as records that cannot be read
)

// DefaultMaxRecord is the longest record, in bytes, if Source.MaxRecord does not say otherwise.
const DefaultMaxRecord = 64 << 20

// Options are the options of a run: where records come from, how they are judged, where they go.
type Options struct {
	Source
	Method Method
	Outputs

	OnError string // ErrorKeep (the default), ErrorDivert or ErrorFail
	Empty   string // EmptyKeep (the default), EmptyDrop or EmptyReject
	Threads int    // workers; 0 is one for each processor that Go may use
	// Ahead is the number of bytes that batches may take which are read ahead for Judge.Prefetch,
	// beside those that keep the workers busy. Half of them are judged while the others are read.
	Ahead int64

	From        Stats        // the counts of the run that this one resumes: that much input is skipped
	Checkpoints *Checkpoints // nil if the run is not to be resumable

	// Mark is called for each mark that a RecordReader makes, when all records before it are
	// decided and none after it, by the goroutine that calls sinks and the judge. If it fails
	// nothing more is written. It may be nil.
	Mark func(tag any) error
}

// Source says where records come from.
type Source struct {
	Inputs    []Input           // read one after the other, as one stream
	Format    Format            // of all of them
	Union     *RowUnion         // the columns of CSV and TSV inputs whose headers differ; nil if all have one header
	MaxRecord int               // bytes, without the terminator; a longer record is a reject. 0: DefaultMaxRecord
	Inspect   func(text []byte) // is called with each text that is sketched, by several goroutines; may be nil
	// Within is the field, in the form of ID, whose value a record must have in common with those
	// that it is compared with; empty for none. The Sketcher must be a Confiner.
	Within string
	SinkData
	Times
	Limits

	// OnLost is called for each input that cannot be read to its end, after the records before that
	// place. The run then continues with the next input. If OnLost is nil, the run fails there.
	OnLost func(Place)

	// IsFatal reports whether an error of an input ends the run in spite of OnLost. It may be nil,
	// and is called by several goroutines.
	IsFatal func(error) bool
}

// SinkData says what sinks receive of each record besides its decision.
type SinkData struct {
	ID      string   // the field of JSON records, or the column of CSV, that names them; may be empty
	Fields  []string // the same for more fields, each in the form of ID
	Excerpt int      // how many bytes of each text; 0 if sinks have no use for it
}

// Times says where the times of records are.
type Times struct {
	Timed     bool       // the judge gets the times of records (Batch.Times)
	Time      string     // the field, in the form of ID, that says so; if it is empty, Record.Time
	LineTimes *LineTimes // lines of text say so, also for Fields; Time must be empty. nil if they do not
}

// Limits say which inputs make the run fail.
type Limits struct {
	// Unreadable is how many records at the beginning, if all of them cannot be read, end the run
	// with an UnreadableError before anything is written; so do fewer if the input has no more. 0
	// is never.
	Unreadable int
	// UnreadableShare is the share of all records above which, if they cannot be read, the run
	// fails in the end with a ShareError, if they are as many as UnreadableLeast. 0 is none.
	UnreadableShare float64
	UnreadableLeast uint64
	// NeedsFields has a run fail in the end, with a NoFieldError, if no record has had a string or
	// a number in ID, or also a boolean in one of Fields, or anything in one of several fields with
	// texts.
	NeedsFields bool
}

// Outputs is where records go. What is nil is not written.
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
	// Convert has Output and Duplicates written as JSON, one a line. A record that is not whole has
	// no such form: it is Diverted whatever OnError is.
	Convert bool
	// Check is what records must be besides for the form in which they are written. One that is not
	// is Diverted, too.
	Check CharCheck
	Array bool // write Output and Duplicates as one JSON array; the records must be JSON, or Convert be set

	Packed    Packed        // the outputs that take records packed, if a RecordReader frames them
	NewPacker func() Packer // makes one for each worker; nil if no output is packed
}

// Links say what happens to the records of Output before they are written. The zero Links leave
// them as they came.
type Links struct {
	Repeat Repeat  // has records written several times, or left out; it may be nil
	Shards *Shards // divides Output; it may be nil
	Annotation
	// Members are added to the records of Output that are unseen; nil adds none. They do not go
	// with Annotate.
	Members *Members
	Editing
	// Insert adds records of its own to Output. It may be nil, and goes with formats whose records
	// follow each other, which leave as they came.
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
