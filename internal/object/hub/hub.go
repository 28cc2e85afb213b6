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

// mostRedirects is how often an answer may lead to another address.
const mostRedirects = 10

// A Hub is where datasets are. It is safe for concurrent use.
type Hub struct {
	client   *http.Client
	endpoint *url.URL
	token    string // of the user; empty if there is none
	from     string // where the token was found
}

// New returns the Hub that the environment names (HF_ENDPOINT, HF_TOKEN, HF_HOME). It asks for
// nothing yet.
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

// An answer is what came of a request, with what the Hub has said of a file on the way to it.
type answer struct {
	*http.Response
	commit   string
	tag      string // of the contents of the file, wherever they are
	size     int64  // in bytes; -1 if it is not known
	location string // where the file is, if the Hub has led to another server; it may have a signature
}

// ask sends a request, and follows where it leads; one for a head alone does not leave the Hub. The
// token is sent to the Hub and to nobody else.
func (h *Hub) ask(ctx context.Context, method, at string, header http.Header) (*answer, error) {
	a := &answer{size: -1}
	for range mostRedirects {
		request, err := http.NewRequestWithContext(ctx, method, at, nil)
		if err != nil { // which quotes the address
			return nil, errors.New("the Hub has led to what is no address")
		}
		request.Header = header.Clone()
		request.Header.Set("Accept-Encoding", "identity") // so that the size is the size of the file
		isHub := h.has(request.URL)
		if isHub && h.token != "" {
			request.Header.Set("Authorization", "Bearer "+h.token)
		}
		response, err := h.client.Do(request)
		if asked := (*url.Error)(nil); errors.As(err, &asked) {
			err = asked.Err // without the address, which may have a signature
		}
		if err != nil {
			return nil, &Error{Why: err.Error()}
		}
		a.Response = response
		to, err := response.Location()
		isLed := err == nil && response.StatusCode/100 == 3
		if isHub {
			a.take(isLed)
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

// take notes what the Hub says of a file.
func (a *answer) take(isLed bool) {
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

// bare is a tag without its quotes.
func bare(tag string) string { return strings.Trim(strings.TrimPrefix(tag, "W/"), `"`) }

// drop ends an answer that nobody reads. A short one is read to its end, so that the connection
// serves the next request.
func (a *answer) drop() {
	io.CopyN(io.Discard, a.Body, 4<<10)
	a.Body.Close()
}

// has reports whether an address is one of the Hub.
func (h *Hub) has(at *url.URL) bool {
	return at.Scheme == h.endpoint.Scheme && strings.EqualFold(at.Host, h.endpoint.Host)
}
