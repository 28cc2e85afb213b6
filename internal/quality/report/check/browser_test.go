//go:build integration

package check

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/mithril-stream/mithril-stream/internal/quality/eval"
	"github.com/mithril-stream/mithril-stream/internal/quality/report"
	"github.com/mithril-stream/mithril-stream/sketch"
)

// hostile texts try to become markup or script. If one does, it sets window.taken or asks for
// something.
var hostile = []string{
	`<script>window.taken = 1</script>`,
	`</script><script>window.taken = 2</script>`,
	`<img src=x onerror="window.taken=3">`,
	`"><svg onload=window.taken=4><rect width='`,
	`' onmouseover='window.taken=5`,
	`</div></main><style>* { display: none }</style><base href=https://example.org/>`,
	`<meta http-equiv=refresh content="0;url=https://example.org/">`,
	`<!-- <link rel=stylesheet href=https://example.org/x.css>`,
	"{{.Command}} ${window.taken=6} \u2028window.taken=7\u2028",
	"\u202eright to left\u202e\x00\x1b[31m\xff\xfe",
	`<a href="javascript:window.taken=8">x</a><iframe srcdoc="<script>parent.taken=9</script>"></iframe>`,
	strings.Repeat("wide", 900),
}

// hostilePage is a report in which hostile texts stand wherever records have a say.
func hostilePage(t *testing.T) (path string) {
	t.Helper()
	c := report.Collector{Fields: hostile[:2], Threshold: .85, Originals: true}
	for i := range 1000 {
		text := hostile[i/2%len(hostile)]
		r := report.Record{
			Number: uint64(i + 1), Input: text, At: uint64(i + 1), Text: []byte(text),
			ID:     []byte(fmt.Sprintf("%q", text)),
			Fields: [][]byte{[]byte(fmt.Sprintf("%q", text)), []byte(text)},
		}
		if i%2 == 1 {
			r.Removed, r.Original, r.Similarity = true, uint64(i), .85+float64(i%15)/100
			r.Text = []byte(text + " more " + text)
		}
		c.Add(&r)
	}
	run := report.Run{
		Origin: report.Origin{Command: hostile[0], Version: hostile[2]}, Repeats: hostile[1],
		Records: 1000, Kept: 500, Removed: 500,
		Parameters: []report.Parameter{{Name: hostile[3], Value: hostile[4]}}, Notes: hostile[5:7],
		Similar: report.Histogram{Source: hostile[1]}, CurveNote: hostile[0],
		Words: report.Words{
			Headline: hostile[6], Counted: hostile[7], Left: hostile[8], Right: hostile[0], To: hostile[2],
		},
		Figures: []report.Figure{{Value: hostile[3], Label: hostile[1], Class: hostile[4]}},
		Lists: []report.List{{Title: hostile[0], About: hostile[1], Columns: hostile[2:4], Rows: []report.ListRow{
			{Text: hostile[10], Cells: hostile[5:6]}, {Text: hostile[11], Cells: hostile[9:10]},
		}}},
	}
	for i := range 101 {
		x := float64(i) / 100
		run.Curve = append(run.Curve, report.Point{Similarity: x, Probability: x * x})
	}
	c.Fill(&run, func(n uint64) string { return hostile[n%uint64(len(hostile))] })
	var b bytes.Buffer
	if err := run.Write(&b); err != nil {
		t.Fatal(err)
	}
	if b.Len() > 2<<20 {
		t.Errorf("the page has %d bytes", b.Len())
	}
	path = filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// open starts a browser with an empty profile.
func open(t *testing.T) context.Context {
	t.Helper()
	program := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			program = found
			break
		}
	}
	if program == "" {
		if os.Getenv("CI") != "" {
			t.Fatal("there is no browser: install chromium")
		}
		t.Skip("there is no browser: install chromium")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.NoSandbox,
		chromedp.DisableGPU, chromedp.NoFirstRun, chromedp.UserDataDir(t.TempDir()),
		chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-sync", true))
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(func() {
		chromedp.Cancel(ctx) // it waits until the browser has ended, which writes its profile till then
		cancel()
	})
	return ctx
}

// events are what a page should not cause.
type events struct {
	sync.Mutex
	list []string
}

func (e *events) listen(ctx context.Context) error {
	return chromedp.Listen(ctx, func(event any) {
		said := ""
		switch v := event.(type) {
		case *runtime.EventExceptionThrown:
			said = v.ExceptionDetails.Text
		case *runtime.EventConsoleAPICalled:
			said = "console: " + string(v.Type)
		case *log.EventEntryAdded:
			said = "log: " + v.Entry.Text
		case *network.EventRequestWillBeSent:
			if !strings.HasPrefix(v.Request.URL, "file:") || !strings.HasSuffix(v.Request.URL, "/report.html") {
				said = "request: " + v.Request.URL
			}
		}
		if said != "" {
			e.Lock()
			e.list = append(e.list, said)
			e.Unlock()
		}
	})
}

// state is what a page says of itself.
type state struct {
	Taken, Width, Canvases, Inked, Scripts, Articles, Marks int
	Cut                                                     int // plots with ink at their edge, where a label ends
	Beyond                                                  int // columns that one has to scroll to
	Found, Again, Least                                     int // examples that a search leaves; all; in order
	Milliseconds                                            float64
	Hidden                                                  bool
}

const look = `(() => {
	const ink = [...document.querySelectorAll("canvas")].map(c => {
		const all = new Uint32Array(c.getContext("2d").getImageData(0, 0, c.width, c.height).data.buffer);
		return {any: all.some(x => x !== 0), edge: all.some((x, i) => x !== 0 && i % c.width >= c.width - 2)};
	});
	const form = document.querySelector(".filter"), visible = () => [...document.querySelectorAll("article")]
		.filter(a => a.getBoundingClientRect().height > 0);
	const say = (name, value, type) => {
		form.elements[name].value = value;
		form.elements[name].dispatchEvent(new Event(type, {bubbles: true}));
		return visible().length;
	};
	const found = form ? say("search", "RIGHT to left", "input") : 0, again = form ? say("search", "", "input") : 0;
	if (form) { say("order", "up", "change"); }
	const likeness = visible().map(a => +a.dataset.similarity);
	const timing = performance.getEntriesByType("navigation")[0];
	return {
		Taken: window.taken || 0, Width: document.documentElement.scrollWidth,
		Canvases: document.querySelectorAll("canvas").length, Inked: ink.filter(i => i.any).length,
		Cut: ink.filter(i => i.edge).length,
		Beyond: [...document.querySelectorAll("th")].filter(h => h.getBoundingClientRect().right > innerWidth).length,
		Scripts: document.querySelectorAll("script").length, Articles: document.querySelectorAll("article").length,
		Marks: document.querySelectorAll("ins").length, Milliseconds: timing.loadEventEnd,
		Found: found, Again: again, Least: likeness.filter((s, i) => i > 0 && s >= likeness[i - 1]).length,
		Hidden: getComputedStyle(document.querySelector("h1")).display === "none",
	};
})()`

func TestIntegrationPage(t *testing.T) {
	visit(t, hostilePage(t), 3, func(t *testing.T, now state) {
		if now.Articles != 48 || now.Marks == 0 {
			t.Errorf("%d records are shown with %d marks", now.Articles, now.Marks)
		}
		if now.Found == 0 || now.Found >= 24 || now.Again != 48 {
			t.Errorf("a search finds %d of %d records", now.Found, now.Again)
		}
		if now.Least != 47 {
			t.Errorf("of 47 records %d are no less similar than the one before, in ascending order", now.Least)
		}
	})
}

// TestIntegrationEval opens the page of a comparison of methods.
func TestIntegrationEval(t *testing.T) {
	visit(t, evalPage(t), 15, func(t *testing.T, now state) {
		if now.Beyond > 0 {
			t.Errorf("%d columns are outside of the screen", now.Beyond)
		}
	})
}

// evalPage is a comparison of a few settings, with hostile texts where it takes any.
func evalPage(t *testing.T) (path string) {
	t.Helper()
	var texts [][]byte
	var labels []string
	for i := range 300 {
		texts = append(texts, fmt.Appendf(nil, "%d %d %d some words that all of them have", i%150, i%150*7, i%150*13))
		labels = append(labels, fmt.Sprint(i%150))
	}
	e := eval.Evaluator{Text: sketch.Default(), NewSketcher: sketch.New, FPRate: 1e-8}
	corpus := eval.ByCluster(texts, labels)
	found, err := e.Compare(t.Context(), corpus, corpus, eval.Grid{
		Methods: []string{"lshbloom", "votes", "dclm", "equal"}, Thresholds: []float64{.4, .8}, NumPerms: []int{32, 64},
		NGrams: []int{1, 3},
	}, 2, func(int, int) {})
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "report.html")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	page := eval.Page{Findings: found, Truth: hostile[0], Notes: hostile,
		Origin: report.Origin{Command: hostile[1], Version: hostile[2]}}
	if err := errors.Join(page.Write(file), file.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

// visit opens a page on several screens and prints it. It must have so many plots, and more may be
// wanted of it.
func visit(t *testing.T, path string, plots int, more func(t *testing.T, now state)) {
	ctx := open(t)
	var seen events
	if err := seen.listen(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := chromedp.Call(ctx, log.Enable, cdp.Empty{}); err != nil {
		t.Fatal(err)
	}
	if _, err := chromedp.Call(ctx, network.Enable, network.EnableParams{}); err != nil {
		t.Fatal(err)
	}
	for _, screen := range []struct {
		name          string
		width, height int64
		dark          string
	}{{"light", 1200, 1600, "light"}, {"dark", 1200, 1600, "dark"}, {"narrow", 400, 1600, "light"}} {
		t.Run(screen.name, func(t *testing.T) {
			if _, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
				Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: screen.dark}},
			}); err != nil {
				t.Fatal(err)
			}
			if err := chromedp.Do(ctx, chromedp.EmulateViewport(screen.width, screen.height),
				chromedp.Navigate("file://"+path)); err != nil {
				t.Fatal(err)
			}
			now, err := chromedp.Run(ctx, chromedp.Evaluate[state](look))
			if err != nil {
				t.Fatal(err)
			}
			if now.Taken != 0 || now.Hidden || now.Scripts != 2 {
				t.Errorf("a text has become script or markup: %+v", now)
			}
			if now.Canvases != plots || now.Inked != plots {
				t.Errorf("%d plots, of which %d show something: want %d", now.Canvases, now.Inked, plots)
			}
			if now.Cut > 0 {
				t.Errorf("%d plots have a label that is cut", now.Cut)
			}
			more(t, now)
			if now.Width > int(screen.width) {
				t.Errorf("the page is %d wide on a screen of %d", now.Width, screen.width)
			}
			if now.Milliseconds > 1000 {
				t.Errorf("the page has taken %.0f ms to open", now.Milliseconds)
			}
			if dir := os.Getenv("SCREENSHOTS"); dir != "" {
				shot, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
				if err != nil {
					t.Fatal(err)
				}
				name := strings.ReplaceAll(t.Name(), "/", "-") + ".png"
				if err := os.WriteFile(filepath.Join(dir, name), shot, 0o666); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
	t.Run("printed", func(t *testing.T) {
		pdf, err := chromedp.Run(ctx, chromedp.PrintToPDF())
		if err != nil || !bytes.HasPrefix(pdf, []byte("%PDF-")) {
			t.Errorf("printed to %d bytes: %v", len(pdf), err)
		}
	})
	seen.Lock()
	defer seen.Unlock()
	for _, event := range seen.list {
		t.Error(event)
	}
}

// TestIntegrationPolicy makes sure that the policy is in force: a script of another hash does not
// run.
func TestIntegrationPolicy(t *testing.T) {
	path := hostilePage(t)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text = bytes.Replace(text, []byte("</main>"), []byte("<script>window.taken = 1</script></main>"), 1)
	if err := os.WriteFile(path, text, 0o666); err != nil {
		t.Fatal(err)
	}
	ctx := open(t)
	if err := chromedp.Do(ctx, chromedp.Navigate("file://"+path)); err != nil {
		t.Fatal(err)
	}
	now, err := chromedp.Run(ctx, chromedp.Evaluate[state](look))
	if err != nil {
		t.Fatal(err)
	}
	if now.Taken != 0 || now.Scripts != 3 {
		t.Errorf("a script that is not ours has run: %+v", now)
	}
}
