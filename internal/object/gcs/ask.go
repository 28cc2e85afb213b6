package gcs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/mithril-stream/mithril-stream/internal/object/store"
)

// A request is a request to the service.
type request struct {
	method string // empty means GET
	path   string // encoded
	query  url.Values
	header map[string]string
	body   *io.SectionReader // nil for no body
	bucket string            // the bucket it is about
}

// A refusal is an answer other than success.
type refusal struct {
	status int
	reason string // the server's reason; may be empty
	means  error  // the error for the user
}

func (r *refusal) Error() string { return r.means.Error() }

func (r *refusal) Unwrap() error { return r.means }

// do sends a request once. The caller must close the body of the answer.
func (s *Service) do(ctx context.Context, r request) (*http.Response, error) {
	asking, err := s.prepare(ctx, r)
	if err != nil {
		return nil, err
	}
	answer, err := s.client.Do(asking)
	if failed := (*url.Error)(nil); errors.As(err, &failed) {
		err = failed.Err // without the address
	}
	if err != nil {
		return nil, store.FromStatus(0, err)
	}
	if answer.StatusCode/100 == 2 {
		return answer, nil
	}
	refused := readRefusal(answer)
	refused.means = s.meaning(refused, r.bucket)
	answer.Body.Close()
	return nil, refused
}

func (s *Service) prepare(ctx context.Context, r request) (*http.Request, error) {
	at := s.endpoint + r.path
	if len(r.query) > 0 {
		at += "?" + r.query.Encode()
	}
	asking, err := http.NewRequestWithContext(ctx, r.method, at, nil)
	if err != nil {
		return nil, err
	}
	if body := r.body; body != nil && body.Size() > 0 {
		asking.ContentLength = body.Size()
		asking.GetBody = func() (io.ReadCloser, error) {
			return io.NopCloser(io.NewSectionReader(body, 0, body.Size())), nil
		}
		asking.Body, _ = asking.GetBody() // never fails
	}
	for name, value := range r.header {
		asking.Header.Set(name, value)
	}
	return asking, s.credentials.sign(ctx, asking)
}

// maxSays bounds the part of an answer that is quoted, in bytes.
const maxSays = 300

// readRefusal reads the message of a JSON error, or none.
func readRefusal(answer *http.Response) *refusal {
	text, err := io.ReadAll(io.LimitReader(answer.Body, 64<<10))
	var told struct {
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	r := &refusal{status: answer.StatusCode}
	if err == nil && json.Unmarshal(text, &told) == nil {
		r.reason = told.Error.Message[:min(len(told.Error.Message), maxSays)]
	}
	return r
}

// meaning converts a refusal to an error for the user.
func (s *Service) meaning(r *refusal, bucket string) error {
	told := fmt.Errorf("the server has answered %d %s", r.status, http.StatusText(r.status))
	if r.reason != "" {
		told = fmt.Errorf("%w: %q", told, r.reason)
	}
	switch r.status {
	case http.StatusNotFound:
		if strings.Contains(r.reason, "bucket does not exist") {
			return noBucket(bucket)
		}
		return store.ErrNotFound
	case http.StatusUnauthorized, http.StatusForbidden:
		return fmt.Errorf("%w: %s", told, s.credentials.advice())
	}
	return store.FromStatus(r.status, told)
}
