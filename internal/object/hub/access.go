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

// maxToken bounds the file of a token, in bytes. A token has some 40.
const maxToken = 4 << 10

// readEndpoint returns the URL of the Hub: HF_ENDPOINT, or the default.
func readEndpoint() (*url.URL, error) {
	at, err := url.Parse(strings.TrimRight(cmp.Or(os.Getenv("HF_ENDPOINT"), defaultEndpoint), "/"))
	if err != nil || at.Host == "" || at.Scheme != "http" && at.Scheme != "https" || at.RawQuery != "" {
		return nil, errors.New("HF_ENDPOINT is no address of a server: write it as in " + defaultEndpoint)
	}
	return at, nil
}

// readToken returns the user's token, from where the Hub's own tools look for it: HF_TOKEN, or a
// file. from says where it was found. Without a token, which is not an error, only public datasets
// can be read.
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

// tokenPath returns the file in which the Hub's own tools store the token, or "" if the home
// directory is unknown.
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
