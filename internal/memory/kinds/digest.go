package kinds

import (
	"cmp"
	"math"
	"time"

	"github.com/mithril-stream/mithril-stream/internal/memory/signatures"
	"github.com/mithril-stream/mithril-stream/stream"
)

// Rule says which records pass, and what is said of the others. All times are whole seconds.
type Rule struct {
	Most        int           // kinds; a Table gives up those that have not come for longest
	Every       time.Duration // is the interval at whose end it is said what came again; 0: nothing is
	Pass        int           // so many records of a kind pass in each PassEvery; 0: only the first
	PassEvery   time.Duration
	ForgetAfter time.Duration // a kind that has not come for longer begins anew; 0: none does
	Timed       bool          // records have times (stream.Source.Timed), else the clock counts
}

// A Digest is the judge that lets the first record of each kind pass, and more if its Rule says so.
// It writes a record of its own where, and how often, a kind came again: the numbers in these and
// the records that pass are all records that have a sketch.
type Digest struct {
	rule  Rule
	form  Form
	table *Table[line]
	now   func() time.Time // the clock of the machine, unless records have times
	times clock            // of the records, if they have
	start int64            // the second from which intervals of the machine's clock are counted
	ticks *time.Ticker     // nil unless the clock ends intervals of Every

	judged  uint64  // records
	at      int64   // the time at hand
	until   int64   // when the interval of Every that is under way ends
	again   []*line // the kinds that came again in it, in that order
	given   uint64  // kinds that were given up
	reports []report
	steps   []step // of the records that are judged and not written
	next    int    // of steps, the next to be written
}

// A line is what is known of a kind.
type line struct {
	kept    Kept
	seen    int64  // when the last record came
	number  uint64 // of that, among all that were judged
	passed  int    // records that have passed in the window at hand
	window  int64  // of PassEvery
	pending Again
}

// A report is what is to be said of a kind.
type report struct {
	of *line
	Again
}

// A step is what is to be written with a record: the reports before it, up to a place in reports,
// and the kind that it is to be the kept record of, if any.
type step struct {
	reports int
	keeps   *line
}

// NewDigest returns a digest that goes by a clock.
func NewDigest(p signatures.Params, r Rule, form Form, clock func() time.Time) (*Digest, error) {
	d := &Digest{rule: r, form: form, now: clock, times: newClock(r), at: math.MinInt64, until: math.MinInt64}
	if !r.Timed {
		d.start = clock().Unix()
	}
	var err error
	d.table, err = NewTable(p, r.Most, func(a, b *line) int { return cmp.Compare(b.number, a.number) }, d.giveUp)
	if err != nil {
		return nil, err
	}
	if r.Every > 0 && !r.Timed {
		d.ticks = time.NewTicker(r.Every)
		d.until = d.start + seconds(r.Every)
	}
	return d, nil
}

func seconds(d time.Duration) int64 { return int64(d / time.Second) }

// giveUp says of a kind that is forgotten what came again.
func (d *Digest) giveUp(of *line) {
	d.given++
	d.report(of)
}

// report has it said of a kind how often it came again, if it did.
func (d *Digest) report(of *line) {
	if of.pending.Count > 0 {
		d.reports = append(d.reports, report{of: of, Again: of.pending})
		of.pending = Again{}
	}
}

// Judge lets records pass that begin a kind, or that the rule lets pass.
func (d *Digest) Judge(b stream.Batch, out []stream.Verdict) (judged int, err error) {
	d.steps, d.reports, d.next = d.steps[:0], d.reports[:0], 0
	if !d.rule.Timed {
		d.advance(max(d.at, d.now().Unix()))
	}
	timed := 0
	for i := range out {
		out[i] = stream.Verdict{}
		var s step
		if sketch := b.Sketch(i); len(sketch) > 0 {
			if d.rule.Timed {
				d.advance(d.times.tell(b.Times[timed]))
				timed++
			}
			if s.keeps, err = d.judge(sketch); err != nil {
				return i, err
			}
			out[i].Duplicate = s.keeps == nil
		}
		s.reports = len(d.reports)
		d.steps = append(d.steps, s)
	}
	return len(out), nil
}

// judge returns the kind of a record if it passes, else nil.
func (d *Digest) judge(sketch []uint64) (passes *line, err error) {
	of, isNew, err := d.table.Find(sketch)
	if err != nil {
		return nil, err
	}
	isNew = isNew || d.rule.ForgetAfter > 0 && d.at-of.seen > seconds(d.rule.ForgetAfter)
	d.judged++
	of.seen, of.number = d.at, d.judged
	if d.rule.Pass > 0 {
		if window := d.windowOf(d.at, d.rule.PassEvery); isNew || window != of.window {
			of.window, of.passed = window, 0
		}
		isNew = of.passed < d.rule.Pass
	}
	if isNew {
		of.passed++
		return of, nil
	}
	if d.rule.Every > 0 {
		if of.pending.Count == 0 {
			of.pending.First = d.at
			d.again = append(d.again, of)
		}
		of.pending.Count++
		of.pending.Last = d.at
	}
	return nil, nil
}

// windowOf is the number of the interval in which a time is.
func (d *Digest) windowOf(at int64, every time.Duration) int64 {
	n := seconds(every)
	window := (at - d.start) / n
	if (at-d.start)%n < 0 {
		window--
	}
	return window
}

// advance goes to a time, and says what came again if that is of another interval.
func (d *Digest) advance(at int64) {
	d.at = at
	if d.rule.Every == 0 || at < d.until && at >= d.until-seconds(d.rule.Every) {
		return
	}
	d.reportAll()
	d.until = d.start + (d.windowOf(d.at, d.rule.Every)+1)*seconds(d.rule.Every)
}

// reportAll says of all kinds what came again, in the order in which they did.
func (d *Digest) reportAll() {
	for _, of := range d.again {
		d.report(of)
	}
	d.again = d.again[:0]
}

// Before appends what is due before the next record that was judged.
func (d *Digest) Before(dst, record []byte) []byte {
	s := d.steps[d.next]
	from := 0
	if d.next > 0 {
		from = d.steps[d.next-1].reports
	}
	d.next++
	dst = d.append(dst, d.reports[from:s.reports])
	if s.keeps != nil && d.rule.Every > 0 {
		n := min(len(record), MostKept)
		s.keeps.kept = Kept{Record: append(s.keeps.kept.Record[:0], record[:n]...), IsCut: n < len(record)}
	}
	return dst
}

func (d *Digest) append(dst []byte, reports []report) []byte {
	for _, r := range reports {
		dst = d.form.Append(dst, r.of.kept, r.Again)
	}
	return dst
}

// Ticks is when something may be due although no record comes; nil if that is never so.
func (d *Digest) Ticks() <-chan time.Time {
	if d.ticks == nil {
		return nil
	}
	return d.ticks.C
}

// Due appends what the clock says is due, when all records that were judged are written.
func (d *Digest) Due(dst []byte) []byte {
	d.reports = d.reports[:0]
	d.advance(max(d.at, d.now().Unix()))
	return d.append(dst, d.reports)
}

// End appends what came again since the last interval ended.
func (d *Digest) End(dst []byte) []byte {
	d.reports = d.reports[:0]
	d.reportAll()
	return d.append(dst, d.reports)
}

// Stats says how many kinds there are.
type Stats struct {
	Known     int    `json:"known"`
	Forgotten uint64 `json:"forgotten"` // those given up since there were too many
}

// Stats describes the digest; of none, a nil one, there is nothing to describe.
func (d *Digest) Stats() *Stats {
	if d == nil {
		return nil
	}
	return &Stats{Known: d.table.Len(), Forgotten: d.given}
}

// Close ends the clock and gives the memory back.
func (d *Digest) Close() error {
	if d.ticks != nil {
		d.ticks.Stop()
	}
	return d.table.Close()
}
