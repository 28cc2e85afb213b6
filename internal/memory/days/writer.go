package days

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/mithril-stream/mithril-stream/internal/framelog"
	"github.com/mithril-stream/mithril-stream/internal/index"
	"github.com/mithril-stream/mithril-stream/internal/jsonout"
	"github.com/mithril-stream/mithril-stream/internal/memory"
	"github.com/mithril-stream/mithril-stream/internal/written"
)

// A Day describes a committed log, which must match it.
type Day struct {
	Records uint64 `json:"records"`
	Kept    uint64 `json:"kept"`
	// Content is a hash over the inputs, sketches and ids of the day.
	Content uint64         `json:"xxh3"`
	Written written.Output `json:"written,omitzero"` // the kept records
	Merged  written.Output `json:"merged,omitzero"`  // the groups of earlier days that merged; zero if none did
	Place   written.Place  `json:"index,omitzero"`   // where the index was
}

// A Section is the days of an index, as of its next commit.
type Section struct{ Days []Day }

const sectionName = "days"

// Name implements index.Section.
func (*Section) Name() string { return sectionName }

// State implements index.Section.
func (s *Section) State() ([]byte, error) { return jsonout.Marshal(s.Days) }

// Of returns the days in a commit of the index in dir.
func Of(c *index.Commit, dir string) (list []Day, err error) {
	if text := c.State(sectionName); len(text) > 0 {
		if err = json.Unmarshal(text, &list); err != nil {
			err = fmt.Errorf("%s: %w: what its last commit says of days cannot be read: %w", dir, memory.ErrCorrupt,
				err)
		}
	}
	return list, err
}

const (
	logVersion = 1

	joinedMark   = 'j'     // begins a note of records that represent no group
	pairsMark    = 'p'     // begins a note of joined pairs
	mostOfJoined = 1 << 16 // records, or pairs, in one note
)

// header returns the header of the log of a day, numbered from 1.
func header(day int) framelog.Header {
	return framelog.Header{Holds: "days", Version: logVersion, Numbers: [3]uint64{uint64(day)}}
}

const logPrefix = "day-"

// logName returns the name of the log of a day.
func logName(day int) string { return logPrefix + strconv.Itoa(day) }

// A Writer writes the log of a day. It is not safe for concurrent use.
type Writer struct {
	day     int
	file    *index.Log
	log     *framelog.Writer
	records uint64
}

// Create creates the log of a day, replacing one that was not committed.
func Create(of *index.Writer, day int) (*Writer, error) {
	file, err := of.CreateLog(logName(day))
	if err != nil {
		return nil, err
	}
	log, err := framelog.NewWriter(file, 0, header(day))
	if err != nil {
		return nil, err
	}
	file.FlushBy(log.Flush)
	return &Writer{day: day, file: file, log: log}, nil
}

// Add writes the sketch of the next record, empty if it has none.
func (w *Writer) Add(sketch []uint64) error {
	w.records++
	w.log.BeginEntry()
	w.log.Uint64(uint64(len(sketch)))
	w.log.Words(sketch)
	return w.log.EndEntry()
}

// Records returns the number of records added.
func (w *Writer) Records() uint64 { return w.records }

// Note writes the names of some records. It implements memory.Noter.
func (w *Writer) Note(names []byte) error { return w.log.Note(names) }

// Joined writes which records no longer represent a group, or never did. Their numbers count the
// records of all days, from 1, and are in ascending order.
func (w *Writer) Joined(records []uint64) error {
	before := uint64(0)
	for len(records) > 0 {
		n := min(mostOfJoined, len(records))
		note := []byte{joinedMark}
		for _, record := range records[:n] {
			note = binary.AppendUvarint(note, record-before)
			before = record
		}
		if err := w.log.Note(note); err != nil {
			return err
		}
		records = records[n:]
	}
	return nil
}

// Pairs writes the pairs of records joined this day, ordered by their later record.
func (w *Writer) Pairs(joins []memory.Join) error {
	before := uint32(0)
	for part := range slices.Chunk(joins, mostOfJoined) {
		note := []byte{pairsMark}
		for _, j := range part {
			note = binary.AppendUvarint(note, uint64(j.Later-before))
			distance := uint64(j.Later-j.Earlier) << 1
			if j.IsCopy {
				distance |= 1
			}
			note = binary.AppendUvarint(note, distance)
			before = j.Later
		}
		if err := w.log.Note(note); err != nil {
			return err
		}
	}
	return nil
}

// Each calls do with the sketches added so far.
func (w *Writer) Each(do func(sketch []uint64) error) error {
	bytes, err := w.log.Flush()
	if err != nil {
		return err
	}
	return readLog(w.file, w.day, bytes, w.records, Contents{
		Sketch: func(sketch []uint64, _ int64) error { return do(sketch) },
	})
}
