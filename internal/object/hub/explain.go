package hub

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// ErrNoEntry is returned if a dataset has no such file or directory.
var ErrNoEntry = errors.New("the dataset has no such file or directory")

// An Error is returned for a failed request that may succeed if it is retried.
type Error struct {
	Status int           // of the answer; 0 if the connection failed
	After  time.Duration // how long to wait; 0 if the Hub does not say
	Why    string
}

func (e *Error) Error() string { return e.Why }

// RetryAfter returns how long the Hub asks to wait, or 0 if it does not say.
func (e *Error) RetryAfter() time.Duration { return e.After }

// explain returns the error for an answer, or nil if it is the requested one.
func (h *Hub) explain(a *answer, of Address) error {
	code := a.Header.Get("X-Error-Code")
	switch status := a.StatusCode; {
	case status < 300 || a.location != "" && status < 400:
		return nil
	case !h.has(a.Request.URL):
		return &Error{Status: status, Why: fmt.Sprintf("the store of large files has answered %d %s", status,
			http.StatusText(status))}
	case status == http.StatusTooManyRequests:
		return h.busy(a)
	case code == "GatedRepo":
		return h.gated(of)
	case code == "RevisionNotFound":
		return fmt.Errorf("the dataset %s has no revision %q: name a branch, a tag or a commit, as in %s", of.Dataset,
			of.Revision, Address{Dataset: of.Dataset, Revision: branch})
	case code == "EntryNotFound":
		return ErrNoEntry
	case code == "RepoNotFound", status == http.StatusNotFound, status == http.StatusUnauthorized:
		return h.missing(a, of)
	case status == http.StatusForbidden:
		return fmt.Errorf("the Hub does not allow to read %s%s: %s", of.Dataset, quoteReason(a), h.tokenAdvice())
	default:
		return &Error{Status: status, Why: fmt.Sprintf("the Hub has answered %d %s%s", status, http.StatusText(status),
			quoteReason(a))}
	}
}

// quoteReason quotes the Hub.
func quoteReason(a *answer) string {
	const most = 200
	message := a.Header.Get("X-Error-Message")
	if message == "" {
		return ""
	}
	return fmt.Sprintf(" (%q)", message[:min(len(message), most)])
}

// missing explains an answer with one of three meanings, since the Hub does not reveal to strangers
// whether a private dataset exists.
func (h *Hub) missing(a *answer, of Address) error {
	if a.Header.Get("X-Error-Message") == "Invalid credentials in Authorization header" {
		return fmt.Errorf("the Hub does not know the token in %s: make another one, or log in by hf auth login", h.from)
	}
	return fmt.Errorf("there is no dataset %s, or it is private: check its name, and %s", of.Dataset, h.tokenAdvice())
}

func (h *Hub) gated(of Address) error {
	return fmt.Errorf("reading the dataset %s requires that you accept its conditions: do so at %s/datasets/%s, and %s",
		of.Dataset, h.endpoint.Redacted(), of.Dataset, h.tokenAdvice())
}

// tokenAdvice says how to get access.
func (h *Hub) tokenAdvice() string {
	if h.token == "" {
		return "set HF_TOKEN to a token of an account that may read it, or log in by hf auth login"
	}
	return "see that the account of the token in " + h.from + " may read it"
}

// untilMore returns the seconds until the Hub allows more requests, from Retry-After or from its
// rate limits, such as "api";r=0;t=55 (draft-ietf-httpapi-ratelimit-headers).
func untilMore(header http.Header) string {
	if seconds := header.Get("Retry-After"); seconds != "" {
		return seconds
	}
	for part := range strings.SplitSeq(header.Get("RateLimit"), ";") {
		if seconds, isIt := strings.CutPrefix(strings.TrimSpace(part), "t="); isIt {
			return seconds
		}
	}
	return ""
}

// busy explains that the rate limit is exceeded.
func (h *Hub) busy(a *answer) error {
	e := &Error{Status: a.StatusCode, Why: "the Hub takes no more requests for now (429)"}
	advice := "give fewer and larger files"
	if h.token == "" {
		advice = "set HF_TOKEN to a token, which allows more"
	}
	if seconds, err := strconv.ParseUint(untilMore(a.Header), 10, 31); err == nil {
		e.After = time.Duration(seconds) * time.Second
		e.Why += fmt.Sprintf(", and will again in %v", e.After)
	}
	e.Why += ": try again then, or " + advice
	return e
}
