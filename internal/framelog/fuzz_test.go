package framelog

import (
	"bytes"
	"errors"
	"testing"
)

// FuzzLog reads anything after a header: what is read again as it was written, or refused; and no
// payload is larger than the file.
func FuzzLog(f *testing.F) {
	header := Header{"tests", 1, [3]uint64{2, 3, 4}}
	start := header.encode()
	f.Add([]byte{}, uint32(Entries), uint64(0), []byte("an entry"))
	f.Add(AppendFrame(nil, HeaderBytes, Note, 0, []byte("a note")), uint32(Tally), uint64(1), make([]byte, countsBytes))
	f.Add([]byte("fram"), uint32(Commit), uint64(2), []byte{})
	f.Add(AppendFrame(nil, HeaderBytes, Forgotten, 0, make([]byte, 8))[:30], uint32(lastKind+1), uint64(0), []byte("x"))
	f.Fuzz(func(t *testing.T, frames []byte, kind uint32, number uint64, payload []byte) {
		data := append(bytes.Clone(start), frames...)
		for len(data)%8 != 0 {
			data = append(data, 0)
		}
		at := int64(len(data))
		data = AppendFrame(data, at, Kind(kind), number, payload)
		size := int64(len(data))
		if size%8 != 0 {
			t.Fatalf("a frame of %d bytes", size-at)
		}
		r := NewReader(bytes.NewReader(data), size)
		got, err := r.At(at)
		switch {
		case kind == 0 && errors.Is(err, ErrCorrupt), kind > uint32(lastKind) && errors.Is(err, ErrVersion):
		case err != nil || got.Kind != Kind(kind) || got.Number != number || !bytes.Equal(got.Payload, payload) ||
			got.End != size:
			t.Fatalf("read %+v, %v", got, err)
		}
		length := int64(0)
		known := func(err error) bool { return errors.Is(err, ErrCorrupt) || errors.Is(err, ErrVersion) }
		err = Read(bytes.NewReader(data), size, Contents{
			Header: header,
			Entries: func(payload []byte, at int64) error {
				if !bytes.Equal(payload, data[at:at+int64(len(payload))]) {
					t.Fatalf("another payload at %d", at)
				}
				length += int64(len(payload))
				return nil
			},
			Notes: func(note []byte) error {
				length += int64(len(note))
				return nil
			},
		})
		if err != nil && !known(err) || length > size {
			t.Fatal(err, length)
		}
		if err := ReadForgotten(bytes.NewReader(data), size, func(uint64) {}); err != nil && !known(err) {
			t.Fatal(err)
		}
		for _, check := range []func(int64, uint64) error{r.CheckEnd, r.CheckLost} {
			if err := check(HeaderBytes, 0); err != nil && !known(err) {
				t.Fatal(err)
			}
		}
		// A good frame of a later commit is found wherever it is.
		if err := r.CheckLost(HeaderBytes, number-1); number > 0 && kind > 0 && !known(err) {
			t.Errorf("the frame of commit %d is not missed: %v", number, err)
		}
	})
}
