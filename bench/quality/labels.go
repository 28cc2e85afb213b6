package main

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/mithril-stream/mithril-stream/bench/harness/markdown"
)

type labelsCommand struct {
	input
	verdicts
	Labels string `required:"" placeholder:"FILE" help:"Tab-separated, with a head line: id, cluster. Records of one cluster are duplicates of each other."`
}

func (c labelsCommand) Run(out io.Writer) error {
	records, r, kept, err := c.judged(c.input)
	if err != nil {
		return err
	}
	clusters, err := readClusters(c.Labels)
	if err != nil {
		return err
	}
	s, err := score(records, kept, clusters)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s\n\n", r)
	t := markdown.New("records", "duplicates by label", "removed", "of these right", "precision", "recall")
	t.Add(len(records.ids), s.planted, s.removed, s.right, s.precision(), s.recall())
	t.Write(out)
	for _, line := range s.wrong {
		fmt.Fprintln(out, "- "+line)
	}
	return nil
}

// readClusters returns the cluster of each id.
func readClusters(path string) (map[string]string, error) {
	clusters := map[string]string{}
	err := eachRow(path, 2, func(cells []string) error {
		if cells[1] != "" {
			clusters[cells[0]] = cells[1]
		}
		return nil
	})
	return clusters, err
}

// A labelScore compares removals with labels.
type labelScore struct {
	planted, removed, right int
	wrong                   []string // in words, for the reader
}

// score counts a record as a duplicate by label if an earlier one is of its cluster.
func score(c *corpus, kept []bool, clusters map[string]string) (labelScore, error) {
	var s labelScore
	first := map[string]string{} // id of a cluster's first record
	for i, id := range c.ids {
		original, planted := "", false
		if cluster, labelled := clusters[id]; labelled {
			if original, planted = first[cluster]; !planted {
				first[cluster] = id
			}
			delete(clusters, id)
		}
		s.count(planted, !kept[i])
		switch {
		case planted && !kept[i]:
		case planted:
			s.wrong = append(s.wrong, fmt.Sprintf("missed: %s, a duplicate of %s", id, original))
		case !kept[i]:
			s.wrong = append(s.wrong, "removed without a label: "+id)
		}
	}
	if len(clusters) > 0 {
		return s, fmt.Errorf("%d labels are of ids that no record has, such as %s", len(clusters),
			slices.Collect(maps.Keys(clusters))[0])
	}
	return s, nil
}

// count takes in a record that is a duplicate or not, and was removed or not.
func (s *labelScore) count(duplicate, removed bool) {
	if duplicate {
		s.planted++
	}
	if removed {
		s.removed++
	}
	if duplicate && removed {
		s.right++
	}
}

func (s labelScore) precision() float64 { return share(s.right, s.removed) }
func (s labelScore) recall() float64    { return share(s.right, s.planted) }

// share of nothing is 1: nothing was done wrong.
func share(part, whole int) float64 {
	if whole == 0 {
		return 1
	}
	return float64(part) / float64(whole)
}
