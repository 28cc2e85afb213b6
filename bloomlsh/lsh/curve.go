package lsh

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strings"
)

// Curve is the S-curve of a banding: how likely a pair of records is caught, by its similarity.
type Curve struct {
	Bands, Rows int
	Votes       int     // bands that must agree; 0 is taken as 1
	Threshold   float64 // marked in the pictures
}

// At returns the probability to catch a pair of the given Jaccard similarity.
func (c Curve) At(jaccard float64) float64 { return c.banding().Catch(jaccard) }

func (c Curve) banding() Banding {
	return Banding{NumPerm: c.Bands * c.Rows, Bands: c.Bands, Rows: c.Rows, Votes: max(c.Votes, 1)}
}

// title says what is drawn.
func (c Curve) title() string {
	return fmt.Sprintf("%s: a pair at the threshold %g is caught with %.1f %%", c.banding(), c.Threshold,
		100*c.At(c.Threshold))
}

// WriteText draws the curve with characters, width columns by height lines without the title and
// the axes. A column of dots marks the threshold.
func (c Curve) WriteText(w io.Writer, width, height int) error {
	if width < 20 || height < 5 {
		return fmt.Errorf("a curve of %d by %d characters: at least 20 by 5 are needed", width, height)
	}
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "%s\n", c.title())
	columnOf := func(jaccard float64) int { return int(math.Round(jaccard * float64(width-1))) }
	for line := height - 1; line >= 0; line-- {
		label := "    "
		if percent := 100 * line / (height - 1); line == 0 || line == height-1 || line == (height-1)/2 {
			label = fmt.Sprintf("%3d%%", percent)
		}
		row := []rune(strings.Repeat(" ", width))
		row[columnOf(c.Threshold)] = '·'
		for column := range row {
			if int(math.Round(c.At(float64(column)/float64(width-1))*float64(height-1))) == line {
				row[column] = '*'
			}
		}
		fmt.Fprintf(out, "%s │%s\n", label, strings.TrimRight(string(row), " "))
	}
	fmt.Fprintf(out, "     └%s\n", strings.Repeat("─", width))
	middle := "Jaccard similarity"
	gap := width - len(middle) - 2
	fmt.Fprintf(out, "      0%s%s%s1\n", strings.Repeat(" ", gap/2), middle, strings.Repeat(" ", gap-gap/2))
	return out.Flush()
}

// The picture's measures, in pixels.
const (
	svgWidth, svgHeight         = 720, 440
	svgLeft, svgTop             = 70, 50
	svgPlotWidth, svgPlotHeight = 610, 310
	svgBottom                   = svgTop + svgPlotHeight
	svgAxis, svgGrid, svgLine   = "#444", "#ddd", "#0b6e99"
	svgMark                     = "#c0392b"
	svgFont                     = "system-ui, sans-serif"
	svgPoints                   = 400
)

// WriteSVG draws the curve as a picture. The areas of error are filled: pairs below the threshold
// that are caught, and pairs above it that are not.
func (c Curve) WriteSVG(w io.Writer) error {
	out := bufio.NewWriter(w)
	x := func(jaccard float64) float64 { return svgLeft + jaccard*svgPlotWidth }
	y := func(probability float64) float64 { return svgBottom - probability*svgPlotHeight }
	fmt.Fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %[1]d "+
		"%[2]d\" font-family=\"%s\" font-size=\"13\">\n",
		svgWidth, svgHeight, svgFont)
	fmt.Fprintf(out, "<rect width=\"%d\" height=\"%d\" fill=\"white\"/>\n", svgWidth, svgHeight)
	fmt.Fprintf(out, "<text x=\"%d\" y=\"28\" font-size=\"16\">%s</text>\n", svgLeft, c.title())
	fmt.Fprintf(out, "<path d=\"%sL%.1f %.1fZ\" fill=\"%s\" fill-opacity=\"0.15\"/>\n", c.path(0, c.Threshold, x, y),
		x(c.Threshold), y(0), svgMark)
	fmt.Fprintf(out, "<path d=\"%sL%.1f %.1fZ\" fill=\"%s\" fill-opacity=\"0.15\"/>\n", c.path(c.Threshold, 1, x, y),
		x(c.Threshold), y(1), svgMark)
	for tenth := range 11 {
		at := float64(tenth) / 10
		fmt.Fprintf(out, "<path d=\"M%.1f %dV%d\" stroke=\"%s\"/>\n", x(at), svgTop, svgBottom, svgGrid)
		fmt.Fprintf(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\" fill=\"%s\">%.1f</text>\n", x(at),
			svgBottom+20, svgAxis, at)
		if tenth%2 == 0 {
			fmt.Fprintf(out, "<path d=\"M%d %.1fH%d\" stroke=\"%s\"/>\n", svgLeft, y(at), svgLeft+svgPlotWidth, svgGrid)
			fmt.Fprintf(out, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\" fill=\"%s\">%d %%</text>\n", svgLeft-8,
				y(at)+4, svgAxis, tenth*10)
		}
	}
	fmt.Fprintf(out, "<path d=\"M%.1f %dV%d\" stroke=\"%s\" stroke-dasharray=\"5 4\"/>\n", x(c.Threshold), svgTop,
		svgBottom, svgMark)
	fmt.Fprintf(out, "<path d=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2.5\"/>\n", c.path(0, 1, x, y), svgLine)
	fmt.Fprintf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">Jaccard similarity of the shingle sets</text>\n",
		svgLeft+svgPlotWidth/2, svgBottom+45)
	fmt.Fprintf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\" fill=\"%s\">filled: pairs below the threshold "+
		"that are caught, and pairs above it that are not</text>\n",
		svgLeft+svgPlotWidth/2, svgBottom+68, svgMark)
	fmt.Fprintf(out, "<text transform=\"translate(20 %d) rotate(-90)\" text-anchor=\"middle\">probability "+
		"to be caught</text>\n", svgTop+svgPlotHeight/2)
	fmt.Fprintln(out, "</svg>")
	return out.Flush()
}

// path is the curve between two similarities.
func (c Curve) path(from, to float64, x, y func(float64) float64) string {
	var path strings.Builder
	fmt.Fprintf(&path, "M%.1f %.1fL", x(from), y(c.At(from)))
	for i := range svgPoints {
		at := from + (to-from)*float64(i+1)/svgPoints
		fmt.Fprintf(&path, "%.1f %.1f ", x(at), y(c.At(at)))
	}
	return path.String()
}
