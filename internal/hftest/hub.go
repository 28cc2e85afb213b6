package hftest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// serveHub serves /api/datasets/OWNER/NAME/… and /datasets/OWNER/NAME/resolve/….
func (s *Server) serveHub(w http.ResponseWriter, r *http.Request) {
	rest, isAPI := strings.CutPrefix(r.URL.EscapedPath(), "/api")
	parts := strings.SplitN(strings.TrimPrefix(rest, "/datasets/"), "/", 5)
	for i := range parts {
		parts[i], _ = url.PathUnescape(parts[i])
	}
	parts = append(parts, make([]string, 5)...)
	name, what, revision, path := parts[0]+"/"+parts[1], parts[2], parts[3], parts[4]
	revision = cmp.Or(revision, "main")
	s.mu.Lock()
	d := s.datasets[name]
	given, isGiven := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	mayRead := given == Token
	var files map[string]file
	commit := revision
	if d != nil {
		if at, isBranch := d.branches[revision]; isBranch {
			commit = at
		}
		files = d.commits[commit]
	}
	s.mu.Unlock()
	switch {
	case isGiven && !mayRead:
		problem(w, http.StatusUnauthorized, "", "Invalid credentials in Authorization header")
	case d == nil && !mayRead, d != nil && d.private && !mayRead:
		problem(w, http.StatusUnauthorized, "RepoNotFound", "Repository not found")
	case d == nil:
		problem(w, http.StatusNotFound, "RepoNotFound", "Repository not found")
	case files == nil:
		problem(w, http.StatusNotFound, "RevisionNotFound", "Invalid rev id: "+revision)
	case isAPI && what == "tree" && r.Method == http.MethodGet:
		s.serveTree(w, r, files, path)
	case isAPI && what == "paths-info" && r.Method == http.MethodPost:
		servePaths(w, r, files)
	case isAPI && (what == "" || what == "revision") && r.Method == http.MethodGet:
		reply(w, map[string]any{"id": name, "sha": commit, "private": d.private, "gated": d.gated})
	case !isAPI && what == "resolve" && d.gated && !mayRead:
		problem(w, http.StatusUnauthorized, "GatedRepo", "Access to dataset "+name+" is restricted.")
	case !isAPI && what == "resolve":
		s.serveFile(w, r, files, path, commit)
	default:
		problem(w, http.StatusNotFound, "", "Sorry, we can't find the page you are looking for.")
	}
}

func problem(w http.ResponseWriter, status int, code, message string) {
	if code != "" {
		w.Header().Set("X-Error-Code", code)
	}
	w.Header().Set("X-Error-Message", message)
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"error":%q}`, message)
}

func reply(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(value)
}

// serveTree lists a directory, a page at a time.
func (s *Server) serveTree(w http.ResponseWriter, r *http.Request, files map[string]file, dir string) {
	deep := strings.EqualFold(r.URL.Query().Get("recursive"), "true")
	entries := treeOf(files, dir, deep)
	if len(entries) == 0 && dir != "" {
		problem(w, http.StatusNotFound, "EntryNotFound", dir+" does not exist")
		return
	}
	from, _ := strconv.Atoi(r.URL.Query().Get("cursor"))
	to := min(from+s.PageSize, len(entries))
	if to < len(entries) {
		query := r.URL.Query()
		query.Set("cursor", strconv.Itoa(to))
		w.Header().Set("Link", fmt.Sprintf(`<%s%s?%s>; rel="next"`, s.URL, r.URL.EscapedPath(), query.Encode()))
	}
	reply(w, entries[from:to])
}

// treeOf returns the entries of a directory as the Hub describes them: directories first.
func treeOf(files map[string]file, dir string, deep bool) []map[string]any {
	prefix := ""
	if dir != "" {
		prefix = strings.TrimSuffix(dir, "/") + "/"
	}
	dirs := map[string]bool{}
	var list []map[string]any
	for _, path := range slices.Sorted(maps.Keys(files)) {
		rest, isBelow := strings.CutPrefix(path, prefix)
		if !isBelow {
			continue
		}
		for i, c := range rest {
			if c != '/' {
				continue
			}
			if dirs[prefix+rest[:i]] = true; !deep {
				break
			}
		}
		if deep || !strings.Contains(rest, "/") {
			list = append(list, entryOf(path, files[path]))
		}
	}
	entries := []map[string]any{}
	for _, path := range slices.Sorted(maps.Keys(dirs)) {
		entries = append(entries, directory(path))
	}
	return append(entries, list...)
}

func directory(path string) map[string]any {
	return map[string]any{"type": "directory", "path": path, "oid": gitHash([]byte(path)), "size": 0}
}

func entryOf(path string, f file) map[string]any {
	entry := map[string]any{"type": "file", "path": path, "size": len(f.body), "oid": f.tag}
	if f.isLarge {
		pointer := f.pointer()
		entry["oid"] = gitHash(pointer)
		entry["lfs"] = map[string]any{"oid": f.tag, "size": len(f.body), "pointerSize": len(pointer)}
	}
	return entry
}

// pointer returns what Git stores in place of a large file.
func (f file) pointer() []byte {
	return fmt.Appendf(nil, "version https://git-lfs.github.com/spec/v1\noid sha256:%s\nsize %d\n", f.tag, len(f.body))
}

// servePaths describes the files that a client names.
func servePaths(w http.ResponseWriter, r *http.Request, files map[string]file) {
	var asked struct{ Paths []string }
	body, _ := io.ReadAll(r.Body)
	if json.Unmarshal(body, &asked) != nil {
		form, _ := url.ParseQuery(string(body))
		asked.Paths = form["paths"]
	}
	entries := []map[string]any{}
	for _, path := range asked.Paths {
		if f, there := files[path]; there {
			entries = append(entries, entryOf(path, f))
		} else if len(treeOf(files, path, false)) > 0 {
			entries = append(entries, directory(path))
		}
	}
	reply(w, entries)
}

// serveFile serves a small file, and redirects to the store for a large one.
func (s *Server) serveFile(w http.ResponseWriter, r *http.Request, files map[string]file, path, commit string) {
	f, there := files[path]
	if !there {
		problem(w, http.StatusNotFound, "EntryNotFound", "Entry not found")
		return
	}
	w.Header().Set("X-Repo-Commit", commit)
	if !f.isLarge {
		w.Header().Set("ETag", `"`+f.tag+`"`)
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(f.body))
		return
	}
	w.Header().Set("X-Linked-ETag", `"`+f.tag+`"`)
	w.Header().Set("X-Linked-Size", strconv.Itoa(len(f.body)))
	w.Header().Set("ETag", `"`+gitHash(f.pointer())+`"`)
	s.mu.Lock()
	signature := s.signature
	s.mu.Unlock()
	w.Header().Set("Location", fmt.Sprintf("%s/objects/%s?X-Signature=sECRETsig%d", s.store.URL, f.tag, signature))
	w.WriteHeader(http.StatusFound)
}

// serveStore serves large files for URLs that the Hub has signed.
func (s *Server) serveStore(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	body, there := s.objects[strings.TrimPrefix(r.URL.Path, "/objects/")]
	isSigned := r.URL.Query().Get("X-Signature") == fmt.Sprintf("sECRETsig%d", s.signature)
	isLeak := r.Header.Get("Authorization") != ""
	if isLeak {
		s.leaked = append(s.leaked, r.Method+" "+r.URL.Path)
	}
	s.mu.Unlock()
	switch {
	case isLeak:
		w.WriteHeader(http.StatusBadRequest)
	case !isSigned:
		w.WriteHeader(http.StatusForbidden)
	case !there:
		w.WriteHeader(http.StatusNotFound)
	default:
		w.Header().Set("ETag", fmt.Sprintf(`"store-%x"`, len(body)))
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
	}
}
