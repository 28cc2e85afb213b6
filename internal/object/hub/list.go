package hub

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/mithril-stream/mithril-stream/internal/object/store"
)

// maxAnswer bounds an answer that is read into memory, in bytes. A page lists a thousand files.
const maxAnswer = 64 << 20

// Commit returns the present commit of a revision.
func (h *Hub) Commit(ctx context.Context, of Address) (string, error) {
	if of.IsPinned() {
		return of.Revision, nil
	}
	var info struct{ SHA string }
	at := h.api(of, "revision") + "?expand=sha"
	if _, err := h.read(ctx, at, of, &info); err != nil {
		return "", err
	}
	if !isCommit(info.SHA) {
		return "", fmt.Errorf("the Hub says that %s is the commit %q, which is none", of.Whole(), info.SHA)
	}
	return info.SHA, nil
}

// An Entry is a file in a listing.
type Entry struct {
	Path          string
	store.Version // its Tag is the SHA-256 of a large file, else the Git hash
}

// List returns a page of the files in a directory, in the Hub's order, including subdirectories if
// deep is true. Pass "" as more for the first page, then the returned next, which is "" after the
// last.
func (h *Hub) List(ctx context.Context, of Address, deep bool, more string) (files []Entry, next string, err error) {
	dir := strings.TrimSuffix(of.Path, "/")
	at := more
	if at == "" {
		at = h.api(of, "tree")
		if dir != "" {
			at += "/" + escaped(dir)
		}
		at += fmt.Sprintf("?recursive=%t", deep)
	}
	var page []struct {
		Type, Path, OID string
		Size            int64
		LFS             *struct {
			OID  string
			Size int64
		}
	}
	header, err := h.read(ctx, at, of, &page)
	if err != nil {
		return nil, "", err
	}
	for _, e := range page {
		if e.Type != "file" {
			continue
		}
		if checkPath(e.Path) != nil || e.Path == "" || strings.HasSuffix(e.Path, "/") ||
			dir != "" && !strings.HasPrefix(e.Path, dir+"/") || e.Size < 0 {
			return nil, "", fmt.Errorf("the Hub lists a file %q of %d bytes, which cannot be", e.Path, e.Size)
		}
		file := Entry{e.Path, store.Version{Size: e.Size, Tag: e.OID}}
		if e.LFS != nil {
			file.Size, file.Tag = e.LFS.Size, e.LFS.OID
		}
		files = append(files, file)
	}
	if next, err = h.nextOf(header); err == nil && next == at {
		err = fmt.Errorf("the listing of %s does not end: each page leads to itself", of)
	}
	return files, next, err
}

// api returns the API URL about a dataset at a revision.
func (h *Hub) api(of Address, what string) string {
	return fmt.Sprintf("%s/api/datasets/%s/%s/%s", h.endpoint, of.Dataset, what, url.PathEscape(of.Revision))
}

// read decodes a JSON answer.
func (h *Hub) read(ctx context.Context, at string, of Address, value any) (http.Header, error) {
	a, err := h.request(ctx, http.MethodGet, at, http.Header{})
	if err != nil {
		return nil, err
	}
	defer a.Body.Close()
	if err := h.explain(a, of); err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(a.Body, maxAnswer+1))
	switch {
	case err != nil:
		return nil, &Error{Why: "the connection broke off: " + err.Error()}
	case len(text) > maxAnswer:
		return nil, fmt.Errorf("the Hub has answered with more than %d MiB", maxAnswer>>20)
	}
	if err := json.Unmarshal(text, value); err != nil {
		return nil, fmt.Errorf("the Hub's answer is not the expected JSON: %w", err)
	}
	return a.Header, nil
}

// nextOf returns the URL of the next page, or "". A Hub behind a proxy may name its own address.
func (h *Hub) nextOf(header http.Header) (string, error) {
	link := nextLink(strings.Join(header.Values("Link"), ", "))
	if link == "" {
		return "", nil
	}
	if rest, isOwn := strings.CutPrefix(link, defaultEndpoint+"/"); isOwn {
		link = h.endpoint.String() + "/" + rest
	}
	to, err := h.endpoint.Parse(link)
	if err != nil || !h.has(to) {
		return "", fmt.Errorf("the listing goes on at another server than %s, which is not followed",
			h.endpoint.Redacted())
	}
	return to.String(), nil
}

// nextLink returns the URL of the next page in a Link header (RFC 8288), or "".
func nextLink(header string) string {
	for header != "" {
		_, rest, _ := strings.Cut(header, "<")
		address, rest, closed := strings.Cut(rest, ">")
		if !closed {
			return ""
		}
		parameters, others, _ := strings.Cut(rest, "<")
		for p := range strings.FieldsFuncSeq(parameters, func(r rune) bool { return r == ';' || r == ',' }) {
			name, value, _ := strings.Cut(strings.TrimSpace(p), "=")
			if strings.EqualFold(name, "rel") && strings.Trim(value, `"`) == "next" {
				return address
			}
		}
		if header = ""; others != "" {
			header = "<" + others
		}
	}
	return ""
}
