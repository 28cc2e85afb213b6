package gcs

import (
	"bytes"
	"cmp"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"

	"github.com/mithril-stream/mithril-stream/internal/object/store"
)

// Put implements store.Service.
func (s *Service) Put(ctx context.Context, at store.Place, body *io.SectionReader) error {
	_, err := s.put(ctx, at, body, url.Values{})
	return err
}

// Replace replaces an object of one generation. Generation 0 means that none exists.
func (s *Service) Replace(ctx context.Context, at store.Place, body *io.SectionReader, tag string) (string, error) {
	newTag, err := s.put(ctx, at, body, url.Values{"ifGenerationMatch": {cmp.Or(tag, "0")}})
	switch refused := (*refusal)(nil); {
	case errors.Is(err, store.ErrChanged):
		return "", store.ErrOther
	// with a concurrent write, which may fail
	case errors.As(err, &refused) && refused.status == http.StatusConflict:
		return "", store.Again(err)
	}
	return newTag, err
}

// ForeignTag returns a generation of 1970.
func (s *Service) ForeignTag() string { return "1" }

func (s *Service) put(
	ctx context.Context, at store.Place, body *io.SectionReader, query url.Values,
) (generation string, err error) {
	query.Set("uploadType", "media")
	query.Set("name", at.Key)
	var m metadata
	err = s.doJSON(ctx, request{
		method: http.MethodPost, path: "/upload" + pathOf(at.Bucket) + "/o", query: query, body: body,
		bucket: at.Bucket, header: map[string]string{"Content-Type": "application/octet-stream"},
	}, &m)
	return m.Generation, err
}

// Remove implements store.Service.
func (s *Service) Remove(ctx context.Context, at store.Place) error {
	answer, err := s.do(ctx, request{method: http.MethodDelete, path: pathOfObject(at), bucket: at.Bucket})
	if err != nil {
		return err
	}
	return answer.Body.Close()
}

// An upload is a multipart upload with the XML API.
type upload struct {
	service *Service
	at      store.Place
	id      string
}

// Begin starts a multipart upload.
func (s *Service) Begin(ctx context.Context, at store.Place) (store.Upload, error) {
	u := upload{service: s, at: at}
	var begun struct {
		XMLName  xml.Name `xml:"InitiateMultipartUploadResult"`
		UploadId string
	}
	if err := u.postXML(ctx, url.Values{"uploads": {""}}, nil, &begun); err != nil {
		return nil, err
	}
	u.id = begun.UploadId
	return u, nil
}

func (u upload) do(
	ctx context.Context, method string, query url.Values, body *io.SectionReader,
) (*http.Response, error) {
	path := url.URL{Path: "/" + u.at.Bucket + "/" + u.at.Key}
	return u.service.do(ctx, request{
		method: method, path: path.EscapedPath(), query: query, body: body, bucket: u.at.Bucket,
	})
}

// postXML posts a request, and decodes the answer into value.
func (u upload) postXML(ctx context.Context, query url.Values, body *io.SectionReader, value any) error {
	answer, err := u.do(ctx, http.MethodPost, query, body)
	if err != nil {
		return err
	}
	text, err := readAnswer(answer)
	if err == nil && xml.Unmarshal(text, value) != nil {
		err = errors.New("the server has not answered as to an object in parts, which it may not take")
	}
	return err
}

func (u upload) Send(ctx context.Context, number int, part *io.SectionReader) (tag string, err error) {
	query := url.Values{"uploadId": {u.id}, "partNumber": {strconv.Itoa(number)}}
	answer, err := u.do(ctx, http.MethodPut, query, part)
	if errors.Is(err, store.ErrNotFound) {
		return "", fmt.Errorf("the server knows no such upload: %w", err)
	}
	if err != nil {
		return "", err
	}
	return answer.Header.Get("ETag"), answer.Body.Close()
}

func (u upload) Complete(ctx context.Context, tags []string) error {
	type part struct {
		PartNumber int
		ETag       string
	}
	var all struct {
		XMLName xml.Name `xml:"CompleteMultipartUpload"`
		Part    []part
	}
	for i, tag := range tags {
		all.Part = append(all.Part, part{i + 1, tag})
	}
	text, err := xml.Marshal(all)
	if err != nil {
		return err
	}
	body := io.NewSectionReader(bytes.NewReader(text), 0, int64(len(text)))
	var made struct {
		XMLName xml.Name `xml:"CompleteMultipartUploadResult"`
	}
	return u.postXML(ctx, url.Values{"uploadId": {u.id}}, body, &made)
}

func (u upload) Abort(ctx context.Context) error {
	answer, err := u.do(ctx, http.MethodDelete, url.Values{"uploadId": {u.id}}, nil)
	if err != nil {
		return err
	}
	return answer.Body.Close()
}
