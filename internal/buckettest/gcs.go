package buckettest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
)

// GCS starts a server that ends with the test, and sets the environment so that gs:// uses it.
func GCS(t *testing.T) *Server {
	t.Helper()
	s := start(t, dialect{answerGCS, objectOfGCS})
	t.Setenv("STORAGE_EMULATOR_HOST", s.URL)
	return s
}

// objectOfGCS returns what a request is about, as /bucket/key.
func objectOfGCS(r *http.Request) string {
	path, isUpload := strings.CutPrefix(r.URL.EscapedPath(), "/upload")
	path, isJSON := strings.CutPrefix(path, "/storage/v1/b/")
	if !isJSON {
		return r.URL.Path // the XML API
	}
	bucket, key, _ := strings.Cut(path, "/o")
	if isUpload {
		key = "/" + r.URL.Query().Get("name")
	} else if decoded, err := url.PathUnescape(key); err == nil {
		key = decoded
	}
	return "/" + bucket + key
}

// answerGCS implements Google Cloud Storage: its JSON API, and the multipart uploads of its XML
// API.
func answerGCS(s *Server, r *http.Request, body []byte) answer {
	if !strings.Contains(r.URL.Path, "/storage/v1/b/") {
		return s.answerParts(r, body)
	}
	path, query := objectOfGCS(r), r.URL.Query()
	bucket, key, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	object, there := s.objects[path]
	match, isMatched := query["ifGenerationMatch"]
	if isMatched && !s.Unconditional && match[0] != s.generation(path) {
		return refusedByGCS(http.StatusPreconditionFailed, "A condition does not hold.")
	}
	switch {
	case bucket == "none":
		return refusedByGCS(http.StatusNotFound, "The specified bucket does not exist.")
	case key == "" && strings.HasSuffix(r.URL.Path, "/o"):
		return s.pageOfGCS("/"+bucket+"/", query)
	case key == "":
		return asJSON(map[string]string{"name": bucket})
	case r.Method == http.MethodPost:
		s.put(path, body)
		return asJSON(s.metadataOfGCS(path))
	case !there:
		return refusedByGCS(http.StatusNotFound, "No such object: "+bucket+"/"+key)
	case r.Method == http.MethodDelete:
		s.put(path, nil)
		return answer{http.StatusNoContent, nil, nil}
	case query.Get("alt") != "media":
		return asJSON(s.metadataOfGCS(path))
	}
	header := map[string]string{"X-Goog-Generation": s.generation(path)}
	return partOf(object, r.Header.Get("Range"), header)
}

// generation counts the writes of all objects; 0 means that the object does not exist.
func (s *Server) generation(path string) string {
	if _, there := s.objects[path]; !there {
		return "0"
	}
	return strconv.Itoa(1_000_000 + s.writes[path])
}

func (s *Server) metadataOfGCS(path string) map[string]string {
	return map[string]string{"size": strconv.Itoa(len(s.objects[path])), "generation": s.generation(path)}
}

// pageOfGCS lists two objects, and where the next page begins.
func (s *Server) pageOfGCS(bucket string, query url.Values) answer {
	type item struct {
		Name string `json:"name"`
	}
	var page struct {
		Items []item `json:"items,omitempty"`
		Next  string `json:"nextPageToken,omitempty"`
	}
	var keys []string
	keys, page.Next = s.page(bucket, query.Get("prefix"), query.Get("pageToken"))
	for _, key := range keys {
		page.Items = append(page.Items, item{key})
	}
	return asJSON(page)
}

func asJSON(value any) answer {
	return answer{http.StatusOK, map[string]string{"Content-Type": "application/json"}, sure(json.Marshal(value))}
}

func refusedByGCS(status int, message string) answer {
	return answer{status, nil, fmt.Appendf(nil, `{"error":{"code":%d,"message":%q}}`, status, message)}
}
