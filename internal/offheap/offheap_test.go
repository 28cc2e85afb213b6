package offheap

import "testing"

// What grows keeps its words, and has zeroes behind them, whatever pages it stands on.
func TestGrowKeepsWhatIsThere(t *testing.T) {
	sizes := []uint64{1, 511, 513, 3000, hugeWords - 1, hugeWords, hugeWords + 1, 2 * hugeWords, 3 * hugeWords,
		3*hugeWords + 5, 3*hugeWords + 6}
	words, err := Allocate(1)
	if err != nil {
		t.Fatal(err)
	}
	words[0] = 7
	for _, size := range sizes[1:] {
		had := uint64(len(words))
		if words, err = Grow(words, size); err != nil {
			t.Fatal(err)
		}
		if uint64(len(words)) != size {
			t.Fatalf("%d words in place of %d", len(words), size)
		}
		for i, word := range words {
			want := uint64(0)
			if uint64(i) < had {
				want = 7 * uint64(i+1)
			}
			if word != want {
				t.Fatalf("of %d words, %d before: word %d is %d, want %d", size, had, i, word, want)
			}
			words[i] = 7 * uint64(i+1)
		}
	}
	if err := Release(words); err != nil {
		t.Fatal(err)
	}
}

func TestWholeIsNoMore(t *testing.T) {
	for _, c := range []struct{ words, want uint64 }{
		{0, 0}, {5, 5}, {hugeWords - 1, hugeWords - 1}, {hugeWords, hugeWords}, {3*hugeWords - 1, 2 * hugeWords},
	} {
		if got := RoundToPages(c.words); got != c.want {
			t.Errorf("%d words: %d, want %d", c.words, got, c.want)
		}
	}
}
