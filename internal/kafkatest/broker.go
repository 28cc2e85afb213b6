// Package kafkatest runs a real Apache Kafka broker for tests and measurements: one node in KRaft
// mode on loopback, on free ports. It needs a Java runtime, and Maven, which downloads the broker's
// published artifacts the first time.
package kafkatest

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mithril-stream/mithril-stream/internal/freeport"
)

// A Broker is a cluster of one node.
type Broker struct {
	*Cluster
	listener, secured, controller *freeport.Port

	dir, classes, config string
	java                 []string
	process              *exec.Cmd
	ended                chan struct{}
}

// User and Password are the credentials for the secured listener, with the mechanism PLAIN and
// without TLS. With OAUTHBEARER it requires a Token.
const User, Password = "crawler", "secret"

// Token returns an unsigned token of User (an unsecured JSON Web Token), which the secured listener
// accepts until it expires.
func Token(issued time.Time, life time.Duration) string {
	part := base64.RawURLEncoding.EncodeToString
	claims := fmt.Sprintf(`{"sub":%q,"iat":%d,"exp":%d}`, User, issued.Unix(), issued.Add(life).Unix())
	return part([]byte(`{"alg":"none"}`)) + "." + part([]byte(claims)) + "."
}

// Options configure a broker. The zero value is valid.
type Options struct {
	Dir    string   // for its files
	Java   []string // command line before and after "java": a command to run it with, JVM options
	Config []string // additional lines for its configuration
}

// Start starts a broker for the duration of the test. Without Java or Maven it skips the test, or
// fails it if CI is set.
func Start(tb testing.TB) *Broker {
	tb.Helper()
	for _, tool := range []string{"java", "mvn"} {
		if _, err := exec.LookPath(tool); err == nil {
			continue
		}
		if os.Getenv("CI") != "" {
			tb.Fatalf("%s is not installed: the tests with a broker need it", tool)
		}
		tb.Skipf("%s is not installed: install a Java runtime of version 17 or newer, and Maven, "+
			"to run the tests with a broker", tool)
	}
	b, err := New(Options{Dir: tb.TempDir()})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := b.Close(); err != nil {
			tb.Error(err)
		}
	})
	return b
}

// New starts a broker.
func New(o Options) (*Broker, error) {
	classes, err := fetch()
	if err != nil {
		return nil, err
	}
	b := &Broker{dir: o.Dir, classes: classes, java: o.Java, config: filepath.Join(o.Dir, "server.properties")}
	if err := b.start(o.Config); err != nil {
		return nil, errors.Join(err, b.Close())
	}
	return b, nil
}

// start sets up ports, configuration and storage of the broker, and starts it.
func (b *Broker) start(config []string) (err error) {
	if b.listener, err = freeport.Reserve(); err != nil {
		return err
	}
	if b.secured, err = freeport.Reserve(); err != nil {
		return err
	}
	if b.controller, err = freeport.Reserve(); err != nil {
		return err
	}
	if err := b.configure(config); err != nil {
		return err
	}
	if err := b.format(); err != nil {
		return err
	}
	if b.Cluster, err = Connect(b.listener.Address()); err != nil {
		return err
	}
	return b.Start()
}

// format copies formatted storage, which is the same for each broker, to the broker's directory.
// Formatting it takes a third of the time that a start takes.
func (b *Broker) format() error {
	storage, err := cached("kafka-"+Version+"-storage", func(work, dir string) error {
		text, err := os.ReadFile(b.config)
		if err != nil {
			return err
		}
		config := filepath.Join(work, "server.properties")
		text = append(text, "\nlog.dirs="+dir...) // the last one counts
		if err := os.WriteFile(config, text, 0o666); err != nil {
			return err
		}
		format := b.command("kafka.tools.StorageTool", "format", "--cluster-id", "mithrilStreamTestsQAAA",
			"--config", config)
		if out, err := format.CombinedOutput(); err != nil {
			return fmt.Errorf("format the broker's storage: %w: %s", err, out)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return os.CopyFS(b.data(), os.DirFS(storage))
}

// data returns the directory of the broker's storage.
func (b *Broker) data() string { return filepath.Join(b.dir, "data") }

func (b *Broker) configure(lines []string) error {
	listeners := "PLAINTEXT://" + b.listener.Address() + ",SECURED://" + b.secured.Address()
	controller := b.controller.Address()
	config := []string{
		"process.roles=broker,controller", "node.id=1", "controller.quorum.voters=1@" + controller,
		"controller.listener.names=CONTROLLER",
		"listeners=" + listeners + ",CONTROLLER://" + controller, "advertised.listeners=" + listeners,
		"listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,SECURED:SASL_PLAINTEXT",
		"listener.name.secured.sasl.enabled.mechanisms=PLAIN,OAUTHBEARER",
		"listener.name.secured.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule " +
			`required user_` + User + `="` + Password + `";`,
		// without a handler this module accepts unsigned tokens that have not expired
		"listener.name.secured.oauthbearer.sasl.jaas.config=" +
			"org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule " +
			`required unsecuredLoginStringClaim_sub="broker";`,
		"listener.name.secured.oauthbearer.connections.max.reauth.ms=60000",
		"log.dirs=" + b.data(), "auto.create.topics.enable=false",
		"offsets.topic.replication.factor=1", "offsets.topic.num.partitions=2",
		"transaction.state.log.replication.factor=1", "transaction.state.log.min.isr=1",
		"transaction.state.log.num.partitions=2",
		"group.initial.rebalance.delay.ms=0", "transaction.abort.timed.out.transaction.cleanup.interval.ms=1000",
	}
	return os.WriteFile(b.config, []byte(strings.Join(append(config, lines...), "\n")), 0o666)
}

// command returns the command for a Kafka class.
func (b *Broker) command(class string, args ...string) *exec.Cmd {
	line := append(append([]string{}, b.java...), "-Xmx1g", "-cp", filepath.Join(b.classes, "*"), class)
	if len(b.java) == 0 {
		line = append([]string{"java"}, line...)
	}
	line = append(line, args...)
	return exec.Command(line[0], line[1:]...)
}

// Start starts the broker again after Stop or Kill, and returns when it answers.
func (b *Broker) Start() error {
	log, err := os.OpenFile(filepath.Join(b.dir, "broker.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	defer log.Close()
	b.process, b.ended = b.command("kafka.Kafka", b.config), make(chan struct{})
	b.process.Stdout, b.process.Stderr = log, log
	if err := b.process.Start(); err != nil {
		return err
	}
	go func(process *exec.Cmd, ended chan struct{}) {
		process.Wait()
		close(ended)
	}(b.process, b.ended)
	return b.waitUntilItAnswers()
}

func (b *Broker) waitUntilItAnswers() error {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	for {
		brokers, err := b.Admin.ListBrokers(ctx)
		if err == nil && len(brokers) == 1 {
			return nil
		}
		select {
		case <-b.ended:
			text, _ := os.ReadFile(filepath.Join(b.dir, "broker.log"))
			return fmt.Errorf("the broker has ended: %s", text)
		case <-ctx.Done():
			return errors.Join(errors.New("the broker does not answer"), err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// Stop shuts the broker down, and Kill kills it.
func (b *Broker) Stop() { b.end(syscall.SIGTERM) }
func (b *Broker) Kill() { b.end(syscall.SIGKILL) }

func (b *Broker) end(how syscall.Signal) {
	if b.process != nil {
		b.process.Process.Signal(how)
		<-b.ended
		b.process = nil
	}
}

// Pause suspends the broker until Resume: connections stay open, but nothing is answered.
func (b *Broker) Pause()  { b.process.Process.Signal(syscall.SIGSTOP) }
func (b *Broker) Resume() { b.process.Process.Signal(syscall.SIGCONT) }

// Secured returns the address of the listener that requires credentials.
func (b *Broker) Secured() string { return b.secured.Address() }

// Pid returns the process id of the broker.
func (b *Broker) Pid() int { return b.process.Process.Pid }

// Close ends the broker for good, and releases its ports.
func (b *Broker) Close() error {
	if b.Cluster != nil {
		b.Cluster.Close()
	}
	b.Kill()
	return errors.Join(b.listener.Release(), b.secured.Release(), b.controller.Release())
}
