package object

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/mithril-stream/mithril-stream/internal/object/store"
)

// A webFile is a file on a web server.
type webFile struct {
	client *http.Client
	url    string
}

func (f webFile) stat(ctx context.Context) (v store.Version, err error) {
	answer, err := f.request(ctx, http.MethodHead, nil)
	if err != nil {
		return v, err
	}
	defer answer.Body.Close()
	v = store.Version{Size: answer.ContentLength, Ranges: answer.Header.Get("Accept-Ranges") == "bytes"}
	v.Tag = cmp.Or(answer.Header.Get("ETag"), answer.Header.Get("Last-Modified"))
	if answer.StatusCode == http.StatusMethodNotAllowed || answer.StatusCode == http.StatusNotImplemented {
		return store.Version{Size: -1}, nil // HEAD is not supported: read it in one piece
	}
	return v, status(answer)
}

func (f webFile) get(ctx context.Context, of store.Version, from, to int64) (io.ReadCloser, error) {
	header := http.Header{}
	if of.Ranges {
		header.Set("Range", fmt.Sprintf("bytes=%d-%d", from, to-1))
	}
	answer, err := f.request(ctx, http.MethodGet, header)
	if err != nil {
		return nil, err
	}
	tag := cmp.Or(answer.Header.Get("ETag"), answer.Header.Get("Last-Modified"))
	switch err = status(answer); {
	case err != nil:
	case tag != of.Tag && of.Size >= 0:
		err = store.ErrChanged
	case of.Ranges && answer.StatusCode != http.StatusPartialContent:
		err = errNoParts
	case of.Ranges && isElsewhere(answer, from):
		err = errElsewhere
	}
	if err != nil {
		return nil, errors.Join(err, answer.Body.Close())
	}
	return answer.Body, nil
}

var errElsewhere = errors.New("the server sent other bytes than requested")

// isElsewhere reports whether an answer says that it begins at another offset.
func isElsewhere(answer *http.Response, from int64) bool {
	var first int64
	n, _ := fmt.Sscanf(answer.Header.Get("Content-Range"), "bytes %d-", &first)
	return n == 1 && first != from
}

func (f webFile) request(ctx context.Context, method string, header http.Header) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, method, f.url, nil)
	if err != nil { // the error quotes the address, including a password
		return nil, errors.New("it is no address: write it as in https://host/path, and %2F for a slash in a password")
	}
	for name, values := range header {
		request.Header[name] = values
	}
	answer, err := f.client.Do(request)
	if asked := (*url.Error)(nil); errors.As(err, &asked) {
		err = asked.Err // without the address, or that of a redirect, which has a query
	}
	if err != nil {
		return nil, store.Again(err)
	}
	return answer, nil
}

// status returns an error if the status of an answer is one.
func status(answer *http.Response) error {
	switch code := answer.StatusCode; {
	case code < 300:
		return nil
	case code == http.StatusNotFound:
		return errors.New("there is no such file")
	default:
		return store.FromStatus(code, fmt.Errorf("the server has answered %s", answer.Status))
	}
}
