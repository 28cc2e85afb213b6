package kafka

import (
	"context"
	"errors"
	"fmt"

	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/aws"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"
)

// Mechanisms are the SASL mechanisms that Security supports.
var Mechanisms = []string{"plain", "scram-sha-256", "scram-sha-512", "oauthbearer", "aws-msk-iam"}

// mechanism returns nil if no mechanism is configured.
func (s Security) mechanism() (sasl.Mechanism, error) {
	switch s.Mechanism {
	case "":
		return nil, nil
	case "plain":
		return plain.Auth{User: s.Username, Pass: s.Password}.AsMechanism(), nil
	case "scram-sha-256":
		return scram.Auth{User: s.Username, Pass: s.Password}.AsSha256Mechanism(), nil
	case "scram-sha-512":
		return scram.Auth{User: s.Username, Pass: s.Password}.AsSha512Mechanism(), nil
	case "oauthbearer":
		return s.bearer(), nil
	case "aws-msk-iam":
		return roleOfAWS(), nil
	}
	return nil, fmt.Errorf("SASL mechanism %s is not known", s.Mechanism)
}

// roleOfAWS signs with the credentials from the environment, a file, or the service of the machine
// or container, and renews them.
func roleOfAWS() sasl.Mechanism {
	chain := credentials.NewChainCredentials([]credentials.Provider{
		&credentials.EnvAWS{}, &credentials.FileAWSCredentials{}, &credentials.IAM{},
	})
	return aws.ManagedStreamingIAM(func(context.Context) (aws.Auth, error) {
		c, err := chain.GetWithContext(nil)
		if err == nil && (c.AccessKeyID == "" || c.SecretAccessKey == "") {
			err = errors.New("neither the environment, nor ~/.aws/credentials, nor the machine has any")
		}
		if err != nil {
			return aws.Auth{}, fmt.Errorf("no AWS credentials: %w", err)
		}
		return aws.Auth{AccessKey: c.AccessKeyID, SecretKey: c.SecretAccessKey, SessionToken: c.SessionToken}, nil
	})
}
