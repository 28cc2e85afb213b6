// Package gcs is the service of gs://, Google Cloud Storage, by its JSON interface. Large objects
// are sent by its XML interface, which alone takes parts at once and shows nothing before the end.
// The library of the vendor is left out: with it the program would be 1.6 times as large.
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

// defaultEndpoint is the endpoint of Google.
const defaultEndpoint = "https://storage.googleapis.com"

// A Service is a server of buckets.
type Service struct {
	client   *http.Client
	endpoint string // without a slash at its end
	who      *who   // asks
}

// New returns the service that the environment names: STORAGE_EMULATOR_HOST, which is asked without
// credentials, as by Google's libraries, or Google's own. tell says how an address is told.
func New(transport http.RoundTripper, tell func(address string) string) (store.Service, error) {
	emulator := os.Getenv("STORAGE_EMULATOR_HOST")
	if emulator == "" {
		who, err := findWho(transport)
		return newService(transport, defaultEndpoint, who), err
	}
	if !strings.Contains(emulator, "://") {
		emulator = "http://" + emulator
	}
	at, err := url.Parse(emulator)
	if err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https" || strings.Trim(at.Path, "/") != "" {
		return nil, fmt.Errorf("STORAGE_EMULATOR_HOST %q is no address of a server: write it as in "+
			"http://localhost:4443", tell(emulator))
	}
	return newService(transport, at.Scheme+"://"+at.Host, &who{}), nil
}

func newService(transport http.RoundTripper, endpoint string, who *who) *Service {
	return &Service{&http.Client{Transport: transport}, endpoint, who}
}

// pathOf is the address of what is in a bucket, in the JSON interface.
func pathOf(bucket string) string { return "/storage/v1/b/" + url.PathEscape(bucket) }

func pathOfObject(at store.Place) string { return pathOf(at.Bucket) + "/o/" + url.PathEscape(at.Key) }

// CheckBucket asks for a bucket.
func (s *Service) CheckBucket(ctx context.Context, bucket string) error {
	answer, err := s.ask(ctx, request{path: pathOf(bucket), query: url.Values{"fields": {"name"}}, bucket: bucket})
	refused := (*refusal)(nil)
	switch {
	case err == nil:
		return answer.Body.Close()
	case errors.As(err, &refused) && refused.status == http.StatusNotFound:
		return noBucket(bucket)
	case errors.As(err, &refused) && !store.IsTemporary(err): // who may write objects may not see buckets
		return nil
	}
	return err
}

func noBucket(bucket string) error { return store.NoBucket(bucket, "the name") }

// List returns a page of the keys that begin with a prefix.
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
	err = s.askJSON(ctx, request{path: pathOf(bucket) + "/o", query: query, bucket: bucket}, &page)
	for _, item := range page.Items {
		keys = append(keys, item.Name)
	}
	return keys, page.NextPageToken, err
}

// metadata are what the service says of an object. The generation is another one with each write.
type metadata struct {
	Size       string `json:"size"`
	Generation string `json:"generation"`
}

// Stat asks for the state of an object.
func (s *Service) Stat(ctx context.Context, at store.Place) (v store.Version, err error) {
	var m metadata
	query := url.Values{"fields": {"size,generation"}}
	if err := s.askJSON(ctx, request{path: pathOfObject(at), query: query, bucket: at.Bucket}, &m); err != nil {
		return v, err
	}
	size, err := strconv.ParseInt(m.Size, 10, 64)
	if err != nil || size < 0 || m.Generation == "" {
		return v, errors.New("the server does not say how large the object is, and of which generation")
	}
	return store.Version{Size: size, Tag: m.Generation, Ranges: true}, nil
}

// Get asks for some bytes of one generation.
func (s *Service) Get(ctx context.Context, at store.Place, of store.Version, from, to int64) (io.ReadCloser, error) {
	answer, err := s.ask(ctx, request{
		path: pathOfObject(at), query: url.Values{"alt": {"media"}, "ifGenerationMatch": {of.Tag}}, bucket: at.Bucket,
		header: map[string]string{
			"Range":           fmt.Sprintf("bytes=%d-%d", from, to-1),
			"Accept-Encoding": "gzip", // as it is stored; else the server would inflate what is called gzip
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

// GetAll asks for an object, and which generation it is.
func (s *Service) GetAll(ctx context.Context, at store.Place) (body io.ReadCloser, tag string, err error) {
	answer, err := s.ask(ctx, request{
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

// askJSON has the answer to a request be a value. Of a longer one than maxAnswer there is none.
func (s *Service) askJSON(ctx context.Context, r request, value any) error {
	answer, err := s.ask(ctx, r)
	if err != nil {
		return err
	}
	text, err := readAnswer(answer)
	if err == nil && json.Unmarshal(text, value) != nil {
		err = errors.New("the server has answered with what is no JSON: check STORAGE_EMULATOR_HOST")
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

// maxAnswer bounds an answer in JSON or XML, in bytes. A page has the names of 1,000 objects, of
// which each may have 1,024 bytes, or six times as many in JSON.
const maxAnswer = 16 << 20
