package hub

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

const defaultEndpoint = "https://huggingface.co"

// maxToken bounds the file of a token, in bytes. One has some 40.
const maxToken = 4 << 10

// readEndpoint is where the Hub is: HF_ENDPOINT, or its own address.
func readEndpoint() (*url.URL, error) {
	at, err := url.Parse(strings.TrimRight(cmp.Or(os.Getenv("HF_ENDPOINT"), defaultEndpoint), "/"))
	if err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https" || at.RawQuery != "" {
		return nil, errors.New("HF_ENDPOINT is no address of a server: write it as in " + defaultEndpoint)
	}
	return at, nil
}

// readToken is the token of the user, where the Hub's own tools have it: in HF_TOKEN, or in a file.
// It is empty if there is none: then only what is public can be read. from says where it was found.
func readToken() (token, from string, err error) {
	from = "HF_TOKEN"
	if token = strings.TrimSpace(os.Getenv(from)); token == "" {
		if from = tokenPath(); from == "" {
			return "", "", nil
		}
		if token, err = readSmall(from); errors.Is(err, fs.ErrNotExist) {
			return "", "", nil
		} else if err != nil {
			return "", "", fmt.Errorf("read the token of the Hub: %w", err)
		}
		token = strings.TrimSpace(token)
	}
	if strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", "", fmt.Errorf("what is in %s is no token of the Hub: it has letters and digits alone", from)
	}
	return token, from, nil
}

// tokenPath is the file into which the Hub's own tools write the token; empty if it is not known
// where the user's files are.
func tokenPath() string {
	if path := os.Getenv("HF_TOKEN_PATH"); path != "" {
		return path
	}
	home := os.Getenv("HF_HOME")
	if home == "" {
		caches := os.Getenv("XDG_CACHE_HOME")
		if caches == "" {
			user, err := os.UserHomeDir()
			if err != nil {
				return ""
			}
			caches = filepath.Join(user, ".cache")
		}
		home = filepath.Join(caches, "huggingface")
	}
	return filepath.Join(home, "token")
}

func readSmall(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxToken+1))
	if err == nil && len(text) > maxToken {
		err = fmt.Errorf("%s has more than %d bytes, which no token has", path, maxToken)
	}
	return string(text), err
}
