package gcs

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/google"

	"github.com/mithril-stream/mithril-stream/internal/object/store"
)

// scope is the OAuth scope of tokens: reading and writing objects.
const scope = "https://www.googleapis.com/auth/devstorage.read_write"

// credentials authenticate requests. The zero value is anonymous, and can read public objects.
type credentials struct {
	tokens oauth2.TokenSource // nil for anonymous requests
}

// findCredentials looks for the application default credentials: the file in
// GOOGLE_APPLICATION_CREDENTIALS (a service account, a workload of another cloud, an impersonated
// account), the one that gcloud auth application-default login writes, and on Google's machines the
// metadata server. The only request it makes is to find out whether that server exists.
func findCredentials(transport http.RoundTripper) (*credentials, error) {
	ctx := context.WithValue(context.Background(), oauth2.HTTPClient, &http.Client{Transport: transport})
	found, err := google.FindDefaultCredentials(ctx, scope)
	if err == nil {
		return &credentials{tokens: found.TokenSource}, nil
	}
	if strings.Contains(err.Error(), "could not find default credentials") {
		return &credentials{}, nil
	}
	file := os.Getenv("GOOGLE_APPLICATION_CREDENTIALS")
	if file == "" {
		return nil, errors.New("the credentials that gcloud has written cannot be used: give gcloud auth " +
			"application-default login again")
	}
	if _, err := os.Stat(file); err != nil { // the error of the library would quote it
		return nil, fmt.Errorf("GOOGLE_APPLICATION_CREDENTIALS: %w", err)
	}
	return nil, fmt.Errorf("GOOGLE_APPLICATION_CREDENTIALS: %q has no credentials: name the file of a service "+
		"account, as Google has made it", file)
}

// sign adds a token to a request. If there is no valid token it requests one. That continues even
// if ctx ends, so that the next request can use it.
func (c *credentials) sign(ctx context.Context, r *http.Request) error {
	if c.tokens == nil {
		return nil
	}
	type result struct {
		token *oauth2.Token
		err   error
	}
	got := make(chan result, 1)
	go func() {
		token, err := c.tokens.Token()
		got <- result{token, err}
	}()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case got := <-got:
		if got.err != nil {
			return noToken(got.err)
		}
		got.token.SetAuthHeader(r)
		return nil
	}
}

// noToken explains why there is no token. It leaves out the response of the token server, which may
// contain credentials.
func noToken(err error) error {
	if asked := (*oauth2.RetrieveError)(nil); errors.As(err, &asked) && asked.Response != nil {
		code := asked.Response.StatusCode
		return store.FromStatus(code, fmt.Errorf("the server of tokens has answered %d %s: check "+
			"GOOGLE_APPLICATION_CREDENTIALS, or give gcloud auth application-default login", code,
			http.StatusText(code)))
	}
	// the library does not say whether the connection failed, which may be temporary
	return store.Again(errors.New("the server of tokens cannot be asked: check GOOGLE_APPLICATION_CREDENTIALS, or " +
		"give gcloud auth application-default login"))
}

// advice says what to do if access is denied.
func (c *credentials) advice() string {
	if c.tokens == nil {
		return "no credentials were found: give gcloud auth application-default login, or name the file of a service " +
			"account in GOOGLE_APPLICATION_CREDENTIALS"
	}
	return "check what the account may do, or use another one by GOOGLE_APPLICATION_CREDENTIALS"
}
