package buckettest

import (
	"crypto/md5"
	"encoding/xml"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// S3 starts a server that ends with the test, and sets the environment so that s3:// uses it.
func S3(t *testing.T) *Server {
	t.Helper()
	s := start(t, dialect{answerS3, func(r *http.Request) string { return r.URL.Path }})
	for name, value := range map[string]string{
		"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": "", "AWS_ENDPOINT_URL_S3": "",
		"AWS_SHARED_CREDENTIALS_FILE": "/none", "AWS_ENDPOINT_URL": s.URL, "AWS_REGION": "us-east-1",
	} {
		t.Setenv(name, value)
	}
	return s
}

// answerS3 implements S3.
func answerS3(s *Server, r *http.Request, body []byte) answer {
	path := r.URL.Path
	bucket, key, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	object, there := s.objects[path]
	switch {
	case key == "" && r.Method == http.MethodGet:
		return answer{http.StatusOK, nil, s.list("/"+bucket+"/", r.URL.Query().Get("prefix"))}
	case bucket == "none":
		return answer{http.StatusNotFound, nil, problem("NoSuchBucket")}
	case key == "":
		return answer{http.StatusOK, nil, nil}
	case r.URL.Query().Has("uploads"), r.URL.Query().Has("uploadId"):
		return s.answerParts(r, body)
	case r.Method == http.MethodDelete:
		s.put(path, nil)
		return answer{http.StatusNoContent, nil, nil}
	case r.Method == http.MethodPut && !s.Unconditional && !holds(r.Header, object, there):
		return answer{http.StatusPreconditionFailed, nil, problem("PreconditionFailed")}
	case r.Method == http.MethodPut:
		s.put(path, body)
		return answer{http.StatusOK, map[string]string{"ETag": tagOf(body)}, nil}
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		return answer{http.StatusNotImplemented, nil, problem("NotImplemented")}
	case !there:
		return answer{http.StatusNotFound, nil, problem("NoSuchKey")}
	case !holds(r.Header, object, there):
		return answer{http.StatusPreconditionFailed, nil, problem("PreconditionFailed")}
	}
	header := map[string]string{"ETag": tagOf(object), "Last-Modified": "Tue, 24 Nov 2026 00:00:00 GMT"}
	return partOf(object, r.Header.Get("Range"), header)
}

// holds reports whether the condition of a request holds.
func holds(header http.Header, object []byte, there bool) bool {
	match := header.Get("If-Match")
	return (header.Get("If-None-Match") != "*" || !there) && (match == "" || there && match == tagOf(object))
}

func tagOf(object []byte) string { return fmt.Sprintf(`"%x"`, md5.Sum(object)) }

func problem(code string) []byte {
	return fmt.Appendf(nil, "<Error><Code>%s</Code><Message>%s</Message></Error>", code, code)
}

func (s *Server) list(bucket, prefix string) []byte {
	type entry struct {
		Key  string
		Size int
	}
	var result struct {
		XMLName  xml.Name `xml:"ListBucketResult"`
		Contents []entry
	}
	for _, key := range s.keys(bucket, prefix) {
		result.Contents = append(result.Contents, entry{key, len(s.objects[bucket+key])})
	}
	return sure(xml.Marshal(result))
}

// sure returns marshalled text; structs of strings cannot fail.
func sure(text []byte, err error) []byte {
	if err != nil {
		panic("buckettest: " + err.Error())
	}
	return text
}
