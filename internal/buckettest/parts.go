package buckettest

import (
	"encoding/xml"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// answerParts implements the multipart uploads of S3 and of the XML API of Google Cloud Storage.
func (s *Server) answerParts(r *http.Request, body []byte) answer {
	query, path := r.URL.Query(), r.URL.Path
	id := query.Get("uploadId")
	parts, begun := s.uploads[id]
	switch {
	case r.Method == http.MethodPost && query.Has("uploads"):
		id := strconv.Itoa(len(s.uploads) + 1)
		s.uploads[id] = map[int][]byte{}
		return asXML("InitiateMultipartUploadResult", "<UploadId>"+id+"</UploadId>")
	case !begun || parts == nil:
		return answer{http.StatusNotFound, nil, problem("NoSuchUpload")}
	case r.Method == http.MethodDelete:
		s.uploads[id] = nil
		return answer{http.StatusNoContent, nil, nil}
	case r.Method == http.MethodPut:
		number, err := strconv.Atoi(query.Get("partNumber"))
		if err != nil {
			return answer{http.StatusBadRequest, nil, problem("InvalidArgument")}
		}
		parts[number] = body
		return answer{http.StatusOK, map[string]string{"ETag": tagOf(body)}, nil}
	}
	var all struct {
		Part []struct {
			PartNumber int
			ETag       string
		}
	}
	whole := []byte{}
	err := xml.Unmarshal(body, &all)
	for _, part := range all.Part {
		sent, there := parts[part.PartNumber]
		if whole = append(whole, sent...); !there || strings.Trim(part.ETag, `"`) != strings.Trim(tagOf(sent), `"`) {
			return answer{http.StatusBadRequest, nil, problem("InvalidPart")}
		}
	}
	if err != nil || len(all.Part) != len(parts) {
		return answer{http.StatusBadRequest, nil, problem("MalformedXML")}
	}
	s.put(path, whole)
	s.uploads[id] = nil
	return asXML("CompleteMultipartUploadResult", "<Bucket>bucket</Bucket><ETag>x</ETag>")
}

func asXML(name, inner string) answer {
	return answer{http.StatusOK, nil, fmt.Appendf(nil, "<%s>%s</%s>", name, inner, name)}
}

// OpenUploads returns the number of uploads neither completed nor aborted.
func (s *Server) OpenUploads() (open int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, parts := range s.uploads {
		if parts != nil {
			open++
		}
	}
	return open
}
