package markup

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestFrameIsRemoved(t *testing.T) {
	text := "<h1>Bees</h1><p>A bee that comes home dances, and the others read the way from its dance.</p>"
	for _, part := range []string{
		"<nav>%s</nav>", "<header>%s</header>", "<footer>%s</footer>", "<aside>%s</aside>",
		"<div role=navigation>%s</div>", "<div role=Banner>%s</div>", "<ul role=menu><li>%s</ul>",
		"<div class='side sidebar-left'>%s</div>", "<div class=related-posts>%s</div>",
		"<ul class=breadcrumbs><li>%s</ul>",
		"<div id=footer>%s</div>", "<div id=left_nav>%s</div>", "<ul id=menu-2><li>%s</ul>",
	} {
		for _, page := range []string{fmt.Sprintf(part, "elsewhere") + text, text + fmt.Sprintf(part, "elsewhere")} {
			if got := extract(t, "html", page); strings.Contains(got, "elsewhere") || !strings.Contains(got, "dances") {
				t.Errorf("%s gives %q", page, got)
			}
		}
	}
	for _, part := range []string{
		"<section id=related-work><p>%s</section>", "<div id=protocol>%s</div>",
		"<div class=main-menu-content>%s</div>",
		"<div class=has-sidebar>%s</div>", "<div id=page class=header-fixed>%s</div>", "<main role=main>%s</main>",
		"<article class=comment>%s</article>", "<pre class=banner>%s</pre>",
	} {
		page := fmt.Sprintf("<nav>menu</nav>"+part, text)
		if got := extract(t, "html", page); strings.Contains(got, "menu") || !strings.Contains(got, "dances") {
			t.Errorf("%s gives %q", page, got)
		}
	}
}

// TestUnlikePages has pages of one site that are lists, tables or a single sentence: what they have
// in common, such as a long notice of copyright, must not stand for their contents.
func TestUnlikePages(t *testing.T) {
	notice := "Copyright 1997, 2026, The Example Foundation. This page is licensed under the licence of the " +
		"Foundation, version 2. Examples, recipes, and other code in the documentation are under the Zero Clause " +
		"licence. See History and License for more information. The Foundation is a non-profit corporation. Please " +
		"donate. Last updated on May 3, 2026. Found a bug? Created using a generator of pages, version 7, by many " +
		"people, in their spare time, over many years, for everyone who reads, writes, or translates it."
	rng := rand.New(rand.NewPCG(1, 2))
	words := func(n int) string {
		var s strings.Builder
		for range n {
			fmt.Fprintf(&s, "w%d ", rng.IntN(1e6))
		}
		return s.String()
	}
	list := func(item string, n int) string {
		var s strings.Builder
		for range n {
			fmt.Fprintf(&s, item, words(3))
		}
		return s.String()
	}
	for name, body := range map[string]func() string{
		"index":    func() string { return "<h1>Index</h1><ul>" + list("<li><a href=x>%s</a>", 150) + "</ul>" },
		"contents": func() string { return "<h1>Contents</h1><dl>" + list("<dt><a href=x>%s</a>", 40) + "</dl>" },
		"table":    func() string { return "<table>" + list("<tr><td><a href=x>%s</a><td>1", 60) + "</table>" },
		"sentence": func() string { return "<h1>Uses of a class</h1>No usage of " + words(4) },
	} {
		for _, footer := range []string{"<div class=footer>%s</div>", "<footer>%s</footer>", "<p>%s</p>", "<hr>%s"} {
			var got [2]string
			for i := range got {
				own := body()
				page := "<html><body><nav><a href=/>Home</a></nav><div class=body>" + own + "</div>" +
					fmt.Sprintf(footer, notice) + "</body></html>"
				got[i] = extract(t, "html", page)
				seen, found := strings.Fields(extract(t, "html-text", own)), 0
				for _, word := range seen {
					if strings.Contains(got[i], word) {
						found++
					}
				}
				if 4*found < 3*len(seen) && name != "sentence" || found == 0 {
					t.Errorf("%s, %s: %d words of %d in %.200q", name, footer, found, len(seen), got[i])
				}
			}
			if got[0] == got[1] && !(name == "sentence" && strings.HasPrefix(footer, "<p>")) {
				t.Errorf("%s, %s: unlike pages give %.200q", name, footer, got[0])
			}
		}
	}
}

// TestVariants has articles in the templates of several sites: menus, teasers and notices that
// differ.
func TestVariants(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	sentence := func() string {
		var s []string
		for range 8 + rng.IntN(12) {
			s = append(s, fmt.Sprintf("w%d", rng.IntN(5000)))
		}
		return "It is so that " + strings.Join(s, " ") + ", as they say. "
	}
	links := func(n int, item string) string {
		var s strings.Builder
		for range n {
			fmt.Fprintf(&s, item, fmt.Sprintf("<a href=/%d>topic %d</a>", rng.IntN(1e6), rng.IntN(1e6)))
		}
		return s.String()
	}
	teasers := func(n int) (s string) {
		for range n {
			s += "<h4><a href=x>" + sentence() + "</a></h4><p>" + sentence() + "</p>"
		}
		return s
	}
	templates := map[string]func(string, int) string{
		"elements": func(article string, n int) string {
			return "<header><nav><ul>" + links(n, "<li>%s") + "</ul></nav></header><main><article>" + article +
				"</article></main><aside>" + teasers(n/20) + "</aside><footer><p>" + sentence() + links(5, "%s ") +
				"</footer>"
		},
		"roles": func(article string, n int) string {
			return "<div role=navigation>" + links(n, "<span>%s</span>") + "</div><div role=main>" + article +
				"</div><div role=complementary>" + teasers(n/20) + "</div><div role=contentinfo>" + sentence() +
				"</div>"
		},
		"classes": func(article string, n int) string {
			return "<div id=top-menu>" + links(n/2, "%s | ") + "</div><div class=wrap><div class=sidebar><ul>" +
				links(n/2, "<li>%s") + "</ul></div><div class=post>" + article + "</div><div class=related-posts>" +
				teasers(n/20) + "</div></div><div id=footer>" + sentence() + "</div>"
		},
	}
	for _, length := range []int{2, 5, 30} { // paragraphs; the shortest is a news item
		for range 5 {
			article := "<h1>" + sentence() + "</h1>"
			for range length {
				article += "<p>" + sentence() + sentence() + "</p>"
			}
			want := extract(t, "html-text", article)
			for name, template := range templates {
				for _, n := range []int{8, 40, 200} {
					got := extract(t, "html", "<html><title>x</title><body>"+template(article, n)+"</body></html>")
					if strings.Join(strings.Fields(got), " ") != strings.Join(strings.Fields(want), " ") {
						t.Errorf("%d paragraphs in %s with %d links give\n%q\nnot\n%q", length, name, n, got, want)
					}
				}
			}
		}
	}
}

func TestVersion(t *testing.T) {
	for name, want := range map[string]int{"none": 1, "html-text": 1, "markdown": 1, "html": 2, "auto": 2} {
		if got := Version(name); got != want {
			t.Errorf("%s has version %d, not %d", name, got, want)
		}
	}
}
