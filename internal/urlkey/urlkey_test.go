package urlkey

import (
	"bytes"
	"fmt"
	"net/netip"
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/publicsuffix"
	"pgregory.net/rapid"

	_ "github.com/mithril-stream/mithril-stream/internal/fixedseed"
)

// equal are URLs of one canonical form each, by the rules of docs/reference/urls.md.
var equal = map[string][]string{
	"example.com": {
		"http://example.com", "https://example.com/", "HTTP://EXAMPLE.COM", "//example.com/", "example.com",
		"http://www.example.com", "http://WWW.example.com.", "https://www.www.example.com",
		"http://example.com:80/",
		"https://example.com:443", "http://example.com:443", "http://example.com:",
		"http://example.com:0080", "http://me:secret@example.com/",
		"http://example.com?", "http://example.com/#top", "http://example.com/?#",
		"http://example.com//", " example.com\n",
		"http://exam\nple.com", "http://example.com/?utm_source=x&utm_medium=y",
		"http://example.com/.", "http://%65xample.com",
		"www.example.com", "example.com:80", "example.com:443", "http://example.com/..",
		"http://example.com/a/..",
	},
	"example.com/a": {
		"http://example.com/a", "https://www.example.com/a/", "http://example.com/%61",
		"http://example.com/./a",
		"http://example.com/b/../a", "http://example.com/b/%2e%2E/a", "http://example.com/a;jsessionid=1F",
		"http://example.com/a?gclid=1&fbclid=2", "http://example.com/a?&", "http://example.com/a?PHPSESSID=7#x",
	},
	"example.com/A": {"http://example.com/A"}, // paths may differ in case
	"example.com/a?a=1&b=2": {
		"http://example.com/a?a=1&b=2", "http://example.com/a?b=2&a=1",
		"http://example.com/a?b=2&UTM_id=1&a=1#f",
		"http://example.com/a/?b=%32&&a=1",
	},
	"example.com/a?x=2&x=1": {"http://example.com/a?x=2&x=1"}, // the order of values may matter
	"example.com/a?q=a%20b": {
		"http://example.com/a?q=a+b", "http://example.com/a?q=a%20b", "http://example.com/a?q=a b",
	},
	"example.com/a%2Fb%2B":  {"http://example.com/a%2fb%2b"},
	"example.com/100%25":    {"http://example.com/100%", "http://example.com/100%25"},
	"example.com/caf%C3%A9": {"http://example.com/café", "http://example.com/caf%c3%a9"},
	"example.com/a;v=1;w=2": {"http://example.com/a;v=1;JSESSIONID=9;w=2"},
	"example.com#!/page":    {"http://example.com/#!/page"},
	"example.com#/page":     {"http://example.com/#/page"},
	"example.com:8080/a":    {"http://example.com:8080/a/", "example.com:8080/a"},
	"xn--bcher-kva.example/x": {
		"http://Bücher.example/x", "http://xn--bcher-kva.example/x", "http://B%C3%BCcher.example/x",
	},
	"xn--fiqs8s.xn--fiqs8s":      {"http://中国。中国/"},
	"strasse.example":            {"http://strasse.example"},
	"xn--strae-oqa.example":      {"http://straße.example"}, // another name than strasse since IDNA 2008
	"m.example.com":              {"https://m.example.com"},
	"www.com":                    {"http://www.com/"},
	"localhost:8080/x":           {"http://localhost:8080/x"},
	"192.0.2.7/x":                {"http://192.0.2.7/x"},
	"[2001:db8::1]:8080/x":       {"http://[2001:DB8:0::1]:8080/x"},
	"ftp://example.com/a":        {"FTP://www.example.com/a/"},
	"example.com/index.html":     {"http://example.com/index.html"},
	"example.com?ref=1":          {"http://example.com/?ref=1"}, // may say which version of a page is meant
	"example.com/a?%26=1&utm=1":  {"http://example.com/a?utm=1&%26=1"},
	"example.co.uk/a?b=http://c": {"https://www.example.co.uk/a/?b=http://c"},
}

func TestCanonicalForms(t *testing.T) {
	w := NewWriter(Canonical)
	for want, urls := range equal {
		for _, url := range urls {
			if got, isURL := w.Append(nil, []byte(url)); string(got) != want || !isURL {
				t.Errorf("%q has the form %q (%v), want %q", url, got, isURL, want)
			}
		}
	}
}

func TestHostsAndDomains(t *testing.T) {
	for url, want := range map[string][2]string{
		"https://www.Example.com:8080/a?b#c": {"example.com", "example.com"},
		"http://news.bbc.co.uk/1":            {"news.bbc.co.uk", "bbc.co.uk"},
		"http://a.b.github.io/x":             {"a.b.github.io", "b.github.io"},
		"http://github.io/":                  {"github.io", "github.io"},
		"http://192.0.2.7:81/":               {"192.0.2.7", "192.0.2.7"},
		"http://[2001:db8::1]/":              {"[2001:db8::1]", "[2001:db8::1]"},
		"http://[::ffff:192.0.2.7]/":         {"[::ffff:192.0.2.7]", "[::ffff:192.0.2.7]"},
		"http://localhost/x":                 {"localhost", "localhost"},
		"https://blog.Bücher.example/x":      {"blog.xn--bcher-kva.example", "xn--bcher-kva.example"},
		"ftp://me@files.example.org/":        {"files.example.org", "example.org"},
		"news.example.com/today":             {"news.example.com", "example.com"},
		"http://city.kawasaki.jp/":           {"city.kawasaki.jp", "city.kawasaki.jp"}, // an exception of the list
	} {
		for i, form := range []Form{Host, Domain} {
			if got, isURL := NewWriter(form).Append(nil, []byte(url)); string(got) != want[i] || !isURL {
				t.Errorf("the %s of %q is %q (%v), want %q", form, url, got, isURL, want[i])
			}
		}
	}
}

func TestValuesThatAreNoURL(t *testing.T) {
	for _, value := range []string{
		"", " ", "none", "12", "a title, with words", "me@example.com", "mailto:me@example.com",
		"urn:isbn:0451450523",
		"http://", "http:///path", "http://a b.com/", "http://exa<mple.com", "http://a..com",
		"http://[::1", "http://[x]/",
		"http://example.com:99999/", "http://example.com:port/", "/a/path", "?q", "#f",
		"C:\\files\\a.txt", "readme.qqqq",
		"co.uk", "1.2.3.4", "http:example.com", "\xff\xfe", "http://\xff.com", "://example.com",
	} {
		for _, form := range []Form{Canonical, Host, Domain} {
			got, isURL := NewWriter(form).Append([]byte("before "), []byte(value))
			if isURL || string(got) != "before "+value {
				t.Errorf("%q is a URL whose %s is %q", value, form, got)
			}
		}
	}
}

func TestFormsOfFields(t *testing.T) {
	for written, want := range map[string]struct {
		field string
		form  Form
	}{
		"url":                  {"url", AsItIs},
		"url:canonical":        {"url", Canonical},
		"meta.url:host":        {"meta.url", Host},
		"/meta/url:domain":     {"/meta/url", Domain},
		"links[].href:domain":  {"links[].href", Domain},
		"url?:domain":          {"url?", Domain},
		"url:domain?":          {"url?", Domain},
		"dc:title":             {"dc:title", AsItIs},
		"dc:host":              {"dc", Host},
		`dc\:host`:             {"dc:host", AsItIs},
		`dc\:host?`:            {"dc:host?", AsItIs},
		"dc:host:host":         {"dc:host", Host},
		":host":                {":host", AsItIs},
		"links[rel=x:host]":    {"links[rel=x:host]", AsItIs},
		"url:Domain":           {"url:Domain", AsItIs},
		"WARC-Target-URI:host": {"WARC-Target-URI", Host},

		"url:canonical{-ref}":            {"url", "canonical{-ref}"},
		"a|b:canonical{ -s*, -Ref,-s* }": {"a|b", "canonical{-ref,-s*}"},
		"url:canonical{-ref}?":           {"url?", "canonical{-ref}"},
		"url?:canonical{-a:b}":           {"url?", "canonical{-a:b}"},
		`url\:canonical{-ref}`:           {"url:canonical{-ref}", AsItIs},
		"url:canonical{}":                {"url:canonical{}", AsItIs},
		"url:canonical{ref}":             {"url:canonical{ref}", AsItIs},
		"url:canonical{-}":               {"url:canonical{-}", AsItIs},
		"url:host{-ref}":                 {"url:host{-ref}", AsItIs},
	} {
		if field, form := Cut(written); field != want.field || form != want.form {
			t.Errorf("%s is the field %q by its %q, want %q by %q", written, field, form, want.field, want.form)
		}
	}
}

func TestOwnParameters(t *testing.T) {
	const url = "http://a.example/p?b=1&Ref=x&sid_1=2&utm_id=3&sid=4&r%C3%A9f=5"
	for form, want := range map[Form]string{
		"canonical":             "a.example/p?Ref=x&b=1&r%C3%A9f=5&sid=4&sid_1=2",
		"canonical{-ref}":       "a.example/p?b=1&r%C3%A9f=5&sid=4&sid_1=2",
		"canonical{-ref,-sid*}": "a.example/p?b=1&r%C3%A9f=5",
		"canonical{-réf,-SID_}": "a.example/p?Ref=x&b=1&sid=4&sid_1=2",
		"canonical{-*}":         "a.example/p",
	} {
		if got, isURL := NewWriter(form).Append(nil, []byte(url)); string(got) != want || !isURL {
			t.Errorf("%s: %s, want %s", form, got, want)
		}
	}
}

// The page that specifies the rules names all parameters that are left out, and no others.
func TestTrackingParametersAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/reference/urls.md")
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(page), "Tracking parameters, in any case:")
	list, _, _ = strings.Cut(list, "`ref`")
	var documented []string
	for i, name := range strings.Split(list, "`") {
		if i%2 == 1 {
			documented = append(documented, name)
		}
	}
	known := slices.Concat(tracking, trackingPrefixes)
	slices.Sort(known)
	slices.Sort(documented)
	if !slices.Equal(documented, known) {
		t.Errorf("documented: %q, known: %q", documented, known)
	}
}

// FuzzForms: whatever the value, a form of a form is that form, a Writer has no memory, and what
// canonical forms have in common, hosts and domains have in common.
func FuzzForms(f *testing.F) {
	for _, urls := range equal {
		for _, url := range urls {
			f.Add([]byte(url))
		}
	}
	f.Add([]byte("http://a/%2e/;jsessionid=;jsessionid=1/../?a&b=&%61#!%"))
	f.Fuzz(func(t *testing.T, value []byte) {
		canonical := NewWriter(Canonical)
		once, isURL := canonical.Append(nil, value)
		if twice, _ := canonical.Append(nil, once); !bytes.Equal(once, twice) {
			t.Fatalf("%q has the form %q, and that has %q", value, once, twice)
		}
		for _, form := range []Form{Host, Domain} {
			w := NewWriter(form)
			of, is := w.Append(nil, value)
			if is != isURL {
				t.Fatalf("%q is a URL for one form, and none for another", value)
			}
			if again, _ := w.Append(nil, value); !bytes.Equal(of, again) {
				t.Fatalf("the %s of %q is %q first, and %q then", form, value, of, again)
			}
			if _, stillURL := w.Append(nil, once); isURL && stillURL {
				if ofOnce, _ := w.Append(nil, once); !bytes.Equal(of, ofOnce) {
					t.Fatalf("the %s of %q is %q, and %q of its canonical form", form, value, of, ofOnce)
				}
			}
		}
	})
}

func BenchmarkCanonical(b *testing.B) {
	url := []byte("https://www.example.com/articles/2024/05/a-title-of-some-words?utm_source=feed&page=2")
	for _, form := range []Form{Canonical, Host, Domain} {
		b.Run(string(form), func(b *testing.B) {
			w, dst := NewWriter(form), []byte(nil)
			b.ReportAllocs()
			for b.Loop() {
				dst, _ = w.Append(dst[:0], url)
			}
		})
	}
}

// BenchmarkHosts asks for a host that is not in the cache, as most are in a crawl whose pages are
// shuffled.
func BenchmarkHosts(b *testing.B) {
	written := make([][]byte, 1<<16)
	for i := range written {
		written[i] = fmt.Appendf(nil, "www.site-%d.%s", i, []string{"com", "co.uk", "de", "github.io"}[i%4])
	}
	var h hosts
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		name, _ := h.nameOf(written[i%len(written)])
		h.domainOf(name)
	}
}

// TestDomainsAgreeWithTheList compares with what the library says, of hosts made of labels that
// have rules, exceptions or wildcards in the list.
func TestDomainsAgreeWithTheList(t *testing.T) {
	labels := strings.Fields("www www a b com co uk ck kawasaki jp city github io 1 2 3 4 blogspot xn--fiqs8s nowhere")
	rapid.Check(t, func(t *rapid.T) {
		written := strings.Join(rapid.SliceOfN(rapid.SampledFrom(labels), 1, 6).Draw(t, "labels"), ".")
		name := strings.ToLower(written)
		suffix, byICANN := publicsuffix.PublicSuffix(name)
		isListed := len(suffix) < len(name) && (byICANN || strings.Contains(suffix, "."))
		for strings.HasPrefix(name, "www.") && strings.Contains(name[4:], ".") {
			name = name[4:]
		}
		domain := name
		if _, err := netip.ParseAddr(name); err != nil {
			if of, err := publicsuffix.EffectiveTLDPlusOne(name); err == nil {
				domain = of
			}
		}
		var h hosts
		for range 2 { // looked up, and kept
			all, _ := h.nameOf([]byte(written))
			host, of, listed := string(withoutWWW(all)), string(h.domainOf(all)), h.isListed(all)
			if listed != isListed || host != name || of != domain {
				t.Fatalf("%s: listed %v, %s of %s; the library says %v, %s of %s", written, listed, host, of,
					isListed, name, domain)
			}
		}
	})
}

// TestManyHosts checks that the cache never confuses two hosts, however many there are.
func TestManyHosts(t *testing.T) {
	for _, form := range []Form{Canonical, Host, Domain} {
		w := NewWriter(form)
		for i := range 20_000 {
			url := fmt.Appendf(nil, "%sa%d.b%d.co.uk/c", []string{"https://WWW.", "http://", "www."}[i%3], i%5000, i%7)
			if i%5 == 0 {
				url = append(url[:bytes.IndexByte(url, 'a')], bytes.Repeat([]byte("long."), 12+i%3)...)
			}
			got, isURL := w.Append(nil, url)
			want, wantURL := NewWriter(form).Append(nil, url)
			if !bytes.Equal(got, want) || isURL != wantURL {
				t.Fatalf("the %s of %s is %q, %v beside other hosts, and %q, %v alone", form, url, got, isURL,
					want, wantURL)
			}
		}
	}
}
