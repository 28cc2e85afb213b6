package kafka

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"

	"github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"
)

// Security is how brokers are reached.
type Security struct {
	TLS           bool
	CA, Cert, Key string // files; empty: what the system trusts, and no certificate of our own

	Mechanism          string // plain, scram-sha-256, scram-sha-512; empty for none
	Username, Password string
}

// Build reads the files.
func (s Security) Build() (*tls.Config, sasl.Mechanism, error) {
	config, err := s.tls()
	if err != nil {
		return nil, nil, err
	}
	switch s.Mechanism {
	case "":
		return config, nil, nil
	case "plain":
		return config, plain.Auth{User: s.Username, Pass: s.Password}.AsMechanism(), nil
	case "scram-sha-256":
		return config, scram.Auth{User: s.Username, Pass: s.Password}.AsSha256Mechanism(), nil
	case "scram-sha-512":
		return config, scram.Auth{User: s.Username, Pass: s.Password}.AsSha512Mechanism(), nil
	}
	return nil, nil, fmt.Errorf("SASL mechanism %s is not known", s.Mechanism)
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
