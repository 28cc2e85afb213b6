package sketch

import (
	"fmt"
	"math"
	"math/rand/v2"
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
	if want := AppendPacked(keys, slots, p.PackedBits()); !ok || !slices.Equal(got, want) {
		t.Errorf("got %x, want the keys and then the packed slots %x", got, want)
	}
	if len(got)-1 != SignedWords(p) {
		t.Errorf("%d words, SignedWords says %d", len(got)-1, SignedWords(p))
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
	for _, bits := range []int{1, 2, 4, 8} {
		packed := AppendPacked([]uint64{7}, slots, bits)[1:]
		if len(packed) != (11*bits+63)/64 {
			t.Fatalf("%d words for 11 slots of %d bits", len(packed), bits)
		}
		for i := range len(packed) * 64 / bits {
			want := uint64(0)
			if i < len(slots) {
				want = mixSlot(slots[i]) & (1<<bits - 1)
			}
			if got := packed[i*bits/64] >> (i * bits % 64) & (1<<bits - 1); got != want {
				t.Errorf("of %d bits slot %d is %#x, want %#x", bits, i, got, want)
			}
		}
	}
}

// A packed signature has 64 bytes unless it has very few slots, or very many, or it is asked for
// other bits.
func TestPackedBits(t *testing.T) {
	for _, c := range []struct{ numPerm, asked, bits, words int }{
		{1, 0, 8, 1}, {64, 0, 8, 8}, {65, 0, 4, 5}, {128, 0, 4, 8}, {129, 0, 2, 5}, {256, 0, 2, 8}, {512, 0, 1, 8},
		{9000, 0, 1, 141}, {128, 8, 8, 16}, {64, 1, 1, 1},
	} {
		p := Params{NumPerm: c.numPerm, SlotBits: c.asked}
		if bits, words := p.PackedBits(), p.PackedWords(); bits != c.bits || words != c.words {
			t.Errorf("%+v: %d bits, %d words", c, bits, words)
		}
	}
}

// Slots that agree are counted as if each were compared.
func TestPackedAgreement(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, bits := range []int{1, 2, 4, 8} {
		for range 100 {
			slots := 1 + rng.IntN(200)
			words := PackedWords(slots, bits)
			a, b, want := make([]uint64, words), make([]uint64, words), words*64/bits-slots
			for i := range slots {
				x, y := rng.Uint64N(1<<bits), rng.Uint64N(1<<bits)
				a[i*bits/64] |= x << (i * bits % 64)
				b[i*bits/64] |= y << (i * bits % 64)
				if x == y {
					want++
				}
			}
			if got := PackedAgreement(a, b, bits); got != want {
				t.Fatalf("%d slots of %d bits: %d agree, want %d", slots, bits, got, want)
			}
		}
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
			return AppendPacked(nil, slots, 8)
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
	keys := AppendPackedKeys(nil, AppendPacked(nil, slots, 8), bands, rows)
	for i := range slots {
		changed := slices.Clone(slots)
		changed[i] = 1000
		for band, key := range AppendPackedKeys(nil, AppendPacked(nil, changed, 8), bands, rows) {
			if (key != keys[band]) != (i/rows == band) {
				t.Errorf("slot %d is changed: the key of band %d is %v, and was %v", i, band, key, keys[band])
			}
		}
	}
}
