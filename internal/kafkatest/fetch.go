package kafkatest

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// Version is the release of Apache Kafka to run, by default or from KAFKA_VERSION.
var Version = cmp.Or(os.Getenv("KAFKA_VERSION"), "4.1.0")

var pom = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>mithril-stream</groupId><artifactId>broker</artifactId><version>1</version><packaging>pom</packaging>
  <dependencies>
    <dependency><groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId><version>` + Version + `</version></dependency>
  </dependencies>
</project>
`

// fetch returns the directory with the broker's class files.
func fetch() (string, error) {
	return cached("kafka-"+Version, func(work, classes string) error {
		if err := os.WriteFile(filepath.Join(work, "pom.xml"), []byte(pom), 0o666); err != nil {
			return err
		}
		mvn := exec.Command("mvn", "-q", "-B", "-f", filepath.Join(work, "pom.xml"), "dependency:copy-dependencies",
			"-DincludeScope=runtime", "-DoutputDirectory="+classes)
		if out, err := mvn.CombinedOutput(); err != nil {
			return fmt.Errorf("fetch Apache Kafka %s: %w: %s", Version, err, out)
		}
		return nil
	})
}

// cached returns a directory in the user's cache. If it does not exist, do makes it in a directory
// for its work.
func cached(name string, do func(work, dir string) error) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	cache = filepath.Join(cache, "mithril-stream")
	if err := os.MkdirAll(cache, 0o777); err != nil {
		return "", err
	}
	lock, err := os.Create(filepath.Join(cache, "kafka.lock"))
	if err != nil {
		return "", err
	}
	defer lock.Close()
	// released when the file is closed
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return "", err
	}
	dir := filepath.Join(cache, name)
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	work, err := os.MkdirTemp(cache, "making-*")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(work)
	made := filepath.Join(work, "made")
	if err := do(work, made); err != nil {
		return "", err
	}
	return dir, os.Rename(made, dir)
}
