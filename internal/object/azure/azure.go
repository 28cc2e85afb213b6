// Package azure implements az://, Azure Blob Storage, with the vendor's libraries, which increase
// the size of the program by 8 %. Requests are made once, without retries, and library errors are
// not passed on because they quote addresses, which may contain a signature.
package azure

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"sync"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blockblob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/service"

	"github.com/mithril-stream/mithril-stream/internal/object/store"
)

// A Service is a storage account, whose containers are buckets.
type Service struct {
	account   account
	transport *http.Client

	finding sync.Mutex
	client  *service.Client // nil until credentials are found
	isKnown bool            // there are credentials
}

// New returns the service that the environment configures. It makes no request yet.
func New(transport http.RoundTripper) (store.Service, error) {
	account, err := findAccount()
	if err != nil {
		return nil, err
	}
	return newService(transport, account), nil
}

func newService(transport http.RoundTripper, of account) *Service {
	return &Service{account: of, transport: &http.Client{
		Transport: transport,
		// the service does not redirect, and signatures must not reach another server
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

func (s *Service) bucket(ctx context.Context, name string) (*container.Client, error) {
	client, err := s.authenticated(ctx)
	if err != nil {
		return nil, err
	}
	return client.NewContainerClient(url.PathEscape(name)), nil
}

func (s *Service) object(ctx context.Context, at store.Place) (*blockblob.Client, error) {
	bucket, err := s.bucket(ctx, at.Bucket)
	if err != nil {
		return nil, err
	}
	return bucket.NewBlockBlobClient(at.Key), nil
}

// CheckBucket implements store.Service.
func (s *Service) CheckBucket(ctx context.Context, bucket string) error {
	client, err := s.bucket(ctx, bucket)
	if err != nil {
		return err
	}
	_, err = client.GetProperties(ctx, nil)
	refused := (*azcore.ResponseError)(nil)
	isRefused := errors.As(err, &refused) && !isNoBucket(refused)
	if err = s.explain(bucket, err); isRefused && !store.IsTemporary(err) {
		return nil // whoever may write objects may not be allowed to see buckets
	}
	return err
}

// List returns a page of the keys with a prefix.
func (s *Service) List(ctx context.Context, bucket, prefix, more string) (keys []string, next string, err error) {
	client, err := s.bucket(ctx, bucket)
	if err != nil {
		return nil, "", err
	}
	of := container.ListBlobsFlatOptions{Prefix: &prefix}
	if more != "" {
		of.Marker = &more
	}
	page, err := client.NewListBlobsFlatPager(&of).NextPage(ctx)
	if err != nil {
		return nil, "", s.explain(bucket, err)
	}
	if page.Segment == nil {
		return nil, "", errors.New("the server has not answered with a listing")
	}
	for _, item := range page.Segment.BlobItems {
		if item.Name != nil && !isDirectory(item.Properties) {
			keys = append(keys, *item.Name)
		}
	}
	if page.NextMarker != nil {
		next = *page.NextMarker
	}
	return keys, next, nil
}

// isDirectory reports whether an entry is a directory, which accounts with a hierarchical namespace
// list.
func isDirectory(p *container.BlobProperties) bool {
	return p != nil && p.ResourceType != nil && *p.ResourceType == "directory"
}

var errNoTag = errors.New("the server does not say how large the object is, and of which version (ETag)")

// Stat implements store.Service.
func (s *Service) Stat(ctx context.Context, at store.Place) (v store.Version, err error) {
	object, err := s.object(ctx, at)
	if err != nil {
		return v, err
	}
	found, err := object.GetProperties(ctx, nil)
	if err != nil {
		return v, s.explain(at.Bucket, err)
	}
	if found.ETag == nil || found.ContentLength == nil {
		return v, errNoTag
	}
	return store.Version{Size: *found.ContentLength, Tag: string(*found.ETag), Ranges: true}, nil
}

// Get implements store.Service.
func (s *Service) Get(ctx context.Context, at store.Place, of store.Version, from, to int64) (io.ReadCloser, error) {
	object, err := s.object(ctx, at)
	if err != nil {
		return nil, err
	}
	found, err := object.DownloadStream(ctx, &blob.DownloadStreamOptions{
		Range: blob.HTTPRange{Offset: from, Count: to - from}, AccessConditions: isStill(of.Tag),
	})
	if err != nil {
		return nil, s.explain(at.Bucket, err)
	}
	if found.ContentRange == nil && from > 0 {
		return nil, errors.Join(errors.New("the server has not sent the part that it was asked for"),
			found.Body.Close())
	}
	return found.Body, nil
}

// GetAll implements store.Service.
func (s *Service) GetAll(ctx context.Context, at store.Place) (body io.ReadCloser, tag string, err error) {
	object, err := s.object(ctx, at)
	if err != nil {
		return nil, "", err
	}
	found, err := object.DownloadStream(ctx, nil)
	if err != nil {
		return nil, "", s.explain(at.Bucket, err)
	}
	if found.ETag == nil {
		return nil, "", errors.Join(errNoTag, found.Body.Close())
	}
	return found.Body, string(*found.ETag), nil
}

// isStill returns the condition that an object still has a tag.
func isStill(tag string) *blob.AccessConditions {
	etag := azcore.ETag(tag)
	return &blob.AccessConditions{ModifiedAccessConditions: &blob.ModifiedAccessConditions{IfMatch: &etag}}
}
