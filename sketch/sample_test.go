package sketch

import (
	"bytes"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"unicode/utf8"
)

// rounds returns how many of all cases to try: with -short, a quarter of them.
func rounds(all int) int {
	if testing.Short() {
		return all / 4
	}
	return all
}

// sampleTexts makes n different texts of about size bytes: words of a vocabulary of 20,000 with the
// lengths and the skewed frequencies of English, capitals, punctuation, curly quotes and line ends.
func sampleTexts(n, size int) [][]byte {
	rng := rand.New(rand.NewPCG(3, 3))
	english := vocabulary(rng, "etaoinshrdlucmfwypvbgkjqxz", []int{1, 2, 3, 3, 4, 4, 5, 5, 6, 7, 8, 9, 11, 13})
	return generate(n, size, func() []string { return english })
}

// sampleMixed makes texts of sentences in Latin with accents, Cyrillic, Greek, Devanagari, Arabic,
// Han and Hiragana, a script to a text.
func sampleMixed(n, size int) [][]byte {
	alphabets := []string{
		"eaointrsldcmpuéàgbfvèçßöüxyz", "оеаинтсрвлкмдпуяыьгзбчй", "αάεέιίοόυύηήσςντρλκμπ",
		"कखगचजटडतदनपबमयरलवशसहािीुेोंके", "ابتثجحخدرسشصعفقكلمنهوي", "的一是不了人我在有他这中大来上国个到说们", "のにはをたがでてとしれさあるいうくんらりも",
	}
	words := make([][]string, len(alphabets))
	rng := rand.New(rand.NewPCG(3, 3))
	for i, a := range alphabets {
		words[i] = vocabulary(rng, a, []int{2, 3, 4, 5, 6, 7, 9})
	}
	turn := 0
	return generate(n, size, func() []string {
		turn++
		return words[turn%len(words)]
	})
}

func vocabulary(rng *rand.Rand, alphabet string, lengths []int) []string {
	letters := []rune(alphabet)
	words := make([]string, 20000)
	for i := range words {
		var w strings.Builder
		for range lengths[rng.IntN(len(lengths))] {
			at := rng.Float64()
			w.WriteRune(letters[int(at*at*float64(len(letters)))])
		}
		words[i] = w.String()
	}
	return words
}

func generate(n, size int, vocabulary func() []string) [][]byte {
	rng := rand.New(rand.NewPCG(1, 2))
	texts := make([][]byte, n)
	for i := range texts {
		words := vocabulary()
		var b bytes.Buffer
		capital := true
		for b.Len() < size {
			w := words[int(math.Pow(float64(len(words)), rng.Float64()))%len(words)]
			if capital {
				_, size := utf8.DecodeRuneInString(w)
				w = strings.ToUpper(w[:size]) + w[size:]
			}
			capital = false
			b.WriteString(w)
			switch p := rng.IntN(100); {
			case p < 7:
				b.WriteString(". ")
				capital = true
			case p < 14:
				b.WriteString(", ")
			case p < 16:
				b.WriteString("\n")
			case p < 17:
				b.WriteString(" “")
			case p < 18:
				b.WriteString("’s ")
			default:
				b.WriteString(" ")
			}
		}
		texts[i] = b.Bytes()
	}
	return texts
}

// benchTexts are the texts that a benchmark runs over: thousands, since a branch predictor learns a
// few by heart. The environment variable SKETCH_BENCH_TEXTS names a file to use instead, cut into
// texts of 2 KB.
func benchTexts(b *testing.B, sample func(n, size int) [][]byte) [][]byte {
	path := os.Getenv("SKETCH_BENCH_TEXTS")
	if path == "" {
		return sample(4000, 2048)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		b.Fatal(err)
	}
	var texts [][]byte
	for ; len(data) >= 2048 && len(texts) < 8000; data = data[2048:] {
		texts = append(texts, data[:2048])
	}
	return texts
}
