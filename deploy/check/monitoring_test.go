package check

import (
	"encoding/json"
	"log/slog"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"

	"github.com/mithril-stream/mithril-stream/internal/kafka"
)

// exported are the metrics of a consumer, with the labels of each.
func exported(t *testing.T) map[string][]string {
	t.Helper()
	descriptions := make(chan *prometheus.Desc, 1000)
	kafka.NewMetrics("g", "t", "v").Registry.Describe(descriptions)
	close(descriptions)
	form := regexp.MustCompile(`fqName: "([a-z_]+)".*constLabels: \{(.*)\}, variableLabels: \{(.*)\}`)
	metrics := map[string][]string{"up": nil}
	for d := range descriptions {
		parts := form.FindStringSubmatch(d.String())
		if parts == nil {
			t.Fatalf("%s is not understood", d)
		}
		metrics[parts[1]] = regexp.MustCompile(`[a-z_]+`).FindAllString(
			regexp.MustCompile(`="[^"]*"`).ReplaceAllString(parts[2], "")+" "+parts[3], -1)
	}
	if len(metrics) < 10 {
		t.Fatalf("only %d metrics are found", len(metrics))
	}
	return metrics
}

// checkExpression expects that an expression asks for metrics and labels that there are.
func checkExpression(t *testing.T, metrics map[string][]string, expression string) {
	t.Helper()
	parsed, err := parser.NewParser(parser.Options{}).ParseExpr(expression)
	if err != nil {
		t.Errorf("%s: %v", expression, err)
		return
	}
	asked := 0
	parser.Inspect(parsed, func(node parser.Node, _ []parser.Node) error {
		selector, ok := node.(*parser.VectorSelector)
		if !ok {
			return nil
		}
		asked++
		known, exists := metrics[strings.TrimSuffix(selector.Name, "_bucket")]
		if !exists {
			t.Errorf("%s: there is no metric %s", expression, selector.Name)
		}
		for _, m := range selector.LabelMatchers {
			if m.Name != model.MetricNameLabel && m.Name != "job" && !slices.Contains(known, m.Name) {
				t.Errorf("%s: %s has no label %s", expression, selector.Name, m.Name)
			}
			verdicts := []string{"unseen", "duplicate", "empty", "unreadable"}
			if m.Name == "verdict" && !slices.Contains(verdicts, m.Value) {
				t.Errorf("%s: no record has the verdict %s", expression, m.Value)
			}
		}
		return nil
	})
	if asked == 0 {
		t.Errorf("%s asks for nothing", expression)
	}
}

func TestAlerts(t *testing.T) {
	metrics := exported(t)
	groups, errs := rulefmt.ParseFile("../alerts.yaml", false, model.UTF8Validation,
		parser.NewParser(parser.Options{}), slog.New(slog.DiscardHandler))
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	label := regexp.MustCompile(`\$labels\.([a-z]+)`)
	count := 0
	for _, group := range groups.Groups {
		for _, rule := range group.Rules {
			count++
			checkExpression(t, metrics, rule.Expr)
			says := []string{rule.Labels["severity"], rule.Annotations["summary"], rule.Annotations["description"]}
			if slices.Contains(says, "") {
				t.Errorf("%s says neither how severe it is nor what to do", rule.Alert)
			}
			for _, used := range label.FindAllStringSubmatch(rule.Annotations["summary"], -1) {
				if !slices.Contains([]string{"instance", "group", "topic", "partition"}, used[1]) {
					t.Errorf("%s names the label %s", rule.Alert, used[1])
				}
			}
		}
	}
	if count < 5 {
		t.Errorf("there are %d alerts", count)
	}
}

func TestDashboard(t *testing.T) {
	text, err := os.ReadFile("../dashboard.json")
	if err != nil {
		t.Fatal(err)
	}
	var dashboard struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
			GridPos struct{ X, Y, W, H int }
		}
	}
	if err := json.Unmarshal(text, &dashboard); err != nil {
		t.Fatal(err)
	}
	metrics, shown := exported(t), ""
	places := map[[2]int]string{}
	for _, p := range dashboard.Panels {
		place := [2]int{p.GridPos.X, p.GridPos.Y}
		if places[place] != "" {
			t.Errorf("%s is where %s is", p.Title, places[place])
		}
		places[place] = p.Title
		if len(p.Targets) == 0 {
			t.Errorf("%s shows nothing", p.Title)
		}
		for _, target := range p.Targets {
			// what Grafana puts in place of its variables
			expression := strings.NewReplacer("$__rate_interval", "5m", "$group", "dedup").Replace(target.Expr)
			checkExpression(t, metrics, expression)
			shown += expression
		}
	}
	for name := range metrics {
		own := strings.HasPrefix(name, "mithril_stream_")
		exempt := slices.Contains([]string{"mithril_stream_build_info", "mithril_stream_index_records",
			"mithril_stream_index_capacity_records"}, name) // the panel of the index shows their ratio
		if own && !exempt && !strings.Contains(shown, name) {
			t.Errorf("no panel shows %s", name)
		}
	}
	for _, variable := range []string{"datasource", "group"} {
		if !strings.Contains(string(text), `"name": "`+variable+`"`) {
			t.Errorf("there is no variable %s", variable)
		}
	}
}

// TestTheUnitStops where another start does not help.
func TestTheUnitStops(t *testing.T) {
	text, err := os.ReadFile("../mithril-stream-kafka.service")
	if err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`(?m)^RestartPreventExitStatus=2 78$`).Match(text) {
		t.Error("it starts a consumer again whose configuration must be changed")
	}
}
