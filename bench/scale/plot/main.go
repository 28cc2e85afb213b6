// Command plot draws what scale has printed: CPU time and memory of a record, by their number.
//
//	cd bench && go run ./scale/plot runs/DATE/scale.md > ../docs/design/scale.svg
package main

import (
	"fmt"
	"image/color"
	"io"
	"log"
	"math"
	"os"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("give the file that scale has printed")
	}
	if err := run(os.Args[1], os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(path string, to io.Writer) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	rows, err := parse(string(text))
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return drawAll(rows, to)
}

// A panel is one of the two plots.
type panel struct {
	title string
	of    func(row) float64
}

var panels = []panel{
	{"CPU time a record, µs", func(r row) float64 { return r.cpu / r.records * 1e6 }},
	{"peak of memory a record, bytes", func(r row) float64 { return r.peak * 1e6 / r.records }},
}

func drawAll(rows []row, to io.Writer) error {
	const width, height = 26 * vg.Centimeter, 10 * vg.Centimeter
	canvas := vgsvg.New(width, height)
	tiles := draw.Tiles{Rows: 1, Cols: len(panels), PadX: vg.Centimeter,
		PadTop: vg.Millimeter, PadRight: 5 * vg.Millimeter, PadLeft: 5 * vg.Millimeter, PadBottom: vg.Millimeter}
	plots := make([]*plot.Plot, len(panels))
	for i, p := range panels {
		var err error
		if plots[i], err = p.plot(rows); err != nil {
			return err
		}
	}
	all := draw.New(canvas)
	all.SetColor(color.White) // a page may be dark
	all.Fill(all.Rectangle.Path())
	for i, area := range plot.Align([][]*plot.Plot{plots}, tiles, all)[0] {
		plots[i].Draw(area)
	}
	_, err := canvas.WriteTo(to)
	return err
}

// plot has a line for each way to run the program.
func (p panel) plot(rows []row) (*plot.Plot, error) {
	drawn := plot.New()
	drawn.Title.Text = p.title
	drawn.X.Label.Text = "records"
	drawn.X.Scale, drawn.X.Tick.Marker = plot.LogScale{}, plot.TickerFunc(powersOfTen)
	drawn.Y.Min = 0
	drawn.Legend.Top, drawn.Legend.Left = true, true
	drawn.Add(plotter.NewGrid())
	for i, way := range waysOf(rows) {
		var points plotter.XYs
		for _, r := range rows {
			if r.way == way {
				points = append(points, plotter.XY{X: r.records, Y: p.of(r)})
			}
		}
		line, dots, err := plotter.NewLinePoints(points)
		if err != nil {
			return nil, fmt.Errorf("way %s: %w", way, err)
		}
		line.Color, line.Width = colours[i%len(colours)], vg.Points(1.5)
		dots.Color, dots.Shape = line.Color, draw.CircleGlyph{}
		drawn.Add(line, dots)
		drawn.Legend.Add(way, line, dots)
	}
	drawn.Y.Max *= 1.5 // room for the legend
	return drawn, nil
}

// powersOfTen are the ticks of the number of records.
func powersOfTen(least, most float64) (ticks []plot.Tick) {
	for power := 5; power <= 12; power++ {
		if n := math.Pow10(power); n >= least && n <= most {
			ticks = append(ticks, plot.Tick{Value: n, Label: fmt.Sprintf("1e%d", power)})
		}
	}
	return ticks
}

// colours can be told apart by all readers (Okabe and Ito 2008).
var colours = []color.Color{
	color.RGBA{R: 0x00, G: 0x72, B: 0xb2, A: 0xff}, color.RGBA{R: 0xd5, G: 0x5e, B: 0x00, A: 0xff},
	color.RGBA{R: 0x00, G: 0x9e, B: 0x73, A: 0xff}, color.RGBA{R: 0xcc, G: 0x79, B: 0xa7, A: 0xff},
	color.RGBA{R: 0xe6, G: 0x9f, B: 0x00, A: 0xff}, color.RGBA{R: 0x56, G: 0xb4, B: 0xe9, A: 0xff},
}
