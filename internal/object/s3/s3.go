// Package s3 implements s3://: AWS, and compatible servers.
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

// Options configure access to buckets. Empty fields are taken from the environment, as by the AWS
// tools.
type Options struct {
	Endpoint string // URL of the server, such as https://s3.example.org
	Region   string
}

// A Service is a storage server.
type Service struct{ client *minio.Core }

// New returns the service. It makes no request yet. tell removes secrets from an endpoint in an
// error.
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
		MaxRetries: 1, // only our own code can resume a part where it broke off
	})
	if err != nil {
		return nil, fmt.Errorf("s3 endpoint %s: %w", tell(endpoint), err)
	}
	return &Service{client}, nil
}

// credentialsFor looks for credentials where the AWS tools do: in the environment, the credentials
// file, and on AWS machines their metadata service. Without any, requests are not signed, as public
// buckets allow.
func credentialsFor(endpoint string) *credentials.Credentials {
	providers := []credentials.Provider{&credentials.EnvAWS{}, &credentials.FileAWSCredentials{}}
	if endpoint == defaultEndpoint && hasRole() {
		providers = append(providers, &credentials.IAM{})
	}
	return credentials.NewChainCredentials(providers)
}

// hasRole reports whether the environment says that an AWS service provides credentials. Otherwise
// none is asked, since elsewhere nothing would answer.
func hasRole() bool {
	names := []string{"AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
		"AWS_CONTAINER_CREDENTIALS_FULL_URI", "AWS_EXECUTION_ENV"}
	return slices.ContainsFunc(names, func(name string) bool { return os.Getenv(name) != "" })
}

// CheckBucket implements store.Service.
func (s *Service) CheckBucket(ctx context.Context, bucket string) error {
	there, err := s.client.BucketExists(ctx, bucket)
	if err == nil && !there {
		return noBucket(bucket)
	}
	if err != nil {
		err = store.FromStatus(minio.ToErrorResponse(err).StatusCode, err)
	}
	if store.IsTemporary(err) {
		return err
	}
	return nil // no answer proves nothing
}

func noBucket(bucket string) error {
	return store.NoBucket(bucket, "the name, the endpoint and the region")
}

// List returns all keys with a prefix: the library requests all pages.
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

// Stat implements store.Service.
func (s *Service) Stat(ctx context.Context, at store.Place) (store.Version, error) {
	info, err := s.client.StatObject(ctx, at.Bucket, at.Key, minio.StatObjectOptions{})
	return store.Version{Size: info.Size, Tag: info.ETag, Ranges: true}, explain(at.Bucket, err)
}

// Get implements store.Service.
func (s *Service) Get(ctx context.Context, at store.Place, of store.Version, from, to int64) (io.ReadCloser, error) {
	var options minio.GetObjectOptions
	if err := errors.Join(options.SetRange(from, to-1), options.SetMatchETag(of.Tag)); err != nil {
		return nil, err
	}
	body, _, _, err := s.client.GetObject(ctx, at.Bucket, at.Key, options)
	return body, explain(at.Bucket, err)
}

// GetAll implements store.Service.
func (s *Service) GetAll(ctx context.Context, at store.Place) (body io.ReadCloser, tag string, err error) {
	body, info, _, err := s.client.GetObject(ctx, at.Bucket, at.Key, minio.GetObjectOptions{})
	return body, info.ETag, explain(at.Bucket, err)
}

// explain converts an error of the server to one for the user.
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
	return store.FromStatus(answer.StatusCode, err)
}
