package object

import (
	"fmt"
	"strings"
)

// instead maps URL schemes of other tools to advice.
var instead = map[string]string{
	"s3": inSmall, "gs": inSmall, "http": inSmall, "https": inSmall, "hf": inSmall,
	"s3a": "write s3://", "s3n": "write s3://", "file": "leave file:// out",
	"gcs": "write gs://",
	"az":  inSmall, "azure": inAzure, "abfs": inAzure, "abfss": inAzure, "wasb": inAzure, "wasbs": inAzure,
}

const inSmall = "write it in small letters"

const inAzure = "write az://CONTAINER/PATH, and name the account in AZURE_STORAGE_ACCOUNT"

// CheckScheme returns an error if a path is a URL with an unsupported scheme. A path that is not a
// URL is a file name.
func CheckScheme(path string) error {
	scheme, _, ok := strings.Cut(path, "://")
	if !ok || !isScheme(scheme) || IsRemote(path) {
		return nil
	}
	advice, isKnown := instead[strings.ToLower(scheme)]
	if !isKnown {
		advice = "if its server knows S3, write s3://, and give --s3-endpoint"
	}
	known := ""
	for _, k := range kinds {
		known += k.scheme + "://, "
	}
	return fmt.Errorf("%s: of addresses only %shttps:// and hf:// are known: %s", Name(path), known, advice)
}
