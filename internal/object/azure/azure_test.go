package azure

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/mithril-stream/mithril-stream/internal/object/store"
)

// serve has an account be at a server, which anybody may ask by a signature.
func serve(t *testing.T, answer http.HandlerFunc) store.Service {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	t.Setenv(connectionVariable, "BlobEndpoint="+server.URL+"/account;SharedAccessSignature=sig=sECRET")
	s, err := New(http.DefaultTransport)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A listing has no directories, which accounts with them list as objects, and has names that cannot
// stand in XML as they are.
func TestListing(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/account/bucket" || r.URL.Query().Get("prefix") != "a/" {
			t.Errorf("it is asked for %s", r.URL)
		}
		fmt.Fprint(w, `<EnumerationResults><Blobs>
			<Blob><Name>a/b</Name><Properties><ResourceType>directory</ResourceType></Properties></Blob>
			<Blob><Name>a/b/c</Name><Properties><ResourceType>file</ResourceType></Properties></Blob>
			<Blob><Name Encoded="true">a/%01</Name></Blob></Blobs><NextMarker>more</NextMarker></EnumerationResults>`)
	})
	keys, more, err := s.List(t.Context(), "bucket", "a/", "")
	if err != nil || more != "more" || !slices.Equal(keys, []string{"a/b/c", "a/\x01"}) {
		t.Errorf("%q, %q, %v", keys, more, err)
	}
}

// What the service answers to a write under a condition means one thing each.
func TestRefusals(t *testing.T) {
	var status int
	var code string
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Ms-Error-Code", code)
		w.WriteHeader(status)
	})
	at, body := store.Place{Bucket: "bucket", Key: "x"}, []byte("x")
	for _, c := range []struct {
		status      int
		code        string
		tag         string
		is          error
		isTemporary bool
		says        string
	}{
		{status: 412, code: "ConditionNotMet", tag: `"1"`, is: store.ErrOther},
		{status: 404, code: "BlobNotFound", tag: `"1"`, is: store.ErrOther},
		{status: 409, code: "BlobAlreadyExists", is: store.ErrOther},
		{status: 404, code: "ContainerNotFound", tag: `"1"`, says: "there is no bucket bucket: check the name"},
		{status: 412, code: "LeaseIdMissing", tag: `"1"`, says: "412 Precondition Failed (LeaseIdMissing)"},
		{status: 409, code: "BlobImmutableDueToPolicy", says: "409 Conflict (BlobImmutableDueToPolicy)"},
		{status: 403, code: "AuthorizationPermissionMismatch", says: "PermissionMismatch): check what the"},
		{status: 503, code: "ServerBusy", isTemporary: true, says: "503 Service Unavailable (ServerBusy)"},
		{status: 500, code: "not a <word>", isTemporary: true, says: "500 Internal Server Error"},
	} {
		status, code = c.status, c.code
		_, err := s.Replace(t.Context(), at, io.NewSectionReader(bytes.NewReader(body), 0, 1), c.tag)
		if err == nil || c.is != nil && !errors.Is(err, c.is) || c.is == nil && errors.Is(err, store.ErrOther) ||
			store.IsTemporary(err) != c.isTemporary || !strings.Contains(err.Error(), c.says) ||
			strings.Contains(err.Error(), "sECRET") || strings.Contains(err.Error(), "word") {
			t.Errorf("%d %s: %v", c.status, c.code, err)
		}
	}
}
