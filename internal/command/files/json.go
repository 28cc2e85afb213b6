package files

import (
	"encoding/json"
	"io"
)

// WriteJSON writes a value for programs and people: indented, with a newline at its end.
func WriteJSON(out io.Writer, v any) error {
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	return encoder.Encode(v)
}
