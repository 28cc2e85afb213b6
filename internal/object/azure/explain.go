package azure

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/bloberror"

	"github.com/mithril-stream/mithril-stream/internal/object/store"
)

// explain converts an error of the library to one for the user. Of an answer it uses the status and
// the code, which is a word. The rest may quote what was signed, and the address.
func (s *Service) explain(bucket string, err error) error {
	if refused := (*azcore.ResponseError)(nil); errors.As(err, &refused) {
		return s.meaning(refused, bucket)
	}
	if failed := (*azidentity.AuthenticationFailedError)(nil); errors.As(err, &failed) {
		return noToken(failed)
	}
	if failed := (*url.Error)(nil); errors.As(err, &failed) {
		err = failed.Err // without the address
	}
	if err == nil {
		return nil
	}
	if strings.Contains(err.Error(), "://") {
		err = errors.New("the request has failed")
	}
	return store.FromStatus(0, err)
}

// isNoBucket reports whether an error means that the bucket does not exist.
func isNoBucket(r *azcore.ResponseError) bool {
	return r.ErrorCode == string(bloberror.ContainerNotFound)
}

func (s *Service) meaning(r *azcore.ResponseError, bucket string) error {
	told := fmt.Errorf("the server has answered %d %s", r.StatusCode, http.StatusText(r.StatusCode))
	if isWord(r.ErrorCode) {
		told = fmt.Errorf("%w (%s)", told, r.ErrorCode)
	}
	code := bloberror.Code(r.ErrorCode)
	switch {
	case isNoBucket(r):
		return store.NoBucket(bucket, "the name, and the account")
	case r.StatusCode == http.StatusUnauthorized, r.StatusCode == http.StatusForbidden,
		code == "PublicAccessNotPermitted",
		// how a private container looks to anonymous users
		code == bloberror.ResourceNotFound && !s.isKnown:
		return fmt.Errorf("%w: %s", told, s.advice())
	case r.StatusCode == http.StatusNotFound:
		return store.ErrNotFound
	case r.StatusCode == http.StatusPreconditionFailed && code != bloberror.ConditionNotMet && code != "":
		return told // such as a lease held by somebody
	}
	return store.FromStatus(r.StatusCode, told)
}

// isWord reports whether a code comes from the service, not from a proxy in between.
func isWord(code string) bool {
	isLetter := func(c rune) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' }
	return code != "" && len(code) <= 64 && strings.TrimFunc(code, isLetter) == ""
}
