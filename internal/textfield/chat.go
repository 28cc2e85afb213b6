package textfield

import (
	"slices"
	"strings"
)

// notText are the members of messages that are not text: tags, media types, and the random ids that
// connect calls with results.
var notText = []string{
	"role", "from", "type", "id", "tool_call_id", "tool_use_id", "signature", "media_type", "mimeType",
}

// calls are the members of messages with what a tool is called with: all of it counts.
var calls = []string{"input", "arguments", "args", "parameters"}

// systemRoles are the roles of instructions, which many conversations share.
const systemRoles = "system|developer"

// A chat is a member that holds a conversation.
type chat struct {
	path    string
	by      string // the member of messages that names the speaker
	isList  bool
	system  bool // a message is a system prompt
	records int
}

// selector is the path of the texts of a conversation: without system prompts if it is a list in
// all records, without what is no text, and with some more members left out.
func (c *chat) selector(without []string) string {
	path := c.path
	if c.isList {
		path += "[" + c.by + "!=" + systemRoles + "]"
	}
	return path + braces(append(slices.Clip(notText), without...), calls)
}

// braces says which members below a path do not count, and which count with everything in them.
func braces(without, whole []string) string {
	var parts []string
	for _, name := range without {
		parts = append(parts, "-"+name)
	}
	for _, name := range whole {
		parts = append(parts, "+"+name)
	}
	if len(parts) == 0 {
		return ""
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// chatAt returns the conversation that a value of a member holds: messages with a role, as of
// OpenAI, Anthropic and Gemini, or turns with from and value, as of ShareGPT. by is empty if it
// holds none.
func chatAt(key string, value any) (by string, isList bool) {
	switch v := value.(type) {
	case []any:
		return speaker(v), true
	case map[string]any:
		if key == "message" {
			return speaker([]any{v}), false
		}
	}
	return "", false
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
			hasAny(message, "content", "parts", "text", "tool_calls", "function_call"):
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

// contexts are members that a task may have, though the first records lack them.
var contexts = []struct{ task, context, answer string }{
	{"instruction", "input", "output"}, {"instruction", "input", "response"}, {"instruction", "context", "response"},
	{"question", "context", "answer"},
}
