package azure

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/service"

	"github.com/mithril-stream/mithril-stream/internal/object/store"
)

// scope is the OAuth scope of tokens.
const scope = "https://storage.azure.com/.default"

// options disable the retries of the library.
func (s *Service) options() policy.ClientOptions {
	return policy.ClientOptions{Transport: s.transport, Retry: policy.RetryOptions{MaxRetries: -1}}
}

// older requests an older API version than the library knows. Everything needed has existed for
// years, and emulators support the latest version later than the service.
type older struct{}

func (older) Do(r *policy.Request) (*http.Response, error) {
	r.Raw().Header["x-ms-version"] = []string{"2023-11-03"} // spelled as by the library
	return r.Next()
}

// authenticated returns a client with credentials. A key or a signature from the environment comes
// first, then the default credential chain of the library. If that finds none, requests are
// anonymous, which public containers allow.
func (s *Service) authenticated(ctx context.Context) (client *service.Client, err error) {
	s.finding.Lock()
	defer s.finding.Unlock()
	if s.client == nil {
		s.client, s.isKnown, err = s.find(ctx)
	}
	return s.client, err
}

func (s *Service) find(ctx context.Context) (client *service.Client, isKnown bool, err error) {
	o := &service.ClientOptions{ClientOptions: s.options()}
	o.PerCallPolicies = []policy.Policy{older{}}
	// the library would wait in addition to our watch
	o.ExpectContinueBehavior.Mode = service.ExpectContinueModeOff
	if s.account.key != "" {
		key, err := service.NewSharedKeyCredential(s.account.name, s.account.key)
		if err != nil {
			return nil, false, err
		}
		client, err = service.NewClientWithSharedKeyCredential(s.account.endpoint, key, o)
		return client, true, err
	}
	if s.account.signature != "" {
		client, err = service.NewClientWithNoCredential(s.account.endpoint+"?"+s.account.signature, o)
		return client, true, err
	}
	tokens, err := s.findTokens(ctx)
	if err != nil {
		return nil, false, err
	}
	if tokens == nil {
		client, err = service.NewClientWithNoCredential(s.account.endpoint, o)
		return client, false, err
	}
	client, err = service.NewClient(s.account.endpoint, tokens, o)
	return client, true, err
}

// findTokens looks for a token source: a service principal or a workload identity from the
// environment, a managed identity, or a login of the vendor's tools. It returns nil if there is
// none, or if the connection is not encrypted, since the token could be read on its way.
func (s *Service) findTokens(ctx context.Context) (azcore.TokenCredential, error) {
	if strings.HasPrefix(s.account.endpoint, "http://") {
		return nil, nil
	}
	chain, err := azidentity.NewDefaultAzureCredential(&azidentity.DefaultAzureCredentialOptions{
		ClientOptions: s.options(),
	})
	if err != nil {
		return nil, errors.New("AZURE_TOKEN_CREDENTIALS names no credentials: leave it out")
	}
	first, err := chain.GetToken(ctx, policy.TokenRequestOptions{EnableCAE: true, Scopes: []string{scope}})
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	failed := (*azidentity.AuthenticationFailedError)(nil)
	if err == nil {
		found := &found{TokenCredential: chain}
		found.first.Store(&first)
		return found, nil
	}
	if errors.As(err, &failed) {
		return nil, noToken(failed)
	}
	return nil, nil
}

// A found credential first returns the token that it was found with, before it requests others.
type found struct {
	azcore.TokenCredential
	first atomic.Pointer[azcore.AccessToken]
}

func (f *found) GetToken(ctx context.Context, o policy.TokenRequestOptions) (azcore.AccessToken, error) {
	if first := f.first.Swap(nil); first != nil {
		return *first, nil
	}
	return f.TokenCredential.GetToken(ctx, o)
}

// noToken explains why there is no token. It leaves out the response of the token server, which may
// contain credentials.
func noToken(err *azidentity.AuthenticationFailedError) error {
	const advice = "check AZURE_TENANT_ID, AZURE_CLIENT_ID and AZURE_CLIENT_SECRET, or give az login"
	// the library does not say whether the connection failed, which may be temporary
	if err.RawResponse == nil {
		return store.Again(errors.New("the server of tokens cannot be asked: " + advice))
	}
	code := err.RawResponse.StatusCode
	return store.FromStatus(code, fmt.Errorf("the server of tokens has answered %d %s: %s", code,
		http.StatusText(code), advice))
}

// advice says what to do if access is denied.
func (s *Service) advice() string {
	switch {
	case s.account.advice != "":
		return s.account.advice
	case s.isKnown:
		return "check that the account that is logged in may read the data of blobs, and write if it has to (the " +
			"role Storage Blob Data Contributor)"
	}
	return "no credentials were found: give az login, or one of " + connectionVariable + ", " + keyVariable + " and " +
		signatureVariable
}
