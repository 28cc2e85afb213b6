package kafka

import (
	"crypto/tls"
	"errors"
	"fmt"
	"slices"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

// refusals lists the broker errors that retrying does not cure.
var refusals = []error{
	kerr.SaslAuthenticationFailed, kerr.UnsupportedSaslMechanism, kerr.IllegalSaslState,
	kerr.TopicAuthorizationFailed, kerr.GroupAuthorizationFailed, kerr.ClusterAuthorizationFailed,
	kerr.TransactionalIDAuthorizationFailed, kerr.MessageTooLarge, kerr.RecordListTooLarge, kerr.InvalidRecord,
	kerr.InvalidTimestamp, kerr.PolicyViolation, kerr.UnsupportedForMessageFormat, kerr.UnsupportedCompressionType,
	kerr.InvalidTopicException, kerr.OffsetOutOfRange, kerr.InvalidTransactionTimeout, kerr.InvalidSessionTimeout,
	kerr.InconsistentGroupProtocol, kerr.InvalidGroupID, kerr.UnsupportedVersion,
}

func isRefusal(err error) bool {
	return slices.ContainsFunc(refusals, func(r error) bool { return errors.Is(err, r) }) ||
		errors.As(err, new(*tls.CertificateVerificationError)) || errors.As(err, new(tls.AlertError)) ||
		errors.As(err, new(tls.RecordHeaderError))
}

// lacksCoordinator reports whether brokers have answered that no coordinator of groups or
// transactions is ready. That passes, for example once a new cluster has created its topics.
func lacksCoordinator(err error) bool {
	return errors.Is(err, kerr.CoordinatorNotAvailable) || errors.Is(err, kerr.CoordinatorLoadInProgress) ||
		errors.Is(err, kerr.NotCoordinator)
}

// explainProduce adds what to do about a record that could not be produced.
func explainProduce(r *kgo.Record, from string, err error) error {
	size := len(r.Key) + len(r.Value)
	switch {
	case errors.Is(err, kerr.MessageTooLarge) || errors.Is(err, kerr.RecordListTooLarge):
		return fmt.Errorf("%s: topic %s does not accept it, with %d bytes: %w: raise max.message.bytes of the topic",
			from, r.Topic, size, err)
	case errors.Is(err, kerr.InvalidRecord):
		return fmt.Errorf("%s: topic %s does not accept it: %w: does a compacted topic lack a key?", from, r.Topic, err)
	case errors.Is(err, kerr.InvalidTimestamp):
		return fmt.Errorf("%s: topic %s does not accept its timestamp, %s: %w: see message.timestamp.before.max.ms of "+
			"the topic", from, r.Topic, r.Timestamp.UTC().Format("2006-01-02T15:04:05Z"), err)
	}
	return fmt.Errorf("%s: produce to topic %s: %w", from, r.Topic, err)
}

// explainFetch adds what to do about a partition that cannot be read.
func explainFetch(topic string, partition int32, err error) error {
	switch {
	case topic == "":
		return err
	case errors.Is(err, kerr.OffsetOutOfRange):
		return fmt.Errorf("%s/%d: %w: the broker has deleted records that were not read yet, or has lost some: "+
			"set the group's offsets to where it should go on (kafka-consumer-groups --reset-offsets --to-earliest)",
			topic, partition, err)
	}
	return fmt.Errorf("%s/%d: %w", topic, partition, err)
}
