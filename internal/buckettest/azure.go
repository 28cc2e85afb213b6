package buckettest

import (
	"encoding/base64"
	"encoding/xml"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// Azure starts a server that ends with the test, and sets the environment so that az:// uses it.
func Azure(t *testing.T) *Server {
	t.Helper()
	s := start(t, dialect{answerAzure, func(r *http.Request) string { return r.URL.Path }})
	t.Setenv("AZURE_STORAGE_CONNECTION_STRING", "AccountName=devaccount;AccountKey=c0VDUkVUa2V5;BlobEndpoint="+s.URL)
	return s
}

// answerAzure implements Azure Blob Storage.
func answerAzure(s *Server, r *http.Request, body []byte) answer {
	path, query := r.URL.Path, r.URL.Query()
	bucket, key, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	object, there := s.objects[path]
	switch {
	case bucket == "none":
		return refusedByAzure(http.StatusNotFound, "ContainerNotFound")
	case key == "" && query.Get("comp") == "list":
		return s.pageOfAzure("/"+bucket+"/", query)
	case key == "":
		return answer{http.StatusOK, nil, nil}
	case r.Method == http.MethodPut && query.Get("comp") == "block":
		return s.putBlock(path, query.Get("blockid"), body)
	case !s.Unconditional && !s.holdsInAzure(path, r.Header):
		if r.Header.Get("If-None-Match") == "*" {
			return refusedByAzure(http.StatusConflict, "BlobAlreadyExists")
		}
		return refusedByAzure(http.StatusPreconditionFailed, "ConditionNotMet")
	case r.Method == http.MethodPut && query.Get("comp") == "blocklist":
		return s.putBlockList(path, body)
	case r.Method == http.MethodPut:
		delete(s.blocks, path)
		s.put(path, body)
		return answer{http.StatusCreated, map[string]string{"ETag": s.tagOfAzure(path)}, nil}
	case !there:
		return refusedByAzure(http.StatusNotFound, "BlobNotFound")
	case r.Method == http.MethodDelete:
		s.put(path, nil)
		return answer{http.StatusAccepted, nil, nil}
	}
	header := map[string]string{"ETag": s.tagOfAzure(path)}
	got := partOf(object, r.Header.Get("X-Ms-Range"), header)
	if got.status == http.StatusPartialContent {
		header["Content-Range"] = strings.Replace(r.Header.Get("X-Ms-Range"), "=", " ", 1) + "/*"
	}
	return got
}

// tagOfAzure counts the writes of an object: every write changes the tag.
func (s *Server) tagOfAzure(path string) string { return fmt.Sprintf(`"0x8D%d"`, 1000+s.writes[path]) }

// holdsInAzure reports whether the condition of a request holds.
func (s *Server) holdsInAzure(path string, header http.Header) bool {
	_, there := s.objects[path]
	match := header.Get("If-Match")
	return (header.Get("If-None-Match") != "*" || !there) && (match == "" || there && match == s.tagOfAzure(path))
}

// putBlock stores a block. The ids of an object's blocks have equal lengths.
func (s *Server) putBlock(path, id string, body []byte) answer {
	of := s.blocks[path]
	if of == nil {
		of = map[string][]byte{}
		s.blocks[path] = of
	}
	for other := range of {
		if len(other) != len(id) {
			return refusedByAzure(http.StatusBadRequest, "InvalidBlobOrBlock")
		}
	}
	if _, err := base64.StdEncoding.DecodeString(id); err != nil || len(id) == 0 || len(id) > 88 {
		return refusedByAzure(http.StatusBadRequest, "InvalidQueryParameterValue")
	}
	of[id] = body
	return answer{http.StatusCreated, nil, nil}
}

// putBlockList commits blocks, which it keeps, so that the same list can be committed again.
func (s *Server) putBlockList(path string, body []byte) answer {
	var list struct {
		Latest []string
	}
	if xml.Unmarshal(body, &list) != nil || len(list.Latest) == 0 {
		return refusedByAzure(http.StatusBadRequest, "InvalidXmlDocument")
	}
	whole, used := []byte{}, map[string][]byte{}
	for _, id := range list.Latest {
		block, there := s.blocks[path][id]
		if !there {
			return refusedByAzure(http.StatusBadRequest, "InvalidBlockList")
		}
		whole, used[id] = append(whole, block...), block
	}
	s.blocks[path] = used
	s.put(path, whole)
	return answer{http.StatusCreated, map[string]string{"ETag": s.tagOfAzure(path)}, nil}
}

// pageOfAzure lists two objects, and where the next page begins.
func (s *Server) pageOfAzure(bucket string, query url.Values) answer {
	type item struct {
		Name string
	}
	var page struct {
		XMLName    xml.Name `xml:"EnumerationResults"`
		Items      []item   `xml:"Blobs>Blob"`
		NextMarker string
	}
	var keys []string
	keys, page.NextMarker = s.page(bucket, query.Get("prefix"), query.Get("marker"))
	for _, key := range keys {
		page.Items = append(page.Items, item{key})
	}
	text := sure(xml.Marshal(page))
	if len(page.Items) == 0 {
		text = []byte("<EnumerationResults><Blobs /><NextMarker /></EnumerationResults>")
	}
	return answer{http.StatusOK, map[string]string{"Content-Type": "application/xml"}, text}
}

func refusedByAzure(status int, code string) answer {
	return answer{status, map[string]string{"X-Ms-Error-Code": code}, problem(code)}
}
