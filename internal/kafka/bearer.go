package kafka

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/oauth"
	"golang.org/x/oauth2/clientcredentials"
)

// bearer is the mechanism OAUTHBEARER (RFC 7628). Each connection logs in with the token valid at
// that time.
type bearer struct {
	source string // where tokens come from, for errors
	token  func() (string, error)
}

func (s Security) bearer() bearer {
	if s.TokenURL != "" {
		return bearer{s.TokenURL, s.clientCredentials()}
	}
	return bearer{s.TokenFile, s.tokenOfFile}
}

// tokenOfFile reads a token. Each connection does so, since the program that writes the file renews
// the token before it expires.
func (s Security) tokenOfFile() (string, error) {
	text, err := os.ReadFile(s.TokenFile)
	if err != nil {
		return "", err
	}
	token := strings.TrimSpace(string(text))
	if token == "" {
		return "", fmt.Errorf("%s has no token", s.TokenFile)
	}
	return token, nil
}

// clientCredentials returns a function that requests tokens from a server with the id and the
// secret of this client (RFC 6749, 4.4), and reuses each until it expires.
func (s Security) clientCredentials() func() (string, error) {
	config := clientcredentials.Config{
		ClientID: s.Username, ClientSecret: s.Password, TokenURL: s.TokenURL, Scopes: s.Scopes,
	}
	tokens := config.TokenSource(context.Background())
	return func() (string, error) {
		token, err := tokens.Token()
		if err != nil {
			return "", fmt.Errorf("no token from %s: %w", s.TokenURL, err)
		}
		return token.AccessToken, nil
	}
}

func (b bearer) Name() string { return "OAUTHBEARER" }

func (b bearer) Authenticate(ctx context.Context, host string) (sasl.Session, []byte, error) {
	token, err := b.token()
	if err != nil {
		return nil, nil, err
	}
	session, message, err := oauth.Auth{Token: token}.AsMechanism().Authenticate(ctx, host)
	return bearerSession{session, b.source, token}, message, err
}

// A bearerSession reports why a broker refuses a token; the library would report unexpected data.
type bearerSession struct {
	sasl.Session
	source, token string
}

// Challenge handles the broker's answer: empty, or a JSON object with the reason of a refusal. A
// refusal is retried like a broker that is down, since the next connection may find a renewed
// token.
func (s bearerSession) Challenge(answer []byte) (bool, []byte, error) {
	if len(answer) == 0 {
		return s.Session.Challenge(answer)
	}
	var refusal struct{ Status string }
	if json.Unmarshal(answer, &refusal) != nil || refusal.Status == "" {
		refusal.Status = string(answer)
	}
	err := fmt.Errorf("the broker refuses the token from %s: %q", s.source, refusal.Status)
	if expired := expiry(s.token); !expired.IsZero() && expired.Before(time.Now()) {
		err = fmt.Errorf("%w: it expired at %s", err, expired.UTC().Format(time.RFC3339))
	}
	return false, nil, err
}

// expiry returns when a token expires, or the zero time if it is not a JSON Web Token or does not
// say.
func expiry(token string) time.Time {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return time.Time{}
	}
	var claims struct{ Exp float64 }
	text, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil || json.Unmarshal(text, &claims) != nil || claims.Exp <= 0 || claims.Exp > 1<<40 {
		return time.Time{}
	}
	return time.Unix(int64(claims.Exp), 0)
}
