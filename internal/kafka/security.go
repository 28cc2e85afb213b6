package kafka

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"

	"github.com/twmb/franz-go/pkg/sasl"
)

// Security is how brokers are reached.
type Security struct {
	TLS           bool
	CA, Cert, Key string // files; empty: what the system trusts, and no certificate of our own

	Mechanism          string // one of Mechanisms; empty for none
	Username, Password string
	// For oauthbearer: either the file that has the token, or the server that gives tokens to the
	// client Username with the secret Password.
	TokenFile, TokenURL string
	Scopes              []string // what tokens are asked for
}

// Build reads the files.
func (s Security) Build() (*tls.Config, sasl.Mechanism, error) {
	config, err := s.tls()
	if err != nil {
		return nil, nil, err
	}
	mechanism, err := s.mechanism()
	return config, mechanism, err
}

func (s Security) tls() (*tls.Config, error) {
	if !s.TLS {
		return nil, nil
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if s.CA != "" {
		text, err := os.ReadFile(s.CA)
		if err != nil {
			return nil, err
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("%s has no certificate in PEM", s.CA)
		}
	}
	if s.Cert != "" {
		pair, err := tls.LoadX509KeyPair(s.Cert, s.Key)
		if err != nil {
			return nil, fmt.Errorf("%s, %s: %w", s.Cert, s.Key, err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config, nil
}
