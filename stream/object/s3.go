package object

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/mithril-stream/mithril-stream/stream/object/hub"
)

// defaultEndpoint is the endpoint of AWS.
const defaultEndpoint = "https://s3.amazonaws.com"

// s3 returns the client of buckets, which is made when it is first needed.
func (c *Client) s3() (*minio.Core, error) {
	c.once.Do(func() { c.buckets, c.err = c.newS3() })
	return c.buckets, c.err
}

func (c *Client) newS3() (*minio.Core, error) {
	endpoint := cmp.Or(c.options.Endpoint, os.Getenv("AWS_ENDPOINT_URL_S3"), os.Getenv("AWS_ENDPOINT_URL"),
		defaultEndpoint)
	at, err := url.Parse(endpoint)
	if err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https" || at.Path != "" && at.Path != "/" {
		return nil, fmt.Errorf("s3 endpoint %q is no address of a server: write it as in https://s3.example.org",
			Name(endpoint))
	}
	client, err := minio.NewCore(at.Host, &minio.Options{
		Creds:      credentialsFor(endpoint),
		Secure:     at.Scheme == "https",
		Region:     cmp.Or(c.options.Region, os.Getenv("AWS_REGION"), os.Getenv("AWS_DEFAULT_REGION")),
		Transport:  c.web.Transport,
		MaxRetries: 1, // a part is asked for again from where it broke off, which only we can do
	})
	if err != nil {
		return nil, fmt.Errorf("s3 endpoint %s: %w", Name(endpoint), err)
	}
	return client, nil
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

// An s3Object is an object of a bucket.
type s3Object struct {
	client      *minio.Core
	bucket, key string
}

func (o s3Object) stat(ctx context.Context) (version, error) {
	info, err := o.client.StatObject(ctx, o.bucket, o.key, minio.StatObjectOptions{})
	return version{size: info.Size, tag: info.ETag, ranges: true}, o.explain(err)
}

func (o s3Object) get(ctx context.Context, of version, from, to int64) (io.ReadCloser, error) {
	var options minio.GetObjectOptions
	if err := errors.Join(options.SetRange(from, to-1), options.SetMatchETag(of.tag)); err != nil {
		return nil, err
	}
	body, _, _, err := o.client.GetObject(ctx, o.bucket, o.key, options)
	return body, o.explain(err)
}

// explain says what the answer of the server means for the user.
func (o s3Object) explain(err error) error {
	if err == nil {
		return nil
	}
	answer := minio.ToErrorResponse(err)
	switch answer.StatusCode {
	case http.StatusNotFound:
		if answer.Code == "NoSuchBucket" {
			return fmt.Errorf("there is no bucket %s: check the name, the endpoint and the region", o.bucket)
		}
		return ErrNotFound
	case http.StatusForbidden, http.StatusUnauthorized:
		return fmt.Errorf("the server does not allow it (%s): check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or "+
			"AWS_PROFILE", cmp.Or(answer.Code, "access denied"))
	}
	return answered(answer.StatusCode, err)
}

// ErrPattern means that what names inputs is to be a pattern and is none.
var ErrPattern = hub.ErrPattern

// listS3 returns the objects that a path stands for, in the order of the bytes of their names:
// itself, if there is an object of that name; those below it, if it ends in a slash or is a bucket
// alone; or those that match it, if it has *, ? or [ in the key. Left out of a prefix are what is
// empty and ends in a slash, and names that begin with a dot or an underscore.
func (c *Client) listS3(of string) (paths []string, err error) {
	bucket, key, err := split(of)
	if err != nil {
		return nil, err
	}
	isPrefix, isPattern := key == "" || strings.HasSuffix(key, "/"), strings.ContainsAny(key, "*?[")
	if !isPrefix && !isPattern {
		return []string{of}, c.check(of)
	}
	client, err := c.s3()
	if err != nil {
		return nil, err
	}
	prefix := key
	if isPattern {
		prefix = key[:strings.IndexAny(key, "*?[")]
	}
	below := minio.ListObjectsOptions{Prefix: prefix, Recursive: true}
	for o := range client.ListObjectsIter(c.ctx, bucket, below) {
		if o.Err != nil {
			return nil, s3Object{client, bucket, key}.explain(o.Err)
		}
		if isPattern && o.Key == key {
			return []string{of}, nil // as of files: what is there is no pattern
		}
		if isWanted(o.Key, prefix, key, isPattern) {
			paths = append(paths, "s3://"+bucket+"/"+o.Key)
		}
	}
	if _, err := path.Match(key, ""); isPattern && err != nil {
		return nil, ErrPattern
	}
	if len(paths) == 0 {
		return nil, errors.New("no object matches")
	}
	slices.Sort(paths)
	return paths, nil
}

// isWanted reports whether a key is one of those that a pattern, or a prefix, stands for.
func isWanted(key, prefix, pattern string, isPattern bool) bool {
	if isPattern {
		matches, _ := path.Match(pattern, key) // the pattern is right
		return matches
	}
	if strings.HasSuffix(key, "/") {
		return false
	}
	for part := range strings.SplitSeq(strings.TrimPrefix(key, prefix), "/") {
		if strings.HasPrefix(part, ".") || strings.HasPrefix(part, "_") {
			return false
		}
	}
	return true
}
