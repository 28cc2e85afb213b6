package azure

import (
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
)

// Environment variables that Azure's own tools use too.
const (
	connectionVariable = "AZURE_STORAGE_CONNECTION_STRING"
	accountVariable    = "AZURE_STORAGE_ACCOUNT"
	keyVariable        = "AZURE_STORAGE_KEY"
	signatureVariable  = "AZURE_STORAGE_SAS_TOKEN"
)

// An account is a storage account with the credentials that the environment gives: a key, or a
// shared access signature, which is a query, or neither.
type account struct {
	endpoint  string
	name, key string
	signature string
	advice    string // what to check if access is denied
}

// findAccount reads the account from the environment. Errors do not quote values, which may be
// misplaced secrets.
func findAccount() (account, error) {
	if text := os.Getenv(connectionVariable); text != "" {
		return readConnection(text)
	}
	name := strings.TrimSpace(os.Getenv(accountVariable))
	switch {
	case name == "":
		return account{}, fmt.Errorf("the account is not known: name it in %s, or give a %s", accountVariable,
			connectionVariable)
	case !isName(name):
		return account{}, fmt.Errorf("%s is not the name of an account, which has only lower-case letters and "+
			"digits; an address, or that of another cloud, goes into %s, as BlobEndpoint=https://…", accountVariable,
			connectionVariable)
	}
	return account{endpoint: "https://" + name + ".blob.core.windows.net", name: name}.
		with(os.Getenv(keyVariable), keyVariable, os.Getenv(signatureVariable), signatureVariable)
}

func isName(s string) bool {
	return strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789") == ""
}

// readConnection parses a connection string as shown by the portal: fields separated by semicolons.
func readConnection(text string) (account, error) {
	fields := map[string]string{}
	for field := range strings.SplitSeq(strings.Trim(text, "; \t\r\n"), ";") {
		name, value, ok := strings.Cut(field, "=")
		if !ok {
			return account{}, fmt.Errorf("%s is no connection string: copy it as the portal of Azure shows it, in "+
				"quotes", connectionVariable)
		}
		fields[strings.ToLower(strings.TrimSpace(name))] = strings.TrimSpace(value)
	}
	a := account{endpoint: fields["blobendpoint"], name: fields["accountname"]}
	if a.endpoint == "" {
		protocol := cmp.Or(fields["defaultendpointsprotocol"], "https")
		suffix := cmp.Or(fields["endpointsuffix"], "core.windows.net")
		a.endpoint = protocol + "://" + a.name + ".blob." + suffix
		if a.name == "" {
			return account{}, fmt.Errorf("%s names no account: it needs AccountName, or BlobEndpoint",
				connectionVariable)
		}
	}
	at, err := url.Parse(a.endpoint)
	if err != nil || at.Scheme != "http" && at.Scheme != "https" || at.Host == "" || at.User != nil ||
		at.RawQuery != "" || at.Fragment != "" {
		return account{}, fmt.Errorf("%s names no server: write it as "+
			"BlobEndpoint=https://ACCOUNT.blob.core.windows.net", connectionVariable)
	}
	a.endpoint = strings.TrimSuffix(at.String(), "/")
	return a.with(fields["accountkey"], "AccountKey of "+connectionVariable, fields["sharedaccesssignature"],
		"SharedAccessSignature of "+connectionVariable)
}

// with adds a key or, without a key, a signature.
func (a account) with(key, keyFrom, signature, signatureFrom string) (account, error) {
	switch {
	case key != "":
		if _, err := base64.StdEncoding.DecodeString(key); err != nil || a.name == "" {
			return account{}, fmt.Errorf("the %s cannot be used: it is base64, as the portal of Azure shows it, and "+
				"needs the name of the account", keyFrom)
		}
		a.key, a.advice = key, "check that the "+keyFrom+" is one of this account, and that the clock is right"
	case signature != "":
		query, err := url.ParseQuery(strings.TrimPrefix(strings.TrimSpace(signature), "?"))
		if err != nil || query.Get("sig") == "" {
			return account{}, errors.New("the " + signatureFrom + " is no shared access signature: copy it as the " +
				"portal of Azure shows it, with sig=, in quotes")
		}
		a.signature = query.Encode()
		a.advice = "check what the " + signatureFrom + " allows, and until when"
	}
	return a, nil
}
