package textfield

import (
	"slices"
	"strings"
)

// notText are the members of messages that are not text: tags, media types, and the random ids that
// connect calls with results.
const notText = "{-role,-from,-type,-id,-tool_call_id,-tool_use_id,-signature,-media_type,-mimeType}"

// systemRoles are the roles of instructions, which many conversations share.
const systemRoles = "system|developer"

// A shape describes how records hold a conversation, or a task with its answer.
type shape struct {
	paths []string
	// leavesOut names the system prompt, if there is one that is not part of the text.
	leavesOut string
}

// shapeOf recognizes the conversation or the task in a record: messages with a role, as of OpenAI,
// Anthropic and Gemini; turns with from and value, as of ShareGPT; and pairs, as of Alpaca.
func shapeOf(record map[string]any) shape {
	if s := chatOf("", record, 0); len(s.paths) > 0 {
		return s
	}
	return pairOf(record)
}

// chatOf looks for messages in an object and in nested objects. Several lists of messages, such as
// prompt and completion, form one text.
func chatOf(path string, object map[string]any, depth int) (s shape) {
	for _, key := range keysOf(object) {
		at := join(path, key)
		switch value := object[key].(type) {
		case []any:
			if by := speaker(value); by != "" {
				s.paths = append(s.paths, at+"["+by+"!="+systemRoles+"]"+notText)
				if slices.ContainsFunc(value, func(m any) bool { return isSystem(m, by) }) {
					s.leavesOut = at + "[" + by + "=" + systemRoles + "]"
				}
			}
		case map[string]any:
			if by := speaker([]any{value}); by != "" && key == "message" {
				s.paths = append(s.paths, at+notText)
			}
		}
	}
	if len(s.paths) > 0 {
		for _, name := range []string{"system", "systemInstruction", "system_instruction"} {
			if _, isThere := object[name]; isThere && s.leavesOut == "" {
				s.leavesOut = join(path, name)
			}
		}
		return s
	}
	for _, key := range keysOf(object) {
		if inner, ok := object[key].(map[string]any); ok && depth < 2 {
			if s = chatOf(join(path, key), inner, depth+1); len(s.paths) > 0 {
				return s
			}
		}
	}
	return s
}

// keysOf returns the names of the members, the most likely ones first.
func keysOf(object map[string]any) []string {
	first := []string{
		"prompt", "messages", "conversations", "conversation", "contents", "request", "body", "completion",
	}
	rank := func(key string) int {
		if i := slices.Index(first, key); i >= 0 {
			return i
		}
		return len(first)
	}
	var keys []string
	for key := range object {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b string) int {
		if rank(a) != rank(b) {
			return rank(a) - rank(b)
		}
		return strings.Compare(a, b)
	})
	return keys
}

// speaker returns the member of messages that names the speaker, or "" if list holds no messages.
func speaker(list []any) string {
	by := ""
	for _, element := range list {
		message, ok := element.(map[string]any)
		if !ok {
			return ""
		}
		role, from := message["role"], message["from"]
		_, isRole := role.(string)
		_, isFrom := from.(string)
		switch {
		case isRole && by != "from" &&
			hasAny(message, "content", "parts", "tool_calls", "function_call"):
			by = "role"
		case isFrom && by != "role" && hasAny(message, "value"):
			by = "from"
		default:
			return ""
		}
	}
	return by
}

func hasAny(object map[string]any, names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		_, isThere := object[name]
		return isThere
	})
}

func isSystem(message any, by string) bool {
	object, _ := message.(map[string]any)
	role, _ := object[by].(string)
	return slices.Contains(strings.Split(systemRoles, "|"), role)
}

// pairs are the usual names of tasks, their contexts, and answers.
var pairs = []struct{ task, context, answer string }{
	{"instruction", "input", "output"}, {"instruction", "context", "response"}, {"instruction", "input", "response"},
	{"prompt", "", "completion"}, {"prompt", "", "response"}, {"question", "context", "answer"},
	{"question", "", "response"}, {"query", "", "response"}, {"input", "", "output"},
}

// pairOf recognizes a task and its answer, which must both be strings.
func pairOf(record map[string]any) (s shape) {
	for _, p := range pairs {
		_, isTask := record[p.task].(string)
		_, isAnswer := record[p.answer].(string)
		if !isTask || !isAnswer {
			continue
		}
		if s.paths = []string{p.task}; p.context != "" {
			s.paths = append(s.paths, p.context+"?")
		}
		s.paths = append(s.paths, p.answer)
		return s
	}
	return s
}
