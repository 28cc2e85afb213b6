package kafka

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"

	"github.com/twmb/franz-go/pkg/sasl"
)

// Security configures the connections to brokers.
type Security struct {
	TLS           bool
	CA, Cert, Key string // files; empty for the system's authorities and no client certificate

	Mechanism          string // one of Mechanisms, or empty
	Username, Password string
	// For oauthbearer: a file with the token, or a server that issues tokens to the client Username
	// with the secret Password.
	TokenFile, TokenURL string
	Scopes              []string // requested for tokens
}

// Build returns the settings for TLS and SASL, each nil if it is not configured. It reads the
// files.
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
