package sketch

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

func TestSignedAppendsKeysAndPackedSignature(t *testing.T) {
	s := mustNew(t, defaults)
	p := s.Params()
	text := []byte("the quick brown fox jumps over the lazy dog and runs away")
	keys, _ := s.Append([]uint64{7}, text)
	slots, _ := s.Signature(nil, text)
	got, ok := Signed{s}.Append([]uint64{7}, text)
	if want := AppendPacked(keys, slots); !ok || !slices.Equal(got, want) {
		t.Errorf("got %x, want the keys and then the packed slots %x", got, want)
	}
	if len(got)-1 != SignedWords(p.NumPerm, p.Bands) {
		t.Errorf("%d words, SignedWords says %d", len(got)-1, SignedWords(p.NumPerm, p.Bands))
	}
	if got, ok := (Signed{s}).Append([]uint64{7}, []byte(" ")); ok || len(got) != 1 {
		t.Errorf("an empty text gives %v, %v", got, ok)
	}
}

func TestPackedSlotsKeepTheirPlaces(t *testing.T) {
	slots := make([]uint64, 11) // not whole words
	for i := range slots {
		slots[i] = uint64(i) * 1e15
	}
	packed := AppendPacked(nil, slots)
	if len(packed) != 2 {
		t.Fatalf("%d words for 11 slots", len(packed))
	}
	for i, v := range slots {
		if got := packed[i/8] >> (8 * (i % 8)) & 0xff; got != mixSlot(v) {
			t.Errorf("slot %d is %#x, want %#x", i, got, mixSlot(v))
		}
	}
	if packed[1]>>24 != 0 {
		t.Errorf("%#x has something after the last slot", packed[1])
	}
}

// TestUnequalSlotsSeldomPackAlike holds the 2⁻⁸ of the correction, for every family: of unrelated
// texts, 256 of 65,536 slots are expected to agree, with a standard deviation of 16.
func TestUnequalSlotsSeldomPackAlike(t *testing.T) {
	for _, family := range SketchNames() {
		p := defaults
		p.Sketch, p.ShingleSize = family, 1
		s := mustNew(t, p)
		packed := func(i int) []uint64 {
			text := ""
			for j := range 60 {
				text += fmt.Sprintf("w%dx%d ", i, j)
			}
			slots, _ := s.Signature(nil, []byte(text))
			return AppendPacked(nil, slots)
		}
		same, before := 0, packed(0)
		for i := range 512 {
			after := packed(i + 1)
			for j := range before {
				for d, slot := before[j]^after[j], 0; slot < 8; d, slot = d>>8, slot+1 {
					if d&0xff == 0 {
						same++
					}
				}
			}
			before = after
		}
		if math.Abs(float64(same)-256) > 5*16 {
			t.Errorf("%s: %d of 65,536 slots agree, expected 256", family, same)
		}
	}
}

// TestKeysOfPackedSignatures: a band has its own key, and none is of slots outside of it.
func TestKeysOfPackedSignatures(t *testing.T) {
	const bands, rows = 3, 4
	slots := make([]uint64, 13)
	for i := range slots {
		slots[i] = uint64(i)
	}
	keys := AppendPackedKeys(nil, AppendPacked(nil, slots), bands, rows)
	for i := range slots {
		changed := slices.Clone(slots)
		changed[i] = 1000
		for band, key := range AppendPackedKeys(nil, AppendPacked(nil, changed), bands, rows) {
			if (key != keys[band]) != (i/rows == band) {
				t.Errorf("slot %d is changed: the key of band %d is %v, and was %v", i, band, key, keys[band])
			}
		}
	}
}
