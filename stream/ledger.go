package stream

import (
	"bytes"
	"fmt"

	"github.com/zeebo/xxh3"

	"github.com/mithril-stream/mithril-stream/internal/record"
)

// A ledger counts records, and keeps track of the position in the inputs.
type ledger struct {
	opts       *Options
	stats      Stats
	blankLines bool   // may stand between the records of the output
	head       []byte // the first bytes of the input that is read, up to HeadSize
	tail       []byte // the last bytes of it so far, up to tailSize
	unplaced   uint64 // bytes of the input after its last record
	present    presence
	omitted    []omittedOf // of the batch, from the next record on
}

// newLedger continues the counts of an earlier run.
func newLedger(o *Options) ledger {
	return ledger{opts: o, stats: o.From, blankLines: o.allowsBlankLines()}
}

// open counts what is known about the next batch as a whole.
func (l *ledger) open(b *batch) {
	l.countInput(b)
	l.stats.LineTime = b.lineTime
	if header := b.header(); len(header) > 0 && l.stats.Header == 0 {
		l.stats.Header = headerHash(header, b.table)
	}
	l.omitted = b.omitted
	l.recordPresence(b)
}

// startInput notes which input the next records come from.
func (l *ledger) startInput(input int) {
	if name := l.opts.Inputs[input].Name; l.stats.At.Input != input || l.stats.At.Name == "" {
		l.stats.At = Position{Input: input, Name: name, Before: namesBefore(l.opts.Inputs, input)}
		l.head, l.tail, l.unplaced = l.head[:0], l.tail[:0], 0
	}
}

func (l *ledger) countInput(b *batch) {
	l.startInput(b.input)
	if b.isFramed {
		l.stats.BytesIn += b.framed.Bytes
		l.stats.At.Bytes += b.framed.Bytes
		l.stats.At.Head = b.framed.Head
		return
	}
	input := b.buf[:len(b.buf)-b.added]
	l.unplaced += uint64(len(input))
	if missing := record.HeadSize - len(l.head); missing > 0 {
		l.head = append(l.head, input[:min(missing, len(input))]...)
	}
	l.noteTail(input)
	if len(b.records) == 0 {
		return // a run is resumed after a record, not after what ends an array
	}
	if l.stats.At.Bytes < record.HeadSize {
		l.stats.At.Head = xxh3.Hash(l.head)
	}
	l.stats.BytesIn += l.unplaced
	l.stats.At.Bytes += l.unplaced
	l.unplaced, l.stats.At.Tail = 0, 0
	if n := int(l.stats.At.tailBytes()); n > 0 && n <= len(l.tail) { // after a resumption, a few are unknown at first
		l.stats.At.Tail = xxh3.Hash(l.tail[len(l.tail)-n:])
	}
}

// noteTail keeps the last bytes of the input so far.
func (l *ledger) noteTail(input []byte) {
	input = input[max(0, len(input)-tailSize):]
	kept := l.tail[max(0, len(l.tail)+len(input)-tailSize):]
	l.tail = append(l.tail[:copy(l.tail, kept)], input...)
}

// setAside decides about a record that has no text to compare (I6).
func (l *ledger) setAside(b *batch, i int, p Problem) Fate {
	if p.Kind() == record.KindBlankLine {
		l.stats.Blank++
		if !l.blankLines {
			return Dropped
		}
		return Blank
	}
	if p.Kind() == record.KindEmptyText && l.opts.Empty != EmptyReject {
		l.stats.Empty++
		if l.opts.Empty == EmptyDrop {
			return Dropped
		}
		return Blank
	}
	l.stats.Rejects[p.Kind()]++
	first := &l.stats.FirstReject
	if p.IsCutOff() {
		first = &l.stats.FirstCut
	}
	if *first == nil {
		place := l.placeOf(b, i, p)
		*first = &place
	}
	if l.opts.OnError == ErrorDivert || l.cannotLeave(p) {
		return Diverted
	}
	return Tolerated
}

// cannotLeave reports whether a record with that problem cannot be written in the output's format.
func (l *ledger) cannotLeave(p Problem) bool {
	return p.IsNotUTF8() || l.opts.Convert && !p.IsTextProblem()
}

// inputFailed handles an input that cannot be read beyond the records so far.
func (l *ledger) inputFailed(b *batch) error {
	l.startInput(b.input)
	if l.opts.isFatal(b.err) {
		if l.stats.At.Records == 0 {
			return fmt.Errorf("read %s: %w", l.stats.At.Name, b.err)
		}
		return fmt.Errorf("read %s: after %s %d: %w",
			l.stats.At.Name, record.UnitOf(l.opts.Format), l.stats.At.Records, b.err)
	}
	place := Place{
		Input: l.stats.At.Name, Unit: l.opts.Format.Unit(), Record: l.stats.At.Records, Problem: b.err.Error(),
		Spoiled: spoils(b.err),
	}
	l.stats.At.Lost = true
	if l.stats.Lost++; l.stats.FirstLost == nil {
		l.stats.FirstLost = &place
	}
	l.opts.OnLost(place)
	return nil
}

// placeOf returns the place of record i of the batch, with its problem.
func (l *ledger) placeOf(b *batch, i int, p Problem) Place {
	name, number := l.whereIs(b, i)
	problem := p.Describe(l.opts.Format, l.opts.MaxRecord)
	if p == record.NoTime && b.noTime.found != "" && b.noTime.record == i {
		problem += ": " + b.noTime.found
	}
	if lines := b.linesOf(i); p.IsCutOff() && lines > 1 {
		problem += fmt.Sprintf(": it has %d lines: is a quote not closed?", lines)
	}
	return Place{Input: name, Unit: l.opts.Format.Unit(), Record: number, Problem: problem}
}

// linesOf returns the number of lines of record i of the batch, without empty lines at its end.
func (b *batch) linesOf(i int) int {
	if i >= len(b.records) {
		return 0
	}
	r := b.records[i]
	return 1 + bytes.Count(bytes.TrimRight(b.buf[r.start:r.body], "\r\n"), []byte{'\n'})
}

// whereIs returns the position of record i of the batch, which must be the last one counted.
func (l *ledger) whereIs(b *batch, i int) (input string, record uint64) {
	return b.place(i, &l.stats.At)
}
