// Command crowds makes records that come in crowds, always the same ones, as JSON Lines:
//
//	go run ./crowds MODE > FILE.jsonl
//
//	mirrors   300 copies of a page of 400 words, each with a line of its own
//	forks     2,000 copies of a file of 2,000 words, each with another header and a word changed
//	near      60,000 copies of a text of 400 words, each with a word changed
//	variants  9,060 texts: variants of variants of 60 texts, as texts of licences are
//	frame     1,200 articles in one frame, of which any two have J of .75 to .85, and a few more
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
)

var modes = map[string]func(m *maker) [][]string{
	"mirrors": (*maker).mirrors, "forks": (*maker).forks, "near": (*maker).near, "variants": (*maker).variants,
	"frame": (*maker).frame,
}

func main() {
	if len(os.Args) != 2 || modes[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "crowds: give one of mirrors, forks, near, variants, frame")
		os.Exit(2)
	}
	if err := write(modes[os.Args[1]](newMaker())); err != nil {
		fmt.Fprintln(os.Stderr, "crowds:", err)
		os.Exit(1)
	}
}

func write(texts [][]string) error {
	out := bufio.NewWriter(os.Stdout)
	encoder := json.NewEncoder(out)
	for i, words := range texts {
		record := map[string]string{"id": fmt.Sprint(i), "text": strings.Join(words, " ")}
		if err := encoder.Encode(record); err != nil {
			return err
		}
	}
	return out.Flush()
}

// A maker makes texts of a vocabulary.
type maker struct {
	*rand.Rand
	vocabulary []string
}

func newMaker() *maker {
	m := &maker{Rand: rand.New(rand.NewPCG(1, 2))}
	for range 4000 {
		word := ""
		for range 1 + m.IntN(3) {
			word += string("bcdfglmnprstv"[m.IntN(13)]) + string("aeiou"[m.IntN(5)])
		}
		m.vocabulary = append(m.vocabulary, word)
	}
	return m
}

func (m *maker) words(n int) (words []string) {
	for range n {
		words = append(words, m.vocabulary[m.IntN(len(m.vocabulary))])
	}
	return words
}

// changed is a text with one word changed, to one that no other has.
func (m *maker) changed(text []string, i int) []string {
	text = slices.Clone(text)
	text[m.IntN(len(text))] = fmt.Sprintf("n%d", i)
	return text
}

func (m *maker) mirrors() (texts [][]string) {
	page := m.words(400)
	for range 300 {
		texts = append(texts, slices.Concat(page, []string{"mirrored", "by"}, m.words(12)))
	}
	return texts
}

func (m *maker) forks() (texts [][]string) {
	file := m.words(2000)
	for i := range 2000 {
		header := append([]string{"copyright", fmt.Sprintf("h%d", i)}, m.words(3)...)
		texts = append(texts, append(header, m.changed(file, i)...))
	}
	return texts
}

func (m *maker) near() (texts [][]string) {
	text := m.words(400)
	for i := range 60_000 {
		texts = append(texts, m.changed(text, i))
	}
	return texts
}

func (m *maker) variants() (texts [][]string) {
	for range 60 {
		family := [][]string{m.words([]int{150, 300, 600}[m.IntN(3)])}
		for range 150 {
			of := family[len(family)-1]
			if m.IntN(10) < 7 {
				of = family[m.IntN(len(family))]
			}
			family = append(family, m.variant(of))
		}
		texts = append(texts, family...)
	}
	m.Shuffle(len(texts), func(i, j int) { texts[i], texts[j] = texts[j], texts[i] })
	return texts
}

// variant is a text with some words replaced, added or left out.
func (m *maker) variant(of []string) []string {
	text := slices.Clone(of)
	for range []int{1, 1, 2, 3, 6}[m.IntN(5)] {
		at, n := m.IntN(len(text)), []int{1, 1, 2, 8}[m.IntN(4)]
		to := min(at+n, len(text))
		switch m.IntN(4) {
		case 0, 1:
			text = slices.Replace(text, at, to, m.words(n)...)
		case 2:
			text = slices.Insert(text, at, m.words(n)...)
		default:
			text = slices.Delete(text, at, to)
		}
	}
	return text
}

func (m *maker) frame() (texts [][]string) {
	frame := m.words(340)
	for range 1200 {
		texts = append(texts, append(slices.Clone(frame), m.words(26+m.IntN(24))...))
	}
	return texts
}
