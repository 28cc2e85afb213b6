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

// scope is what a token is asked for.
const scope = "https://storage.azure.com/.default"

// options have each request made once: attempts are ours.
func (s *Service) options() policy.ClientOptions {
	return policy.ClientOptions{Transport: s.transport, Retry: policy.RetryOptions{MaxRetries: -1}}
}

// An older version of the interface is asked for than the library knows: all that is needed is
// there for years, and emulators know the newest one later than the service.
type older struct{}

func (older) Do(r *policy.Request) (*http.Response, error) {
	r.Raw().Header["x-ms-version"] = []string{"2023-11-03"} // spelled as by the library
	return r.Next()
}

// asker is the client of who asks. A key or a signature of the environment comes first. Without,
// the default chain of the vendor's library is asked for a token. If nobody in it has credentials,
// the requests have none, as public containers want it.
func (s *Service) asker(ctx context.Context) (client *service.Client, err error) {
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
	o.ExpectContinueBehavior.Mode = service.ExpectContinueModeOff // that would wait beside our watch
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

// findTokens looks for who has tokens: a service principal or a workload of the environment, the
// identity of the machine, or who is logged in by the vendor's tools. It is nil if nobody is, or if
// everybody could read the token on its way.
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

// A found credential hands on the token that it was found by, before it asks for others.
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

// noToken says why there is no token, without what the server of tokens has said: it was told who
// we are.
func noToken(err *azidentity.AuthenticationFailedError) error {
	const advice = "check AZURE_TENANT_ID, AZURE_CLIENT_ID and AZURE_CLIENT_SECRET, or give az login"
	if err.RawResponse == nil { // the library does not say whether the connection has failed, which may get better
		return store.Again(errors.New("the server of tokens cannot be asked: " + advice))
	}
	code := err.RawResponse.StatusCode
	return store.Answered(code, fmt.Errorf("the server of tokens has answered %d %s: %s", code,
		http.StatusText(code), advice))
}

// advice says what to do when the service refuses us.
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
