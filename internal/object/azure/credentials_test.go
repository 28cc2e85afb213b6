package azure

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/object/store"
)

const (
	token = "sECRETtoken"
	imds  = "169.254.169.254" // who knows the identity of a machine of Azure
)

// azure is all servers of Azure in one, to which requests to any host go.
type azure struct {
	*httptest.Server
	mu       sync.Mutex
	machine  bool     // has an identity
	refuses  int      // the status in place of a token
	answers  int      // the status of an object
	location string   // where it leads, if it does
	given    int      // tokens
	asked    []string // how objects were asked for: the header of credentials, or the signature
}

func startAzure(t *testing.T) *azure {
	t.Helper()
	a := &azure{answers: http.StatusOK}
	a.Server = httptest.NewTLSServer(a)
	t.Cleanup(a.Close)
	for _, name := range []string{
		connectionVariable, keyVariable, signatureVariable, "AZURE_TENANT_ID", "AZURE_CLIENT_ID", "AZURE_CLIENT_SECRET",
		"AZURE_FEDERATED_TOKEN_FILE", "AZURE_AUTHORITY_HOST", "IDENTITY_ENDPOINT", "MSI_ENDPOINT",
	} {
		t.Setenv(name, "")
		os.Unsetenv(name) // until the end of the test
	}
	t.Setenv(accountVariable, "account")
	t.Setenv("PATH", t.TempDir()) // with no tools of Azure
	t.Setenv("HOME", t.TempDir())
	return a
}

// RoundTrip has a request come to the one server.
func (a *azure) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Host == imds && !a.machine {
		return nil, errors.New("no route to host")
	}
	r = r.Clone(r.Context())
	r.Host = r.URL.Host
	r.URL.Scheme, r.URL.Host = "https", strings.TrimPrefix(a.URL, "https://")
	return a.Client().Transport.RoundTrip(r)
}

func (a *azure) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	const login = "https://login.microsoftonline.com/tenant/"
	isToken := strings.HasSuffix(r.URL.Path, "/token")
	var answer any
	switch {
	case strings.HasSuffix(r.Host, ".blob.core.windows.net"):
		a.asked = append(a.asked, r.Header.Get("Authorization")+r.URL.Query().Get("sig"))
		w.Header().Set("ETag", `"1"`)
		w.Header().Set("Location", a.location)
		w.Header().Set("X-Ms-Error-Code", map[int]string{404: "ResourceNotFound", 403: "sECRET code"}[a.answers])
		w.WriteHeader(a.answers)
		fmt.Fprint(w, "<Error><Message>sECRET</Message></Error>")
		return
	case r.Host == imds && r.Header.Get("Metadata") == "": // it is only asked whether it is there
		w.WriteHeader(http.StatusBadRequest)
	case isToken && a.refuses != 0:
		w.WriteHeader(a.refuses)
		answer = map[string]string{"error": "invalid_client", "error_description": "sECRETassertion"}
	case isToken:
		a.given++
		answer = map[string]any{
			"access_token": token, "token_type": "Bearer", "expires_in": 3600, "expires_on": "4000000000",
		}
	case strings.HasSuffix(r.URL.Path, "/openid-configuration"):
		answer = map[string]string{"authorization_endpoint": login + "oauth2/v2.0/authorize", "issuer": login + "v2.0",
			"token_endpoint": login + "oauth2/v2.0/token"}
	default:
		answer = map[string]any{"tenant_discovery_endpoint": login + "v2.0/.well-known/openid-configuration"}
	}
	text, _ := json.Marshal(answer) // these values can be
	w.Write(text)
}

func principal(t *testing.T) {
	for name, value := range map[string]string{"TENANT_ID": "tenant", "CLIENT_ID": "me", "CLIENT_SECRET": "sECRET"} {
		t.Setenv("AZURE_"+name, value)
	}
}

// Credentials are found in each place where Azure's tools look. One token serves many requests.
func TestWho(t *testing.T) {
	for name, c := range map[string]struct {
		prepare func(t *testing.T, a *azure)
		asks    string
		tokens  int
	}{
		"a service principal": {func(t *testing.T, _ *azure) { principal(t) }, "Bearer " + token, 1},
		"a workload": {func(t *testing.T, _ *azure) {
			file := filepath.Join(t.TempDir(), "federated")
			if err := os.WriteFile(file, []byte("sECRETassertion"), 0o600); err != nil {
				t.Fatal(err)
			}
			t.Setenv("AZURE_TENANT_ID", "tenant")
			t.Setenv("AZURE_CLIENT_ID", "me")
			t.Setenv("AZURE_FEDERATED_TOKEN_FILE", file)
		}, "Bearer " + token, 1},
		"the machine": {func(_ *testing.T, a *azure) { a.machine = true }, "Bearer " + token, 1},
		"az": {func(t *testing.T, _ *azure) {
			tool := fmt.Sprintf("#!/bin/sh\necho '{\"accessToken\":%q,\"expires_on\":4000000000}'\n", token)
			if err := os.WriteFile(filepath.Join(os.Getenv("PATH"), "az"), []byte(tool), 0o700); err != nil {
				t.Fatal(err)
			}
		}, "Bearer " + token, 0},
		"a key":       {func(t *testing.T, _ *azure) { t.Setenv(keyVariable, "c0VDUkVU") }, "SharedKey account:", 0},
		"a signature": {func(t *testing.T, _ *azure) { t.Setenv(signatureVariable, "?sv=1&sig=a%2Bb%3D") }, "a+b=", 0},
		"a connection string with a key": {func(t *testing.T, _ *azure) {
			t.Setenv(connectionVariable, "DefaultEndpointsProtocol=https;AccountName=other;AccountKey=c0VDUkVU;"+
				"EndpointSuffix=core.windows.net")
		}, "SharedKey other:", 0},
		"a connection string with a signature": {func(t *testing.T, _ *azure) {
			t.Setenv(connectionVariable, "BlobEndpoint=https://other.blob.core.windows.net/;"+
				"SharedAccessSignature=sv=1&sig=x")
		}, "x", 0},
		"in the clear": {func(t *testing.T, _ *azure) {
			principal(t)
			t.Setenv(connectionVariable, "BlobEndpoint=HTTP://other.blob.core.windows.net")
		}, "", 0},
		"nobody": {func(*testing.T, *azure) {}, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			a := startAzure(t)
			c.prepare(t, a)
			s, err := New(a)
			if err != nil {
				t.Fatal(err)
			}
			for range 3 {
				if _, err := s.Stat(t.Context(), store.Place{Bucket: "b", Key: "k"}); err != nil {
					t.Fatal(err)
				}
			}
			if a.given != c.tokens || len(a.asked) != 3 {
				t.Errorf("%d tokens, %d requests", a.given, len(a.asked))
			}
			for _, got := range a.asked {
				if rest, ok := strings.CutPrefix(got, c.asks); !ok || (rest == "") == strings.HasPrefix(got, "Shared") {
					t.Errorf("it is asked as %q", got)
				}
			}
		})
	}
}

// What is wrong with credentials is said with what to do, and without what is in them.
func TestWhoFails(t *testing.T) {
	a := startAzure(t)
	principal(t)
	fails := func(what string, isTemporary bool, says string) {
		t.Helper()
		s, err := New(a)
		if err == nil {
			_, err = s.Stat(t.Context(), store.Place{Bucket: "b", Key: "k"})
		}
		if err == nil || store.IsTemporary(err) != isTemporary || !strings.Contains(err.Error(), says) ||
			strings.Contains(err.Error(), "sECRET") {
			t.Errorf("%s: %v", what, err)
		}
	}
	for status, isTemporary := range map[int]bool{400: false, 401: false, 503: true, 429: true} {
		a.refuses = status
		fails(fmt.Sprint(status), isTemporary, "check AZURE_TENANT_ID")
	}
	a.refuses, a.answers = 0, http.StatusForbidden
	fails("forbidden", false, "403 Forbidden: check that the account")
	t.Setenv(signatureVariable, "sv=1&sig=sECRET")
	fails("a signature", false, "403 Forbidden: check what the AZURE_STORAGE_SAS_TOKEN allows")
	t.Setenv(keyVariable, "c0VDUkVU")
	fails("a key", false, "check that the AZURE_STORAGE_KEY is one of this account")
	for variable, values := range map[string]map[string]string{
		keyVariable:       {"sECRET": "is base64"},
		accountVariable:   {"https://sECRET": "is not the name of an account", "": "name it in AZURE_STORAGE_ACCOUNT"},
		signatureVariable: {"sECRET": "no shared access signature", "sv=%&sig=sECRET": "no shared access signature"},
		connectionVariable: {
			"sECRET": "no connection string", "AccountKey=c0VDUkVU": "names no account",
			"AccountName=a;sECRET": "no connection", "AccountName=a;AccountKey=sECRET": "is base64",
			"BlobEndpoint=https://a;AccountKey=c0VDUkVU":       "the name of the",
			"BlobEndpoint=sECRET":                              "names no server",
			"BlobEndpoint=https://sECRET:sECRET@a":             "names no server",
			"BlobEndpoint=https://a?sig=sECRET":                "names no server",
			"AccountName=a;SharedAccessSignature=sv=1;sECRET=": "no shared access signature",
		},
	} {
		for value, says := range values {
			t.Run(variable+" "+value, func(t *testing.T) {
				t.Setenv(keyVariable, "")
				t.Setenv(variable, value)
				fails(value, false, says)
			})
		}
	}
	a.Close()
	fails("gone", true, "connection refused")
	t.Setenv(keyVariable, "")
	t.Setenv(signatureVariable, "sv=1&sig=sECRET")
	fails("gone", true, "connection refused")
	t.Setenv(signatureVariable, "")
	fails("gone", true, "the server of tokens cannot be asked")
}

// To strangers a private container looks as if it were not there.
func TestStranger(t *testing.T) {
	a := startAzure(t)
	a.answers = http.StatusNotFound
	s, err := New(a)
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Stat(t.Context(), store.Place{Bucket: "b", Key: "k"})
	if err == nil || !strings.Contains(err.Error(), "404 Not Found (ResourceNotFound): no credentials were found") {
		t.Error(err)
	}
}

// A server that leads elsewhere is not followed: what signs a request must not come to another one.
func TestNothingIsFollowed(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("it is followed")
	}))
	defer other.Close()
	a := startAzure(t)
	principal(t)
	a.answers, a.location = http.StatusTemporaryRedirect, other.URL+"/?sig=sECRET"
	s, err := New(a)
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = s.GetAll(t.Context(), store.Place{Bucket: "b", Key: "k"})
	if err == nil || !strings.Contains(err.Error(), "307 Temporary") || strings.Contains(err.Error(), "sECRET") {
		t.Error(err)
	}
}
