// Package s3 is the service of s3://: AWS, and every server that answers as it does.
package s3

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/mithril-stream/mithril-stream/internal/object/store"
)

// defaultEndpoint is the endpoint of AWS.
const defaultEndpoint = "https://s3.amazonaws.com"

// Options say where buckets are. What is empty is taken from the environment, as by the tools of
// AWS.
type Options struct {
	Endpoint string // the address of the server, as in https://s3.example.org
	Region   string
}

// A Service is a server of buckets.
type Service struct{ client *minio.Core }

// New returns the service. It asks for nothing yet. An error names an endpoint without what may be
// secret in it: tell says how an address is told.
func New(transport http.RoundTripper, o Options, tell func(address string) string) (store.Service, error) {
	endpoint := cmp.Or(o.Endpoint, os.Getenv("AWS_ENDPOINT_URL_S3"), os.Getenv("AWS_ENDPOINT_URL"), defaultEndpoint)
	at, err := url.Parse(endpoint)
	if err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https" || at.Path != "" && at.Path != "/" {
		return nil, fmt.Errorf("s3 endpoint %q is no address of a server: write it as in https://s3.example.org",
			tell(endpoint))
	}
	client, err := minio.NewCore(at.Host, &minio.Options{
		Creds:      credentialsFor(endpoint),
		Secure:     at.Scheme == "https",
		Region:     cmp.Or(o.Region, os.Getenv("AWS_REGION"), os.Getenv("AWS_DEFAULT_REGION")),
		Transport:  transport,
		MaxRetries: 1, // a part is asked for again from where it broke off, which only we can do
	})
	if err != nil {
		return nil, fmt.Errorf("s3 endpoint %s: %w", tell(endpoint), err)
	}
	return &Service{client}, nil
}

// credentialsFor are looked for where the tools of AWS look: the environment, the file of
// credentials, and on machines of AWS its own service. Without any, requests are not signed, as
// public buckets want it.
func credentialsFor(endpoint string) *credentials.Credentials {
	providers := []credentials.Provider{&credentials.EnvAWS{}, &credentials.FileAWSCredentials{}}
	if endpoint == defaultEndpoint && hasRole() {
		providers = append(providers, &credentials.IAM{})
	}
	return credentials.NewChainCredentials(providers)
}

// hasRole reports whether the environment says that a service of AWS gives credentials. It is not
// asked without that: elsewhere nobody would answer.
func hasRole() bool {
	names := []string{"AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
		"AWS_CONTAINER_CREDENTIALS_FULL_URI", "AWS_EXECUTION_ENV"}
	return slices.ContainsFunc(names, func(name string) bool { return os.Getenv(name) != "" })
}

// CheckBucket asks for a bucket.
func (s *Service) CheckBucket(ctx context.Context, bucket string) error {
	there, err := s.client.BucketExists(ctx, bucket)
	if err == nil && !there {
		return noBucket(bucket)
	}
	if err != nil {
		err = store.Answered(minio.ToErrorResponse(err).StatusCode, err)
	}
	if store.IsTemporary(err) {
		return err
	}
	return nil // that the server says nothing means nothing
}

func noBucket(bucket string) error {
	return store.NoBucket(bucket, "the name, the endpoint and the region")
}

// List returns all keys that begin with a prefix: the library asks for one page after the other.
func (s *Service) List(ctx context.Context, bucket, prefix, _ string) (keys []string, next string, err error) {
	below := minio.ListObjectsOptions{Prefix: prefix, Recursive: true}
	for o := range s.client.ListObjectsIter(ctx, bucket, below) {
		if o.Err != nil {
			return nil, "", explain(bucket, o.Err)
		}
		keys = append(keys, o.Key)
	}
	return keys, "", nil
}

// Stat asks for the state of an object.
func (s *Service) Stat(ctx context.Context, at store.Place) (store.Version, error) {
	info, err := s.client.StatObject(ctx, at.Bucket, at.Key, minio.StatObjectOptions{})
	return store.Version{Size: info.Size, Tag: info.ETag, Ranges: true}, explain(at.Bucket, err)
}

// Get asks for some bytes of one version.
func (s *Service) Get(ctx context.Context, at store.Place, of store.Version, from, to int64) (io.ReadCloser, error) {
	var options minio.GetObjectOptions
	if err := errors.Join(options.SetRange(from, to-1), options.SetMatchETag(of.Tag)); err != nil {
		return nil, err
	}
	body, _, _, err := s.client.GetObject(ctx, at.Bucket, at.Key, options)
	return body, explain(at.Bucket, err)
}

// GetAll asks for an object.
func (s *Service) GetAll(ctx context.Context, at store.Place) (body io.ReadCloser, tag string, err error) {
	body, info, _, err := s.client.GetObject(ctx, at.Bucket, at.Key, minio.GetObjectOptions{})
	return body, info.ETag, explain(at.Bucket, err)
}

// explain says what the answer of the server means for the user.
func explain(bucket string, err error) error {
	if err == nil {
		return nil
	}
	answer := minio.ToErrorResponse(err)
	switch answer.StatusCode {
	case http.StatusNotFound:
		if answer.Code == "NoSuchBucket" {
			return noBucket(bucket)
		}
		return store.ErrNotFound
	case http.StatusForbidden, http.StatusUnauthorized:
		return fmt.Errorf("the server does not allow it (%s): check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or "+
			"AWS_PROFILE", cmp.Or(answer.Code, "access denied"))
	}
	return store.Answered(answer.StatusCode, err)
}
