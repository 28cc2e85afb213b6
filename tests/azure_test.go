//go:build integration

package tests

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/sas"
)

// azuriteKey is no secret: it is the key of the account that Azurite begins with.
const azuriteKey = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="

// TestIntegrationAzure reads, writes and keeps an index in a container of a server that others have
// written, by its key and by a signature.
func TestIntegrationAzure(t *testing.T) {
	endpoint := startAzurite(t)
	account := "AccountName=devstoreaccount1;BlobEndpoint=" + endpoint
	withKey := account + ";AccountKey=" + azuriteKey
	client, err := azblob.NewClientFromConnectionString(withKey, &azblob.ClientOptions{
		ClientOptions: policy.ClientOptions{PerCallPolicies: []policy.Policy{known{}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"crawl", "signed"} {
		if _, err := client.CreateContainer(t.Context(), name, nil); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("AZURE_STORAGE_CONNECTION_STRING", withKey)
	t.Run("key", func(t *testing.T) { keepsWhatFilesKeep(t, "az://crawl/") })
	t.Run("parts", func(t *testing.T) { sendsInParts(t, client, "crawl") })

	all := sas.AccountPermissions{Read: true, Write: true, Delete: true, List: true, Create: true}
	things := sas.AccountResourceTypes{Service: true, Container: true, Object: true}
	signed, err := client.ServiceClient().GetSASURL(things, all, time.Now().Add(time.Hour), nil)
	if err != nil {
		t.Fatal(err)
	}
	_, signature, _ := strings.Cut(signed, "?")
	t.Setenv("AZURE_STORAGE_CONNECTION_STRING", account+";SharedAccessSignature="+signature)
	t.Run("signature", func(t *testing.T) { keepsWhatFilesKeep(t, "az://signed/") })

	query, err := url.ParseQuery(signature)
	if err != nil {
		t.Fatal(err)
	}
	query.Set("sig", "sECRETsECRETsECRET")
	shard := filepath.Join(t.TempDir(), "shard.jsonl.gz")
	writeShard(t, shard, 7)
	for what, access := range map[string]string{
		"wrong key":       account + ";AccountKey=c0VDUkVU",
		"wrong signature": account + ";SharedAccessSignature=" + query.Encode(),
	} {
		t.Setenv("AZURE_STORAGE_CONNECTION_STRING", access)
		for _, args := range [][]string{
			{"az://crawl/2026/day/part-0.jsonl.gz"}, {"az://crawl/2026/"}, {"--index", "az://crawl/exact-day", shard},
			{"-o", "az://crawl/x.jsonl", shard},
		} {
			got := runWithCache(t, t.TempDir(), "", append([]string{"-q"}, args...)...)
			if got.code == 0 || !strings.Contains(got.messages, "403 Forbidden") ||
				strings.Contains(got.messages, "sECRET") {
				t.Errorf("%s: %s: %+v", what, args, got)
			}
		}
	}
}

// The known version of the interface is one that Azurite knows; the library is newer.
type known struct{}

func (known) Do(r *policy.Request) (*http.Response, error) {
	r.Raw().Header["x-ms-version"] = []string{"2025-11-05"}
	return r.Next()
}

// sendsInParts writes an object that is larger than a part.
func sendsInParts(t *testing.T, client *azblob.Client, bucket string) {
	large := filepath.Join(t.TempDir(), "large.jsonl")
	var lines bytes.Buffer
	for i := 0; lines.Len() < 40<<20; i++ {
		fmt.Fprintf(&lines, `{"text":"%d %s"}`+"\n", i, strings.Repeat("x", 1000))
	}
	if err := os.WriteFile(large, lines.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second one replaces the first
		got := runWithCache(t, t.TempDir(), "", "-q", "--equal", "-o", "az://"+bucket+"/a b/large+%41.jsonl", large)
		if got.code != 0 {
			t.Fatalf("%+v", got)
		}
	}
	sent := make([]byte, lines.Len()+1)
	n, err := client.DownloadBuffer(t.Context(), bucket, "a b/large+%41.jsonl", sent, nil)
	if err != nil || !bytes.Equal(sent[:n], lines.Bytes()) {
		t.Errorf("%d bytes, want %d: %v", n, lines.Len(), err)
	}
	got := runWithCache(t, t.TempDir(), "", "-q", "--equal", "az://"+bucket+"/a b/large+%41.jsonl")
	if got.code != 0 || got.out != lines.String() {
		t.Errorf("%d bytes are read: %s", len(got.out), got.messages)
	}
}

// startAzurite starts Azurite, and returns where the objects of its account are.
func startAzurite(t *testing.T) (endpoint string) {
	t.Helper()
	program := os.Getenv("AZURITE")
	if program == "" {
		program = "azurite-blob"
	}
	if _, err := exec.LookPath(program); err != nil {
		const missing = "there is no server of Azure Blob Storage: npm install azurite@3.37.0, and name its program " +
			"azurite-blob in AZURITE"
		if os.Getenv("CI") != "" {
			t.Fatal(missing)
		}
		t.Skip(missing)
	}
	port := reservedPort(t)
	return startServer(t, port, program, "--blobPort", fmt.Sprint(port), "--location", t.TempDir(),
		"--silent", "--disableTelemetry") + "/devstoreaccount1"
}
