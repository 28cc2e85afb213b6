package textfield

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/record"
)

// shapes are records of published data sets, and the paths of those of their strings and numbers
// that make no other record.
var shapes = map[string]struct{ record, data string }{
	"DPO": {`{"prompt":"P","chosen":"C","rejected":"R","score_chosen":3,"prompt_id":"a1"}`, "score_chosen prompt_id"},
	"DPO in messages": {`{"prompt":"P","chosen":[{"role":"user","content":"Q"},{"role":"assistant","content":"A"}],
		"rejected":[{"role":"user","content":"Q"},{"role":"assistant","content":"B"}]}`,
		"chosen.0.role chosen.1.role rejected.0.role rejected.1.role"},
	"KTO":  {`{"prompt":"P","completion":"C","label":true}`, "label"},
	"MMLU": {`{"question":"Q","subject":"abstract_algebra","choices":["A","B"],"answer":0}`, "answer"},
	"ARC": {`{"id":"Mercury_1","question":"Q","choices":{"text":["x","y"],"label":["A","B"]},"answerKey":"A"}`,
		"id"},
	"HellaSwag": {`{"ind":4,"activity_label":"L","ctx_a":"A","ctx_b":"B","ctx":"A B","endings":["e","f"],
		"source_id":"activitynet~v_1","split":"train","label":"3"}`, "ind source_id split"},
	"NLI": {`{"premise":"P","hypothesis":"H","label":1,"idx":7}`, "label idx"},
	"STS": {`{"sentence1":"a","sentence2":"b","score":2.5}`, "score"},
	"SQuAD": {`{"id":"56be","title":"T","context":"C","question":"Q","answers":{"text":["A"],"answer_start":[1]}}`,
		"id answers.answer_start.0"},
	"RAG": {`{"question":"Q","contexts":["a","b"],"ground_truth":"G","answer":"A"}`, ""},
	"HotpotQA": {`{"_id":"5a","question":"Q","answer":"A","type":"bridge","level":"hard",
		"context":[["T",["s","t"]],["U",["u"]]],"supporting_facts":[["T",0]]}`,
		"_id type supporting_facts.0.1"},
	"Alpaca":        {`{"instruction":"I","input":"N","output":"O"}`, ""},
	"LLaMA-Factory": {`{"instruction":"I","input":"","output":"O","system":"S","history":[["a","b"],["c","d"]]}`, "system"},
	"ShareGPT": {`{"id":"x","conversations":[{"from":"system","value":"S"},{"from":"human","value":"Q"},
		{"from":"gpt","value":"A"}]}`,
		"id conversations.0.value conversations.1.from conversations.2.from"},
	"OpenAI": {`{"messages":[{"role":"system","content":"S"},{"role":"user","content":"Q"},{"role":"assistant",
		"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{\"n\":1}"}}]},
		{"role":"tool","tool_call_id":"c1","content":"R"}],"tools":[{"type":"function","function":{"name":"f"}}]}`,
		"messages.0.content messages.1.role messages.2.role messages.2.tool_calls.0.id " +
			"messages.2.tool_calls.0.type messages.3.role messages.3.tool_call_id tools.0.type tools.0.function.name"},
	"Anthropic": {`{"system":"S","messages":[{"role":"user","content":"Q"},{"role":"assistant","content":[
		{"type":"tool_use","id":"t1","name":"pay","input":{"to":{"id":"bob","type":"user"},"amount":5,"now":true}}]},
		{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"R"}]}]}`,
		"system messages.0.role messages.1.role messages.1.content.0.type messages.1.content.0.id messages.2.role " +
			"messages.2.content.0.type messages.2.content.0.tool_use_id"},
	"Gemini": {`{"contents":[{"role":"user","parts":[{"text":"Q"}]},{"role":"model","parts":[
		{"functionCall":{"name":"f","args":{"id":7,"l":[5,6]}}}]}]}`, "contents.0.role contents.1.role"},
	"pictures": {`{"image":"images/001.png","conversations":[{"from":"human","value":"Q"},{"from":"gpt","value":"A"}]}`,
		"conversations.0.from conversations.1.from"},
	"function calls": {`{"id":1,"query":"Q","answers":[{"name":"pay","arguments":{"id":"x","amount":5}}],"tools":"[T]"}`,
		"id tools"},
	"an agent's step": {`{"step_id":3,"thought":"T","tool":"pay","input":{"amount":5},"observation":"O",
		"timestamp":"2026-01-02T03:04:05Z"}`, "step_id timestamp"},
	"an agent's trace": {`{"trace_id":"a","trajectory":[{"action":"run","args":{"n":1},"observation":"O","ts":"1"},
		{"action":"stop","args":{},"observation":"P","ts":"2"}],"reward":1}`,
		"trace_id trajectory.0.ts trajectory.1.ts reward"},
	"commits": {`{"commit":"0123456789abcdef0123","subject":"S","message":"M","old_contents":"o","new_contents":"n",
		"old_file":"a/b.py","new_file":"a/b.py","lang":"Python","license":"mit","repos":"x/y"}`,
		"commit old_file new_file lang license repos"},
	"code": {`{"content":"C","path":"a/b.py","repo_name":"x/y","license":"mit","size":7,"hexsha":"ab"}`,
		"path repo_name license size hexsha"},
	"code with its task": {`{"task_id":"HumanEval/0","prompt":"P","canonical_solution":"S","test":"T","entry_point":"f"}`,
		"task_id"},
	"translation": {`{"translation":{"en":"E","fr":"F"}}`, ""},
	"pairs of translations": {`{"source":"one two three","target":"un deux trois","source_lang":"en","target_lang":"fr"}`,
		"source_lang target_lang"},
	"preferences": {`{"instruction":"I","responses":[{"model":"m","text":"a","rating":4},{"model":"n","text":"b","rating":2}]}`,
		"responses.0.model responses.0.rating responses.1.model responses.1.rating"},
	"mathematics": {`{"problem":"P","solution":"S","level":"Level 5","type":"Algebra"}`, "type"},
	"a feed":      {`{"guid":"g","title":"T","summary":"S","link":"https://example.org/1","published":"2026-01-02"}`, "guid link published"},
	"a crawl": {`{"url":"https://example.org/","text":"T","title":"U","meta":{"lang":"en","fetchedAt":"2026-01-02","note":"N"}}`,
		"url meta.lang meta.fetchedAt"},
	"dialogue": {`{"dialog":["a","b","c"],"act":[1,2,1]}`, "act.0 act.1 act.2"},
	"reviews":  {`{"text":"T","rating":5,"verified":true,"asin":"B0","user_id":"u"}`, "rating verified user_id"},
}

// TestShapes: two records that differ in one string differ in their texts, unless it is declared to
// be something else; numbers count in what a tool is called with.
func TestShapes(t *testing.T) {
	for name, shape := range shapes {
		var object map[string]any
		if err := json.Unmarshal([]byte(shape.record), &object); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		sample, data := [][]byte{line(object)}, strings.Fields(shape.data)
		places := scalars("", object)
		for i, at := range places {
			if !at.isNumber() && !slices.Contains(data, at.path) {
				sample = append(sample, changed(object, at, fmt.Sprintf("word%c and more", 'a'+i%26)))
			}
		}
		found, _ := Find(sample, false)
		fields := fieldsAt(t, found.Paths)
		text := textOf(t, fields, sample[0])
		for _, at := range places {
			var other any = "something else"
			if at.isNumber() {
				other = 4711
			}
			counts := textOf(t, fields, changed(object, at, other)) != text
			if counts == slices.Contains(data, at.path) {
				t.Errorf("%s by %q, unclear %q: %s counts: %v", name, found.Paths, found.Unclear, at.path, counts)
			}
		}
	}
}

// A scalar is a place in an object that holds a string or a number.
type scalar struct {
	path string
	is   any
	set  func(any)
}

func scalars(path string, value any) (found []scalar) {
	add := func(key string, member any, set func(any)) {
		at := strings.TrimPrefix(path+"."+key, ".")
		switch member.(type) {
		case string, float64, bool:
			found = append(found, scalar{at, member, set})
		default:
			found = append(found, scalars(at, member)...)
		}
	}
	switch v := value.(type) {
	case map[string]any:
		for key, member := range v {
			add(key, member, func(x any) { v[key] = x })
		}
	case []any:
		for i, element := range v {
			add(fmt.Sprint(i), element, func(x any) { v[i] = x })
		}
	}
	return found
}

func (s scalar) isNumber() bool {
	_, isString := s.is.(string)
	return !isString
}

// changed is the object with another value at one place.
func changed(object map[string]any, at scalar, to any) []byte {
	at.set(to)
	defer at.set(at.is)
	return line(object)
}

func line(object map[string]any) []byte {
	b, err := json.Marshal(object)
	if err != nil {
		panic(err)
	}
	return b
}

func fieldsAt(t *testing.T, paths []string) []record.Field {
	var fields []record.Field
	for _, path := range paths {
		f, err := record.ParseField(path)
		if err != nil {
			t.Fatal(err)
		}
		fields = append(fields, f)
	}
	return fields
}

func textOf(t *testing.T, fields []record.Field, object []byte) string {
	text, _, problem := record.NewFieldText(fields, false).Text(object)
	if problem != (record.Problem{}) {
		t.Errorf("%s: %s", object, problem.Name())
	}
	return string(text)
}
