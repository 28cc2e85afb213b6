package textfield

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/record"
)

// A writer writes texts of words by chance.
type writer struct{ *rand.Rand }

func newWriter() writer { return writer{rand.New(rand.NewPCG(1, 2))} }

func (w writer) words(n int) string {
	words := make([]string, n)
	for i := range words {
		words[i] = strings.Repeat(string(rune('a'+w.IntN(26))), 1+w.IntN(3)) + string(rune('a'+w.IntN(26)))
	}
	return strings.Join(words, " ")
}

type object = map[string]any

// sampleOf is a sample of n records.
func sampleOf(name string, n int, record func(i int) object) Sample {
	s := Sample{Input: name}
	for i := range n {
		s.Records = append(s.Records, line(record(i)))
	}
	return s
}

// TestShared: what is most of the text of many records that differ elsewhere is found by its
// values, whatever it is called and wherever it stands, and the paths that are left have the rest.
func TestShared(t *testing.T) {
	w := newWriter()
	passages := make([]string, 60)
	for i := range passages {
		passages[i] = w.words(200)
	}
	message := func(role, text string) object { return object{"role": role, "content": text} }
	chat := func(messages ...any) object { return object{"messages": messages} }
	for name, c := range map[string]struct {
		record             func(passage string) object
		part, within, rest string
	}{
		"a passage": {func(p string) object {
			return object{"context": p, "question": w.words(8), "answer": w.words(3)}
		}, "context", "context", "question answer"},
		"a prompt": {func(p string) object { return object{"prompt": p, "chosen": w.words(8), "rejected": w.words(8)} },
			"prompt", "prompt", "chosen rejected"},
		"any name": {func(p string) object { return object{"Zettel": p, "Q": w.words(8)} }, "Zettel", "Zettel", "Q"},
		"a source": {func(p string) object { return object{"source": p, "target": w.words(8)} },
			"source", "source", "target"},
		"inside an object": {func(p string) object {
			return object{"data": object{"context": p, "question": w.words(8)}}
		}, "data.context", "data.context", "data{-context}"},
		"the same name": {
			func(p string) object {
				return object{"d": object{"a": object{"text": p}, "b": object{"text": w.words(8)}}}
			},
			"d.a.text", "d.a.text", "d.b.text"},
		"in a list": {func(p string) object { return object{"question": w.words(8), "contexts": []any{p}} },
			"contexts[]", "contexts.0", "question"},
		"in parts": {
			func(p string) object { return object{"question": w.words(8), "contexts": []any{p[:300], p[300:]}} },
			"contexts[]", "contexts.1", "question"},
		"a name with a dot": {func(p string) object { return object{"a.b": p, "question": w.words(8)} },
			`a\.b`, `a\.b`, "question"},
		"a list with the rest": {func(p string) object { return object{"turns": []any{p, w.words(8)}} },
			"turns[]", "turns.0", ""},
		"what a user says": {func(p string) object {
			return chat(message("user", p), message("assistant", w.words(8)))
		}, "messages[].content", "messages.0.content", "messages[role!=system|developer|user]" + notTextBraces},
		"what a user says, and more": {
			func(p string) object { return chat(message("user", p), message("user", w.words(8))) },
			"messages[].content", "messages.0.content", ""},
		"with ids and a system prompt": {func(p string) object {
			of := chat(message("system", w.words(90)), message("user", p), message("assistant", w.words(9)))
			of["id"] = w.words(30)
			return of
		}, "messages[].content", "messages.1.content", "messages[role!=system|developer|user]" + notTextBraces},
	} {
		sample := sampleOf("in", 240, func(i int) object { return c.record(passages[i/4]) })
		found, _ := Find([]Sample{sample}, false)
		if found.Shared == nil {
			t.Errorf("%s: nothing is found, but %q", name, found.Paths)
			continue
		}
		got := []string{strings.Join(found.Shared.Paths, " "), found.Shared.Within, strings.Join(found.Paths, " ")}
		if want := []string{c.part, c.within, c.rest}; !slices.Equal(got, want) || found.Shared.Input != "in" {
			t.Errorf("%s: %q in %q, want %q", name, got, found.Shared.Input, want)
		}
		if err := record.CheckName(record.JSONLines(nil), found.Shared.Within); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestNotShared: copies and near-duplicates share no part, and neither do records with short or
// separate texts.
func TestNotShared(t *testing.T) {
	w := newWriter()
	passages := make([]string, 60)
	for i := range passages {
		passages[i] = w.words(200)
	}
	title, months := w.words(9), strings.Fields("January February March April May June July August")
	for name, of := range map[string]func(i int) object{
		"copies": func(i int) object {
			return object{"title": passages[i/4][:40], "text": passages[i/4]}
		},
		"copies of one record": func(int) object { return object{"title": title, "text": passages[0]} },
		"another id":           func(i int) object { return object{"id": w.words(9), "text": passages[i/4]} },
		"another number": func(i int) object {
			return object{"title": fmt.Sprint("Page ", i), "text": passages[i/4]}
		},
		"another code": func(i int) object {
			return object{"title": fmt.Sprintf("No x%dy", i), "text": passages[i/4]}
		},
		"another address": func(i int) object {
			return object{"title": fmt.Sprintf("From https://example.org/%d", i), "text": passages[i/4]}
		},
		"another date": func(i int) object {
			return object{"title": fmt.Sprintf("%s of 2026-01-%02d, 12:%02d", title, i%28, i%60), "text": passages[i/4]}
		},
		"another month in a long title": func(i int) object {
			return object{"title": fmt.Sprintf("%s of %s", w.same(title, 4), months[i%8]), "text": passages[i/4]}
		},
		"labels":        func(i int) object { return object{"topic": months[i%8], "text": passages[i/4]} },
		"own texts":     func(i int) object { return object{"title": w.words(9), "text": w.words(200)} },
		"a short part":  func(i int) object { return object{"kind": "Tell me a story", "text": w.words(2)} },
		"half the text": func(i int) object { return object{"question": passages[i/4][:200], "answer": w.words(100)} },
		"few records": func(i int) object {
			if i < 200 {
				return object{"context": w.words(200), "question": w.words(8)}
			}
			return object{"context": passages[i/4], "question": w.words(8)}
		},
		"a system prompt": func(i int) object {
			return object{"messages": []any{object{"role": "system", "content": passages[0]},
				object{"role": "user", "content": w.words(8)}}}
		},
	} {
		found, _ := Find([]Sample{sampleOf("in", 240, of)}, false)
		if found.Shared != nil || len(found.Paths) == 0 {
			t.Errorf("%s: %+v is shared, and %q is the text", name, found.Shared, found.Paths)
		}
	}
}

// same is a text that is as long as several of the given one.
func (w writer) same(text string, times int) string {
	return strings.Join(slices.Repeat([]string{text}, times), " ")
}

// TestSamples: the choice fits the records of all samples, and a part that is shared in one of them
// is found there, also if the earlier records with it are in another one.
func TestSamples(t *testing.T) {
	w := newWriter()
	passages := make([]string, 60)
	for i := range passages {
		passages[i] = w.words(200)
	}
	prompts := sampleOf("prompts", 60, func(i int) object {
		return object{"prompt": passages[i], "response": w.words(99)}
	})
	pairs := sampleOf("pairs", 60, func(i int) object {
		return object{"prompt": passages[i], "chosen": w.words(99), "rejected": w.words(99)}
	})
	question := func(i int) object { return object{"prompt": passages[i], "response": w.words(9)} }
	first, second := sampleOf("first", 60, question), sampleOf("second", 60, question)
	for _, c := range []struct {
		samples []Sample
		paths   string
		shared  string // the sample
	}{
		{[]Sample{prompts, pairs}, "prompt chosen? rejected? response?", ""},
		{[]Sample{pairs, prompts}, "prompt chosen? rejected? response?", ""},
		{[]Sample{pairs}, "prompt chosen rejected", ""},
		{[]Sample{first}, "prompt response", ""},
		{[]Sample{sampleOf("titles", 5, func(i int) object { return object{"title": w.words(9)} }), pairs},
			"title? prompt? chosen? rejected?", ""},
		{[]Sample{first, second}, "response", "second"},
	} {
		found, _ := Find(c.samples, false)
		shared := ""
		if found.Shared != nil {
			shared = found.Shared.Input
		}
		if got := strings.Join(found.Paths, " "); got != c.paths || shared != c.shared {
			t.Errorf("%d samples: %q, shared in %q, want %q, %q", len(c.samples), got, shared, c.paths, c.shared)
		}
	}
}

// TestManyMembers: the work is linear, and what is chosen stays short.
func TestManyMembers(t *testing.T) {
	const many = 5_000
	w := newWriter()
	for name, c := range map[string]struct {
		member func(i int) (string, any)
		want   string
	}{
		"texts":       {func(i int) (string, any) { return fmt.Sprint("m", i), w.words(3) }, "{-x_id}"},
		"identifiers": {func(i int) (string, any) { return fmt.Sprint(i, "_id"), w.words(3) }, "text"},
		"conversations": {func(i int) (string, any) {
			return fmt.Sprint("m", i), []any{object{"role": "a", "text": "b"}}
		}, "{-x_id}"},
	} {
		of := object{"text": w.words(9), "x_id": "a"}
		for i := range many {
			key, value := c.member(i)
			of[key] = value
		}
		sample := Sample{Records: [][]byte{line(of), line(of)}}
		inside := Sample{Records: [][]byte{line(object{"x": of, "text": w.words(9)})}}
		if found, _ := Find([]Sample{sample}, false); strings.Join(found.Paths, " ") != c.want {
			t.Errorf("%s: %d paths, the first %q, want %q", name, len(found.Paths), found.Paths[0], c.want)
		}
		found, _ := Find([]Sample{inside}, false)
		if length := len(strings.Join(found.Paths, " ")); length > 20*maxPaths {
			t.Errorf("%s inside a member: %d bytes of paths", name, length)
		}
	}
}

// TestLater: text that no sample had is found in later records, unless it is compared.
func TestLater(t *testing.T) {
	for name, c := range map[string]struct{ sample, later, want string }{
		"the same":           {`{"text":"one two three"}`, `{"text":"four five six"}`, ""},
		"another member":     {`{"question":"one two three"}`, `{"question":"four five","answer":"six"}`, "answer"},
		"a name without use": {`{"text":"one two three"}`, `{"text":"four","remark":"five six seven","a":"b"}`, "remark"},
		"an identifier":      {`{"text":"one two three"}`, `{"text":"four","x_id":"five six","url":"a b c d"}`, ""},
		"inside what is compared": {`{"data":{"a":"one two three","b":"four five"}}`,
			`{"data":{"a":"six seven","answer":"eight nine"}}`, ""},
		"beside what is compared": {`{"data":{"a":"one two three"},"n":1}`, `{"data":{"a":"six","answer":"eight nine"}}`,
			"data.answer"},
		"beside a conversation": {`{"messages":[{"role":"user","content":"one"}]}`,
			`{"messages":[{"role":"user","content":"two","more":"three"}],"response":"four"}`, "response"},
		"a system prompt": {`{"messages":[{"role":"user","content":"one"}]}`,
			`{"messages":[{"role":"user","content":"two"}],"system":"three four five"}`, ""},
	} {
		found, _ := Find([]Sample{{Records: [][]byte{[]byte(c.sample)}}}, false)
		later := found.Later()
		if !later.Look([]byte(c.later)) || later.Look([]byte("[]")) || later.Records() != 1 {
			t.Errorf("%s: %d records", name, later.Records())
		}
		var paths []string
		for _, f := range later.Found() {
			paths = append(paths, f.Path)
		}
		if got := strings.Join(paths, " "); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// BenchmarkFind looks at a sample of the usual size.
func BenchmarkFind(b *testing.B) {
	w := newWriter()
	sample := sampleOf("in", MaxRecords, func(i int) object {
		return object{"id": fmt.Sprint("x", i), "prompt": w.words(60), "response": w.words(120)}
	})
	for b.Loop() {
		Find([]Sample{sample}, false)
	}
}
