package stream

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
)

// An archive hands over lines, each in a batch of its own or several at a time: those that begin
// with # are no records to judge, and those with an even number come packed. A line of dots is a
// long record in three pieces.
type archive struct {
	lines []string
	each  int // lines of a batch; 0 is one
	at    int
	piece int
}

func pack(line string) string { return "<" + line + ">\n" }

func (a *archive) ReadRecords(_ context.Context, to *Records) error {
	if a.at == len(a.lines) {
		return io.EOF
	}
	for a.at < len(a.lines) && len(to.List) < max(1, a.each) {
		isLong := strings.HasPrefix(a.lines[a.at], ".")
		if isLong && len(to.List) > 0 {
			break // pieces come alone
		}
		a.readLine(to)
		if isLong {
			break
		}
	}
	return nil
}

func (a *archive) readLine(to *Records) {
	line, start, packed := a.lines[a.at], len(to.Buf), len(to.Packed)
	rec := Record{Aside: strings.HasPrefix(line, "#")}
	if strings.HasPrefix(line, ".") {
		to.Piece, rec.Problem = FirstPiece+Piece(a.piece), TooLong
		line = line[a.piece : a.piece+1]
		to.Packed = append(to.Packed, line...)
		a.piece++
	} else if a.at%2 == 0 {
		to.Packed = append(to.Packed, pack(line)...)
	}
	to.Buf = append(to.Buf, line...)
	rec.Raw = Span{Start: start, End: len(to.Buf)}
	rec.Packed = Span{Start: packed, End: len(to.Packed)}
	rec.Text = rec.Raw
	to.List = append(to.List, rec)
	if a.piece == 0 || a.piece == 3 {
		a.piece = 0
		a.at++
		to.Bytes++ // places are lines
	}
}

func (a *archive) Skip(at Position) error {
	a.at = int(at.Bytes)
	return nil
}

func (a *archive) Close() error { return nil }

func packRecord(dst, record []byte) []byte { return append(dst, pack(string(record))...) }

// TestPackedRecords: an output has all records packed or none, what is not judged passes, and
// pieces stay together.
func TestPackedRecords(t *testing.T) {
	var lines []string
	for i := range 40 {
		line := fmt.Sprintf("the river rises %d miles north of %d hills", i/3, 7*(i/3))
		switch i % 10 {
		case 4:
			line = "# " + line
		case 7:
			line = "..."
		}
		lines = append(lines, line)
	}
	run := func(packed Packed) (kept, removed, flags string, stats Stats) {
		var k, d, f bytes.Buffer
		opts := testOptions(t, nil, &k)
		opts.Inputs = []Input{{Name: "archive", OpenRecords: func() (RecordReader,
			error) {
			return &archive{lines: lines}, nil
		}}}
		opts.Format, opts.Duplicates, opts.Sinks = Framed("record", nil), &d, []Sink{Flags(&f)}
		opts.Packed, opts.NewPacker = packed, func() Packer { return packRecord }
		stats, err := do(opts)
		if err != nil {
			t.Fatal(err)
		}
		return k.String(), d.String(), f.String(), stats
	}
	plain, removed, flags, stats := run(Packed{Duplicates: true})
	packed, _, _, _ := run(Packed{Output: true})
	var wantPlain, wantPacked, wantRemoved strings.Builder
	judged, kept := strings.Split(flags, "\n"), 0
	for _, line := range lines {
		keep := true
		if !strings.HasPrefix(line, "#") {
			keep, judged = judged[0] == "1", judged[1:]
			kept++
		}
		switch {
		case !keep:
			wantRemoved.WriteString(pack(line))
		case strings.HasPrefix(line, "."):
			wantPlain.WriteString(line)
			wantPacked.WriteString(line)
		default:
			wantPlain.WriteString(line)
			wantPacked.WriteString(pack(line))
		}
	}
	if plain != wantPlain.String() || packed != wantPacked.String() || removed != wantRemoved.String() {
		t.Errorf("%q\n%q\n%q", plain, packed, removed)
	}
	if stats.Records != 36 || kept != 36 || stats.Duplicates == 0 || stats.Rejects.Total() != 4 || len(judged) != 1 {
		t.Errorf("%+v, %d flags too many", stats, len(judged)-1)
	}
}
