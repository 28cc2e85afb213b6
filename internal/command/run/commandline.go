package run

import (
	"strings"

	"github.com/mithril-stream/mithril-stream/internal/object"
	"github.com/mithril-stream/mithril-stream/internal/shown"
)

// CommandLine quotes arguments as a shell takes them, for a page that may be handed on: addresses
// in them are without what may be secret.
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

// withoutSecrets is an argument without a secret seed. One that has an address in it, such as
// --option=https://host/x, has the name of that.
func withoutSecrets(arg string) string {
	arg = withoutSeed(arg)
	address := addressIn(arg)
	return strings.TrimSuffix(arg, address) + object.Name(address)
}

// addressIn is what follows the last sign before a scheme, or nothing.
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

// withoutSeed is a text with an ellipsis in place of the digits of each secret seed.
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

// HideSecrets takes secret seeds out of a message, and calls the addresses of the arguments by
// their names, whoever has made it: libraries quote what they were given. The message is one that
// may be shown.
func HideSecrets(message string, args []string) string {
	for _, arg := range args {
		if address := addressIn(arg); address != "" {
			message = strings.ReplaceAll(message, shown.Text(address), shown.Text(object.Name(address)))
		}
	}
	return withoutSeed(message)
}
