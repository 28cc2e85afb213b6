package object

import (
	"fmt"
	"strings"
)

// instead says how to name what is at addresses that other tools know.
var instead = map[string]string{
	"s3": "write s3:// in small letters", "http": "write it in small letters", "https": "write it in small letters",
	"s3a": "write s3://", "s3n": "write s3://", "file": "leave file:// out",
	"gs": "write s3://, and give --s3-endpoint https://storage.googleapis.com",
	"hf": "write it in small letters",
	"az": azure, "abfs": azure, "abfss": azure, "wasb": azure, "wasbs": azure,
}

const azure = "write the address of the file, as in https://ACCOUNT.blob.core.windows.net/CONTAINER/FILE, with its " +
	"signature"

// CheckScheme returns an error for an address that is of no kind that can be read. What is no
// address is the name of a file.
func CheckScheme(path string) error {
	scheme, _, ok := strings.Cut(path, "://")
	if !ok || !isScheme(scheme) || IsRemote(path) {
		return nil
	}
	advice, known := instead[strings.ToLower(scheme)]
	if !known {
		advice = "if its server knows S3, write s3://, and give --s3-endpoint"
	}
	return fmt.Errorf("%s: of addresses only s3://, https:// and hf:// are known: %s", Name(path), advice)
}
