package gcs

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/object/store"
)

// tokens is a server that gives tokens of all kinds, and counts how many.
type tokens struct {
	*httptest.Server
	given  int
	status int // that it answers with, if it gives none
}

const token = "sECRETtoken"

func giveTokens(t *testing.T) *tokens {
	t.Helper()
	s := &tokens{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.status != 0 {
			w.WriteHeader(s.status)
			fmt.Fprint(w, `{"error":"invalid_grant","error_description":"sECRETassertion"}`)
			return
		}
		if strings.HasSuffix(r.URL.Path, "/token") {
			s.given++
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"access_token":%q,"token_type":"Bearer","expires_in":3600}`, token)
		}
	}))
	t.Cleanup(s.Close)
	t.Setenv("HOME", t.TempDir())
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", "")
	t.Setenv("GCE_METADATA_HOST", "")
	return s
}

// redirected has requests to Google's own server of tokens go to another one.
type redirected struct{ host string }

func (r redirected) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.URL.Host == "oauth2.googleapis.com" {
		request = request.Clone(request.Context())
		request.URL.Scheme, request.URL.Host = "http", r.host
	}
	return http.DefaultTransport.RoundTrip(request)
}

// accountFile is the file of a service account.
func accountFile(t *testing.T, server string) string {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	block := pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}
	return writeJSON(t, filepath.Join(t.TempDir(), "account.json"), map[string]string{
		"type": "service_account", "client_email": "a@b.iam.gserviceaccount.com", "private_key_id": "1",
		"private_key": string(pem.EncodeToMemory(&block)), "token_uri": server + "/token",
	})
}

func writeJSON(t *testing.T, path string, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o777)
	}
	if err == nil {
		err = os.WriteFile(path, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// Credentials are found in each place where Google's tools look. One token serves many requests.
func TestWho(t *testing.T) {
	for name, prepare := range map[string]func(t *testing.T, s *tokens){
		"a service account": func(t *testing.T, s *tokens) {
			t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", accountFile(t, s.URL))
		},
		"gcloud": func(t *testing.T, _ *tokens) {
			writeJSON(t, filepath.Join(os.Getenv("HOME"), ".config/gcloud/application_default_credentials.json"),
				map[string]string{
					"type": "authorized_user", "client_id": "i", "client_secret": "sECRET", "refresh_token": "r",
				})
		},
		"the metadata server": func(t *testing.T, s *tokens) {
			t.Setenv("GCE_METADATA_HOST", strings.TrimPrefix(s.URL, "http://"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := giveTokens(t)
			prepare(t, s)
			creds, err := findCredentials(redirected{strings.TrimPrefix(s.URL, "http://")})
			if err != nil {
				t.Fatal(err)
			}
			for range 3 {
				request := httptest.NewRequest(http.MethodGet, "/", nil)
				if err := creds.sign(t.Context(), request); err != nil {
					t.Fatal(err)
				}
				if got := request.Header.Get("Authorization"); got != "Bearer "+token {
					t.Errorf("it is signed as %q", got)
				}
			}
			if s.given != 1 {
				t.Errorf("%d tokens were asked for", s.given)
			}
		})
	}
}

// Without credentials requests have no token, as public buckets want it.
func TestWhoIsNobody(t *testing.T) {
	if os.Getenv("NOBODY") == "" { // a process knows for good whether there is a metadata server
		t.Setenv("NOBODY", "1")
		out, err := exec.Command(os.Args[0], "-test.run=^TestWhoIsNobody$").CombinedOutput()
		if err != nil {
			t.Errorf("%v: %s", err, out)
		}
		return
	}
	giveTokens(t)
	creds, err := findCredentials(http.DefaultTransport)
	if err != nil {
		t.Fatal(err)
	}
	request := httptest.NewRequest(http.MethodGet, "/", nil)
	if err := creds.sign(t.Context(), request); err != nil || request.Header.Get("Authorization") != "" {
		t.Error(err, request.Header)
	}
}

// What is wrong with credentials is said with what to do, and without what is in them.
func TestWhoFails(t *testing.T) {
	s := giveTokens(t)
	odd := filepath.Join(t.TempDir(), "odd.json")
	for text, says := range map[string]string{
		"": "no such file", "sECRET": "has no credentials", `{"type":"sECRET"}`: "has no credentials",
	} {
		if os.Remove(odd); text != "" {
			if err := os.WriteFile(odd, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", odd)
		_, err := findCredentials(http.DefaultTransport)
		if err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "sECRET") {
			t.Errorf("%q: %v", text, err)
		}
	}
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", accountFile(t, s.URL))
	creds, err := findCredentials(http.DefaultTransport)
	if err != nil {
		t.Fatal(err)
	}
	for status, isTemporary := range map[int]bool{400: false, 503: true} {
		s.status = status
		err := creds.sign(t.Context(), httptest.NewRequest(http.MethodGet, "/", nil))
		if err == nil || store.IsTemporary(err) != isTemporary || strings.Contains(err.Error(), "sECRET") {
			t.Errorf("%d: %v", status, err)
		}
	}
	s.Close()
	err = creds.sign(t.Context(), httptest.NewRequest(http.MethodGet, "/", nil))
	if !store.IsTemporary(err) {
		t.Error(err)
	}
}

// The token goes to the service. What that answers is told, and the token is not.
func TestRefused(t *testing.T) {
	s := giveTokens(t)
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", accountFile(t, s.URL))
	creds, err := findCredentials(http.DefaultTransport)
	if err != nil {
		t.Fatal(err)
	}
	signed := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") == "Bearer "+token {
			signed++
		}
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprint(w, `{"error":{"code":403,"message":"a@b does not have storage.objects.get access \u001b[31m"}}`)
	}))
	defer server.Close()
	_, err = newService(http.DefaultTransport, server.URL, creds).Stat(t.Context(), store.Place{Bucket: "b", Key: "k"})
	want := `403 Forbidden: "a@b does not have storage.objects.get access \x1b[31m": check what the account may do`
	if signed != 1 || err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%d requests are signed: %v", signed, err)
	}
}
