package run

import (
	"strings"

	"github.com/mithril-stream/mithril-stream/internal/object"
	"github.com/mithril-stream/mithril-stream/internal/shown"
)

// CommandLine quotes arguments for a shell, for a page that may be shared. Addresses in them lose
// whatever may be secret.
func CommandLine(args []string) string {
	quoted := make([]string, len(args))
	for i, arg := range args {
		quoted[i] = withoutSecrets(arg)
		if arg := quoted[i]; arg == "" || strings.ContainsFunc(arg, needsQuotes) {
			quoted[i] = "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
		}
	}
	return strings.Join(quoted, " ")
}

func needsQuotes(r rune) bool {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=:,%@+"
	return !strings.ContainsRune(plain, r)
}

// withoutSecrets returns an argument without a secret seed. An address in it, as in
// --option=https://host/x, is replaced by its name.
func withoutSecrets(arg string) string {
	arg = withoutSeed(arg)
	address := addressIn(arg)
	return strings.TrimSuffix(arg, address) + object.Name(address)
}

// addressIn returns the part of an argument that begins with a scheme, or nothing.
func addressIn(arg string) string {
	scheme, _, ok := strings.Cut(arg, "://")
	if !ok {
		return ""
	}
	before := strings.LastIndexFunc(scheme, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9')
	})
	return arg[before+1:]
}

// seedForm is how a secret seed begins, which digits follow (sketch.Secret).
const seedForm = "random:"

// withoutSeed returns a text in which an ellipsis replaces the digits of each secret seed.
func withoutSeed(text string) string {
	var b strings.Builder
	for {
		before, after, ok := strings.Cut(text, seedForm)
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		b.WriteString(seedForm)
		text = strings.TrimLeft(after, "0123456789abcdefABCDEF")
		if len(text) < len(after) {
			b.WriteString("…")
		}
	}
}

// HideSecrets removes secret seeds from a message, and replaces addresses of the arguments by their
// names, even in messages of libraries, which quote what they were given. The result may be shown.
func HideSecrets(message string, args []string) string {
	for _, arg := range args {
		if address := addressIn(arg); address != "" {
			message = strings.ReplaceAll(message, shown.Text(address), shown.Text(object.Name(address)))
		}
	}
	return withoutSeed(message)
}
