package s3

import (
	"context"
	"fmt"
	"io"
	"net/http"

	"github.com/minio/minio-go/v7"

	"github.com/mithril-stream/mithril-stream/internal/object/store"
)

// Put implements store.Service.
func (s *Service) Put(ctx context.Context, at store.Place, body *io.SectionReader) error {
	_, err := s.put(ctx, at, body, minio.PutObjectOptions{})
	return explain(at.Bucket, err)
}

// Replace uses the conditions If-Match and If-None-Match.
func (s *Service) Replace(ctx context.Context, at store.Place, body *io.SectionReader, tag string) (string, error) {
	var options minio.PutObjectOptions
	if tag == "" {
		options.SetMatchETagExcept("*")
	} else {
		options.SetMatchETag(tag)
	}
	newTag, err := s.put(ctx, at, body, options)
	return newTag, explainReplaced(at.Bucket, err, tag)
}

// ForeignTag looks like a hash of an object.
func (s *Service) ForeignTag() string { return "00000000000000000000000000000000" }

func (s *Service) put(
	ctx context.Context, at store.Place, body *io.SectionReader, options minio.PutObjectOptions,
) (tag string, err error) {
	info, err := s.client.PutObject(ctx, at.Bucket, at.Key, body, body.Size(), "", "", options)
	return info.ETag, err
}

// explainReplaced converts the error of a conditional write.
func explainReplaced(bucket string, err error, tag string) error {
	answer := minio.ToErrorResponse(err)
	switch {
	case err == nil:
		return nil
	case answer.StatusCode == http.StatusPreconditionFailed,
		answer.StatusCode == http.StatusNotFound && tag != "" && answer.Code != "NoSuchBucket":
		return store.ErrOther
	case answer.StatusCode == http.StatusConflict: // with a concurrent write, which may fail
		return store.Again(err)
	case answer.StatusCode == http.StatusNotImplemented:
		return fmt.Errorf("the server knows no writes under a condition (If-Match): %w", err)
	}
	return explain(bucket, err)
}

// Remove implements store.Service.
func (s *Service) Remove(ctx context.Context, at store.Place) error {
	return explain(at.Bucket, s.client.RemoveObject(ctx, at.Bucket, at.Key, minio.RemoveObjectOptions{}))
}

// An upload is a multipart upload, identified by its id.
type upload struct {
	client *minio.Core
	at     store.Place
	id     string
}

// Begin starts a multipart upload.
func (s *Service) Begin(ctx context.Context, at store.Place) (store.Upload, error) {
	id, err := s.client.NewMultipartUpload(ctx, at.Bucket, at.Key, minio.PutObjectOptions{})
	return upload{s.client, at, id}, explain(at.Bucket, err)
}

func (u upload) Send(ctx context.Context, number int, part *io.SectionReader) (tag string, err error) {
	sent, err := u.client.PutObjectPart(ctx, u.at.Bucket, u.at.Key, u.id, number, part, part.Size(),
		minio.PutObjectPartOptions{})
	if minio.ToErrorResponse(err).StatusCode == http.StatusNotFound {
		return "", fmt.Errorf("the server knows no such upload: %w", err)
	}
	return sent.ETag, explain(u.at.Bucket, err)
}

func (u upload) Complete(ctx context.Context, tags []string) error {
	parts := make([]minio.CompletePart, len(tags))
	for i, tag := range tags {
		parts[i] = minio.CompletePart{PartNumber: i + 1, ETag: tag}
	}
	_, err := u.client.CompleteMultipartUpload(ctx, u.at.Bucket, u.at.Key, u.id, parts, minio.PutObjectOptions{})
	return explain(u.at.Bucket, err)
}

func (u upload) Abort(ctx context.Context) error {
	return explain(u.at.Bucket, u.client.AbortMultipartUpload(ctx, u.at.Bucket, u.at.Key, u.id))
}
