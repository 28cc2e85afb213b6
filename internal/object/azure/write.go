package azure

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"io"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/streaming"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/bloberror"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blockblob"

	"github.com/mithril-stream/mithril-stream/internal/object/store"
)

// Put implements store.Service.
func (s *Service) Put(ctx context.Context, at store.Place, body *io.SectionReader) error {
	_, err := s.put(ctx, at, body, nil)
	return err
}

// Replace uses the conditions If-Match and If-None-Match.
func (s *Service) Replace(ctx context.Context, at store.Place, body *io.SectionReader, tag string) (string, error) {
	condition := isStill(tag)
	if tag == "" {
		none := azcore.ETagAny
		condition.ModifiedAccessConditions = &blob.ModifiedAccessConditions{IfNoneMatch: &none}
	}
	newTag, err := s.put(ctx, at, body, condition)
	if errors.Is(err, store.ErrChanged) || tag != "" && errors.Is(err, store.ErrNotFound) {
		return "", store.ErrOther
	}
	return newTag, err
}

// ForeignTag looks like the time of a write long ago.
func (s *Service) ForeignTag() string { return `"0x1"` }

func (s *Service) put(
	ctx context.Context, at store.Place, body *io.SectionReader, condition *blob.AccessConditions,
) (tag string, err error) {
	object, err := s.object(ctx, at)
	if err != nil {
		return "", err
	}
	made, err := object.Upload(ctx, streaming.NopCloser(body), &blockblob.UploadOptions{AccessConditions: condition})
	switch {
	// the condition was that it does not exist
	case bloberror.HasCode(err, bloberror.BlobAlreadyExists):
		return "", store.ErrOther
	case err != nil:
		return "", s.explain(at.Bucket, err)
	case made.ETag == nil:
		return "", errNoTag
	}
	return string(*made.ETag), nil
}

// Remove implements store.Service.
func (s *Service) Remove(ctx context.Context, at store.Place) error {
	object, err := s.object(ctx, at)
	if err != nil {
		return err
	}
	_, err = object.Delete(ctx, nil)
	return s.explain(at.Bucket, err)
}

// An upload consists of blocks, which the service keeps beside the object until they are committed.
// Block names have a random part, since all uploads to an object share one namespace.
type upload struct {
	service *Service
	at      store.Place
	own     [12]byte
}

// Begin starts a multipart upload. The service needs no request for that.
func (s *Service) Begin(_ context.Context, at store.Place) (store.Upload, error) {
	u := upload{service: s, at: at}
	rand.Read(u.own[:]) // never fails
	return u, nil
}

func (u upload) Send(ctx context.Context, number int, part *io.SectionReader) (tag string, err error) {
	object, err := u.service.object(ctx, u.at)
	if err != nil {
		return "", err
	}
	id := base64.StdEncoding.EncodeToString(binary.BigEndian.AppendUint32(u.own[:], uint32(number)))
	_, err = object.StageBlock(ctx, id, streaming.NopCloser(part), nil)
	return id, u.service.explain(u.at.Bucket, err)
}

// Complete commits the blocks. Repeating it is not an error, in case the first answer was lost.
func (u upload) Complete(ctx context.Context, tags []string) error {
	object, err := u.service.object(ctx, u.at)
	if err != nil {
		return err
	}
	_, err = object.CommitBlockList(ctx, tags, nil)
	return u.service.explain(u.at.Bucket, err)
}

// Abort does nothing: the service removes uncommitted blocks after a week. Removing them explicitly
// would also remove an older object with that name.
func (u upload) Abort(context.Context) error { return nil }
