package kafka

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/mithril-stream/mithril-stream/internal/kafkatest"
)

// certificate makes one for loopback that signs itself, and writes it and its key to files.
func certificate(t *testing.T) (pair tls.Certificate, cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	cert, key = filepath.Join(t.TempDir(), "cert.pem"), filepath.Join(t.TempDir(), "key.pem")
	for path, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der},
		key: {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if pair, err = tls.LoadX509KeyPair(cert, key); err != nil {
		t.Fatal(err)
	}
	return pair, cert, key
}

// secured is a bench whose brokers want TLS, a certificate and a password. It reaches them as the
// consumer does.
func secured(t *testing.T, mechanism string, s Security) (*bench, *kfake.Cluster, Options) {
	pair, cert, key := certificate(t)
	authorities := x509.NewCertPool()
	text, _ := os.ReadFile(cert)
	authorities.AppendCertsFromPEM(text)
	b, fake := newFake(t, kfake.EnableSASL(), kfake.Superuser(mechanism, "user", "secret"),
		kfake.TLS(&tls.Config{Certificates: []tls.Certificate{pair}, ClientCAs: authorities,
			ClientAuth: tls.RequireAndVerifyClientCert}))
	if s.CA == "" {
		s.CA = cert
	}
	s.TLS, s.Cert, s.Key = true, cert, key
	opts := b.options()
	var err error
	if opts.TLS, opts.SASL, err = s.Build(); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"from", "to"} {
		if err := fake.CreateTopic(b.topic(name), 1, nil); err != nil {
			t.Fatal(err)
		}
	}
	return b, fake, opts
}

func TestSecureConnections(t *testing.T) {
	for mechanism, name := range map[string]string{"plain": "PLAIN", "scram-sha-256": "SCRAM-SHA-256",
		"scram-sha-512": "SCRAM-SHA-512"} {
		t.Run(mechanism, func(t *testing.T) {
			b, _, opts := secured(t, name, Security{Mechanism: mechanism, Username: "user", Password: "secret"})
			client, err := kgo.NewClient(append(opts.base(), kgo.DefaultProduceTopic(b.topic("from")))...)
			if err != nil {
				t.Fatal(err)
			}
			defer client.Close()
			if err := client.ProduceSync(b.ctx, messages(0, 3)...).FirstErr(); err != nil {
				t.Fatal(err)
			}
			c := start(t, opts)
			reader, err := kgo.NewClient(append(opts.base(), kgo.ConsumeTopics(b.topic("to")),
				kgo.FetchIsolationLevel(kgo.ReadCommitted()))...)
			if err != nil {
				t.Fatal(err)
			}
			defer reader.Close()
			for n := 0; n < 2; {
				fetches := reader.PollFetches(b.ctx)
				if err := fetches.Err(); err != nil {
					t.Fatal(err)
				}
				n += fetches.NumRecords()
			}
			c.end(t)
		})
	}
}

// A wrong password or a certificate without a known issuer does not become right by trying again.
func TestInsecureConnectionsAreRefused(t *testing.T) {
	secret := Security{Mechanism: "plain", Username: "user", Password: "secret"}
	_, fake, opts := secured(t, "PLAIN", secret)
	fake.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.SASLAuthenticate}, TopLevel: true, Err: kerr.SaslAuthenticationFailed,
		Count: -1})
	start(t, opts).expectEnd(t, "SASL_AUTHENTICATION_FAILED")

	_, _, opts = secured(t, "PLAIN", secret)
	opts.TLS = nil
	start(t, opts).expectEnd(t, "is TLS missing")

	_, secret.CA, _ = certificate(t)
	_, _, opts = secured(t, "PLAIN", secret)
	start(t, opts).expectEnd(t, "certificate")
}

func TestBadSecurityFiles(t *testing.T) {
	_, cert, key := certificate(t)
	for _, c := range []struct {
		s    Security
		says string
	}{
		{Security{TLS: true, CA: "missing.pem"}, "missing.pem"},
		{Security{TLS: true, CA: key}, "has no certificate"},
		{Security{TLS: true, Cert: cert, Key: cert}, cert},
		{Security{Mechanism: "rot13"}, "rot13"},
	} {
		if _, _, err := c.s.Build(); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: %v", c.s, err)
		}
	}
}

// authenticated is the first message of a mechanism to a broker.
func authenticated(t *testing.T, s Security) (string, error) {
	t.Helper()
	_, mechanism, err := s.Build()
	if err != nil {
		t.Fatal(err)
	}
	_, message, err := mechanism.Authenticate(t.Context(), "b-1.cluster.kafka.eu-west-1.amazonaws.com:9098")
	return string(message), err
}

func TestTokensOfFilesAreReadAgain(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	s := Security{Mechanism: "oauthbearer", TokenFile: file}
	if _, err := authenticated(t, s); err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("without a file: %v", err)
	}
	for _, token := range []string{"first.token", "renewed.token"} {
		if err := os.WriteFile(file, []byte(token+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if message, err := authenticated(t, s); err != nil || !strings.Contains(message, "auth=Bearer "+token+"\x01") {
			t.Errorf("%q, %v", message, err)
		}
	}
	if err := os.WriteFile(file, []byte("\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := authenticated(t, s); err == nil || !strings.Contains(err.Error(), "has no token") {
		t.Errorf("an empty file: %v", err)
	}
}

func TestTokensOfAServer(t *testing.T) {
	refuse := false
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, secret, _ := r.BasicAuth()
		if refuse || r.FormValue("grant_type") != "client_credentials" || name != "dedup" || secret != "hidden" ||
			r.FormValue("scope") != "kafka read" {
			http.Error(w, `{"error":"invalid_client"}`, http.StatusUnauthorized)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"access_token":"given.token","token_type":"bearer","expires_in":3600}`)
	}))
	defer server.Close()
	s := Security{Mechanism: "oauthbearer", TokenURL: server.URL, Username: "dedup", Password: "hidden",
		Scopes: []string{"kafka", "read"}}
	if message, err := authenticated(t, s); err != nil || !strings.Contains(message, "auth=Bearer given.token\x01") {
		t.Errorf("%q, %v", message, err)
	}
	refuse = true
	if _, err := authenticated(t, s); err == nil || !strings.Contains(err.Error(), "no token from "+server.URL) ||
		!strings.Contains(err.Error(), "invalid_client") || strings.Contains(err.Error(), "hidden") {
		t.Errorf("a server that refuses: %v", err)
	}
}

// A broker answers a token that it refuses with a reason, which the error has, and with when the
// token has expired if that is why.
func TestRefusedTokens(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	for _, c := range []struct{ token, answer, says string }{
		{kafkatest.Token(time.Unix(1_000_000_000, 0), time.Hour), `{"status":"invalid_token"}`,
			`"invalid_token": it expired at 2001-09-09T02:46:40Z`},
		{kafkatest.Token(time.Now(), time.Hour), `{"status":"insufficient_scope"}`, `"insufficient_scope"`},
		{"opaque", "no\x1b[2J", `"no\x1b[2J"`},
		{"a.!.c", `{}`, `"{}"`},
	} {
		if err := os.WriteFile(file, []byte(c.token), 0o600); err != nil {
			t.Fatal(err)
		}
		session, _, err := Security{TokenFile: file}.bearer().Authenticate(t.Context(), "broker")
		if err != nil {
			t.Fatal(err)
		}
		done, _, err := session.Challenge([]byte(c.answer))
		want := "the broker refuses the token from " + file + ": " + c.says
		if done || err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
		if done, _, err := session.Challenge(nil); !done || err != nil {
			t.Errorf("a token that is taken: %v, %v", done, err)
		}
	}
}

func TestCredentialsOfAWS(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", "AKIAEXAMPLE")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "hidden")
	t.Setenv("AWS_SESSION_TOKEN", "of-the-session")
	message, err := authenticated(t, Security{Mechanism: "aws-msk-iam"})
	for _, part := range []string{"AKIAEXAMPLE/", "/eu-west-1/kafka-cluster/aws4_request", "of-the-session"} {
		if err != nil || !strings.Contains(message, part) || strings.Contains(message, "hidden") {
			t.Errorf("%q, %v", message, err)
		}
	}
}
