package hub

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// mostRedirects bounds the redirects of a request.
const mostRedirects = 10

// A Hub is a server of datasets. It is safe for concurrent use.
type Hub struct {
	client   *http.Client
	endpoint *url.URL
	token    string // of the user; may be empty
	from     string // where the token was found
}

// New returns the Hub that the environment configures (HF_ENDPOINT, HF_TOKEN, HF_HOME). It makes no
// request yet.
func New(transport http.RoundTripper) (*Hub, error) {
	endpoint, err := readEndpoint()
	if err != nil {
		return nil, err
	}
	token, from, err := readToken()
	if err != nil {
		return nil, err
	}
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Hub{&http.Client{Transport: transport, CheckRedirect: stay}, endpoint, token, from}, nil
}

// An answer is the response to a request, with what the Hub said about the file on the way.
type answer struct {
	*http.Response
	commit string
	tag    string // of the contents, wherever they are
	size   int64  // in bytes; -1 if unknown
	// URL of the file, if the Hub redirected to another server; may contain a signature
	location string
}

// request sends a request and follows redirects; HEAD requests do not leave the Hub. The token is
// sent only to the Hub.
func (h *Hub) request(ctx context.Context, method, at string, header http.Header) (*answer, error) {
	a := &answer{size: -1}
	for range mostRedirects {
		request, err := http.NewRequestWithContext(ctx, method, at, nil)
		if err != nil { // the error quotes the address
			return nil, errors.New("the Hub has led to what is no address")
		}
		request.Header = header.Clone()
		// makes the reported size that of the file
		request.Header.Set("Accept-Encoding", "identity")
		isHub := h.has(request.URL)
		if isHub && h.token != "" {
			request.Header.Set("Authorization", "Bearer "+h.token)
		}
		response, err := h.client.Do(request)
		if asked := (*url.Error)(nil); errors.As(err, &asked) {
			err = asked.Err // without the address, which may contain a signature
		}
		if err != nil {
			return nil, &Error{Why: err.Error()}
		}
		a.Response = response
		to, err := response.Location()
		isLed := err == nil && response.StatusCode/100 == 3
		if isHub {
			a.record(isLed)
		}
		if !isLed {
			return a, nil
		}
		if isHub && !h.has(to) {
			if a.location = to.String(); method == http.MethodHead {
				return a, nil
			}
		}
		a.drop()
		at = to.String()
	}
	return nil, fmt.Errorf("the Hub leads from one address to another, %d times", mostRedirects)
}

// record records what the Hub says about a file.
func (a *answer) record(isLed bool) {
	header := a.Header
	if commit := header.Get("X-Repo-Commit"); commit != "" {
		a.commit = commit
	}
	if tag := header.Get("X-Linked-ETag"); tag != "" {
		a.tag = bare(tag)
	} else if tag := header.Get("ETag"); tag != "" && !isLed {
		a.tag = bare(tag)
	}
	if size, err := strconv.ParseInt(header.Get("X-Linked-Size"), 10, 64); err == nil && size >= 0 {
		a.size = size
	} else if !isLed {
		a.size = a.ContentLength
	}
}

// bare returns a tag without quotes.
func bare(tag string) string { return strings.Trim(strings.TrimPrefix(tag, "W/"), `"`) }

// drop discards an answer. It reads a short one to its end, so that the connection can be reused.
func (a *answer) drop() {
	io.CopyN(io.Discard, a.Body, 4<<10)
	a.Body.Close()
}

// has reports whether a URL belongs to the Hub.
func (h *Hub) has(at *url.URL) bool {
	return at.Scheme == h.endpoint.Scheme && strings.EqualFold(at.Host, h.endpoint.Host)
}
