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

// scope is what the service is asked for: to read and write objects.
const scope = "https://www.googleapis.com/auth/devstorage.read_write"

// A who says who asks. Its zero value is nobody in particular, who may read what is public.
type who struct {
	tokens oauth2.TokenSource // nil for nobody
}

// findWho looks for the application default credentials: the file of GOOGLE_APPLICATION_CREDENTIALS
// (a service account, a workload of another cloud, somebody who is impersonated), the one that
// gcloud auth application-default login writes, and on machines of Google the metadata server. It
// sends nothing but the question whether there is such a server.
func findWho(transport http.RoundTripper) (*who, error) {
	ctx := context.WithValue(context.Background(), oauth2.HTTPClient, &http.Client{Transport: transport})
	found, err := google.FindDefaultCredentials(ctx, scope)
	if err == nil {
		return &who{tokens: found.TokenSource}, nil
	}
	if strings.Contains(err.Error(), "could not find default credentials") {
		return &who{}, nil
	}
	file := os.Getenv("GOOGLE_APPLICATION_CREDENTIALS")
	if file == "" {
		return nil, errors.New("the credentials that gcloud has written cannot be used: give gcloud auth " +
			"application-default login again")
	}
	if _, err := os.Stat(file); err != nil { // the library would quote it
		return nil, fmt.Errorf("GOOGLE_APPLICATION_CREDENTIALS: %w", err)
	}
	return nil, fmt.Errorf("GOOGLE_APPLICATION_CREDENTIALS: %q has no credentials: name the file of a service "+
		"account, as Google has made it", file)
}

// sign adds a token to a request. The token is asked for if there is none that is valid, which goes
// on if ctx ends meanwhile: the next request may have it.
func (w *who) sign(ctx context.Context, r *http.Request) error {
	if w.tokens == nil {
		return nil
	}
	type result struct {
		token *oauth2.Token
		err   error
	}
	got := make(chan result, 1)
	go func() {
		token, err := w.tokens.Token()
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

// noToken says why there is no token, without what the server of tokens has said: it was told who
// we are.
func noToken(err error) error {
	if asked := (*oauth2.RetrieveError)(nil); errors.As(err, &asked) && asked.Response != nil {
		code := asked.Response.StatusCode
		return store.Answered(code, fmt.Errorf("the server of tokens has answered %d %s: check "+
			"GOOGLE_APPLICATION_CREDENTIALS, or give gcloud auth application-default login", code,
			http.StatusText(code)))
	}
	// the library does not say whether the connection has failed, which may get better
	return store.Again(errors.New("the server of tokens cannot be asked: check GOOGLE_APPLICATION_CREDENTIALS, or " +
		"give gcloud auth application-default login"))
}

// advice says what to do when the service refuses us.
func (w *who) advice() string {
	if w.tokens == nil {
		return "no credentials were found: give gcloud auth application-default login, or name the file of a service " +
			"account in GOOGLE_APPLICATION_CREDENTIALS"
	}
	return "check what the account may do, or use another one by GOOGLE_APPLICATION_CREDENTIALS"
}
