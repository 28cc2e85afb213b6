// Package gcs implements gs://, Google Cloud Storage, with its JSON API. Large objects are uploaded
// with its XML API, the only one with parallel parts that shows nothing before the end. The
// vendor's library is not used: it would make the program 1.6 times as large.
package gcs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"

	"github.com/mithril-stream/mithril-stream/internal/object/store"
)

// defaultEndpoint is Google's endpoint.
const defaultEndpoint = "https://storage.googleapis.com"

// A Service is a storage server.
type Service struct {
	client      *http.Client
	endpoint    string       // without a trailing slash
	credentials *credentials // of all requests
}

// New returns the service that the environment configures: STORAGE_EMULATOR_HOST, which gets no
// credentials, as with Google's libraries, or Google's own. tell removes secrets from an address.
func New(transport http.RoundTripper, tell func(address string) string) (store.Service, error) {
	emulator := os.Getenv("STORAGE_EMULATOR_HOST")
	if emulator == "" {
		creds, err := findCredentials(transport)
		return newService(transport, defaultEndpoint, creds), err
	}
	if !strings.Contains(emulator, "://") {
		emulator = "http://" + emulator
	}
	at, err := url.Parse(emulator)
	if err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https" || strings.Trim(at.Path, "/") != "" {
		return nil, fmt.Errorf("STORAGE_EMULATOR_HOST %q is no address of a server: write it as in "+
			"http://localhost:4443", tell(emulator))
	}
	return newService(transport, at.Scheme+"://"+at.Host, &credentials{}), nil
}

func newService(transport http.RoundTripper, endpoint string, creds *credentials) *Service {
	return &Service{&http.Client{Transport: transport}, endpoint, creds}
}

// pathOf returns the path of a bucket in the JSON API.
func pathOf(bucket string) string { return "/storage/v1/b/" + url.PathEscape(bucket) }

func pathOfObject(at store.Place) string { return pathOf(at.Bucket) + "/o/" + url.PathEscape(at.Key) }

// CheckBucket implements store.Service.
func (s *Service) CheckBucket(ctx context.Context, bucket string) error {
	answer, err := s.do(ctx, request{path: pathOf(bucket), query: url.Values{"fields": {"name"}}, bucket: bucket})
	refused := (*refusal)(nil)
	switch {
	case err == nil:
		return answer.Body.Close()
	case errors.As(err, &refused) && refused.status == http.StatusNotFound:
		return noBucket(bucket)
	// whoever may write objects may not be allowed to see buckets
	case errors.As(err, &refused) && !store.IsTemporary(err):
		return nil
	}
	return err
}

func noBucket(bucket string) error { return store.NoBucket(bucket, "the name") }

// List returns a page of the keys with a prefix.
func (s *Service) List(ctx context.Context, bucket, prefix, more string) (keys []string, next string, err error) {
	query := url.Values{"prefix": {prefix}, "fields": {"items(name),nextPageToken"}}
	if more != "" {
		query.Set("pageToken", more)
	}
	var page struct {
		Items []struct {
			Name string `json:"name"`
		} `json:"items"`
		NextPageToken string `json:"nextPageToken"`
	}
	err = s.doJSON(ctx, request{path: pathOf(bucket) + "/o", query: query, bucket: bucket}, &page)
	for _, item := range page.Items {
		keys = append(keys, item.Name)
	}
	return keys, page.NextPageToken, err
}

// metadata is the service's description of an object. Each write creates a new generation.
type metadata struct {
	Size       string `json:"size"`
	Generation string `json:"generation"`
}

// Stat implements store.Service.
func (s *Service) Stat(ctx context.Context, at store.Place) (v store.Version, err error) {
	var m metadata
	query := url.Values{"fields": {"size,generation"}}
	if err := s.doJSON(ctx, request{path: pathOfObject(at), query: query, bucket: at.Bucket}, &m); err != nil {
		return v, err
	}
	size, err := strconv.ParseInt(m.Size, 10, 64)
	if err != nil || size < 0 || m.Generation == "" {
		return v, errors.New("the server does not say how large the object is, and of which generation")
	}
	return store.Version{Size: size, Tag: m.Generation, Ranges: true}, nil
}

// Get implements store.Service.
func (s *Service) Get(ctx context.Context, at store.Place, of store.Version, from, to int64) (io.ReadCloser, error) {
	answer, err := s.do(ctx, request{
		path: pathOfObject(at), query: url.Values{"alt": {"media"}, "ifGenerationMatch": {of.Tag}}, bucket: at.Bucket,
		header: map[string]string{
			"Range": fmt.Sprintf("bytes=%d-%d", from, to-1),
			// as stored; otherwise the server decompresses objects with the encoding gzip
			"Accept-Encoding": "gzip",
		},
	})
	if err != nil {
		return nil, err
	}
	if from > 0 && answer.StatusCode != http.StatusPartialContent {
		answer.Body.Close()
		return nil, errors.New("the server has not sent the part that it was asked for")
	}
	return answer.Body, nil
}

// GetAll returns an object, and its generation as the tag.
func (s *Service) GetAll(ctx context.Context, at store.Place) (body io.ReadCloser, tag string, err error) {
	answer, err := s.do(ctx, request{
		path: pathOfObject(at), query: url.Values{"alt": {"media"}}, bucket: at.Bucket,
		header: map[string]string{"Accept-Encoding": "gzip"},
	})
	if err != nil {
		return nil, "", err
	}
	tag = answer.Header.Get("X-Goog-Generation")
	if _, err := strconv.ParseInt(tag, 10, 64); err != nil {
		return nil, "", errors.Join(errors.New("the server does not say of which generation an object is"),
			answer.Body.Close())
	}
	return answer.Body, tag, nil
}

// doJSON decodes the answer to a request into value. Answers above maxAnswer are errors.
func (s *Service) doJSON(ctx context.Context, r request, value any) error {
	answer, err := s.do(ctx, r)
	if err != nil {
		return err
	}
	text, err := readAnswer(answer)
	if err == nil && json.Unmarshal(text, value) != nil {
		err = errors.New("the server's answer is not JSON: check STORAGE_EMULATOR_HOST")
	}
	return err
}

// readAnswer reads an answer to its end, and closes it.
func readAnswer(answer *http.Response) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	if err = errors.Join(err, answer.Body.Close()); err != nil {
		return nil, store.Broken(err)
	}
	return text, nil
}

// maxAnswer bounds an answer in JSON or XML, in bytes. A page lists 1,000 objects, whose names may
// have 1,024 bytes each, or six times as many in JSON.
const maxAnswer = 16 << 20
