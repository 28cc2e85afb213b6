package kinds

import (
	"cmp"
	"math"
	"time"

	"github.com/mithril-stream/mithril-stream/internal/memory/signatures"
	"github.com/mithril-stream/mithril-stream/stream"
)

// Rule says which records pass and what is reported about the others. All times are whole seconds.
type Rule struct {
	MaxKinds int           // maximum number of kinds; a Table drops those not seen for longest
	Every    time.Duration // interval after which repeated kinds are reported; 0 means never
	// records of a kind that pass in each PassEvery; 0 means only the first
	Pass        int
	PassEvery   time.Duration
	ForgetAfter time.Duration // a kind not seen for longer starts again; 0 means never
	// whether records have times (stream.Source.Timed); otherwise the system clock is used
	Timed bool
}

// A Digest is a judge that passes the first record of each kind, and more if its Rule allows. It
// writes additional records that say which kinds came again and how often: the counts in these and
// the passed records add up to all records that have a sketch.
type Digest struct {
	rule  Rule
	form  Form
	table *Table[line]
	now   func() time.Time // the system clock, unless records have times
	times clock            // clock of records that have times
	start int64            // the second from which intervals of the system clock are counted
	ticks *time.Ticker     // set only if the system clock ends intervals of Every

	judged  uint64 // number of records
	at      int64  // the current time
	until   int64  // end of the current interval of Every
	evicted uint64 // number of kinds dropped
	pendingReports
}

// pendingReports holds what is still to be written about kinds.
type pendingReports struct {
	again   []*line // the kinds that came again in the current interval, in that order
	reports []report
	steps   []step // for records judged but not yet written
	next    int    // index of the next step to write
}

// A line is the state of a kind.
type line struct {
	kept    Kept
	seen    int64  // time of its last record
	number  uint64 // number of that record among all records judged
	passed  int    // records passed in the current window
	window  int64  // number of the current interval of PassEvery
	pending Again
}

// A report says how often a kind came again.
type report struct {
	of *line
	Again
}

// A step is what to write along with a record: the reports before it, as an end index into reports,
// and the kind whose kept record it becomes, if any.
type step struct {
	reports int
	keeps   *line
}

// NewDigest returns a digest that reads the time from clock.
func NewDigest(p signatures.Params, r Rule, form Form, clock func() time.Time) (*Digest, error) {
	d := &Digest{rule: r, form: form, now: clock, times: newClock(r), at: math.MinInt64, until: math.MinInt64}
	if !r.Timed {
		d.start = clock().Unix()
	}
	var err error
	d.table, err = NewTable(p, r.MaxKinds, func(a, b *line) int { return cmp.Compare(b.number, a.number) }, d.evict)
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

// evict reports the repetitions of a kind that is being dropped.
func (d *Digest) evict(of *line) {
	d.evicted++
	d.report(of)
}

// report adds a report on a kind if it came again.
func (d *Digest) report(of *line) {
	if of.pending.Count > 0 {
		d.reports = append(d.reports, report{of: of, Again: of.pending})
		of.pending = Again{}
	}
}

// Judge returns the judge that passes records that begin a kind or that the rule allows.
func (d *Digest) Judge() stream.Judge { return stream.Judge{Decide: d.decide} }

func (d *Digest) decide(b stream.Batch, out []stream.Verdict) (judged int, err error) {
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
				d.advance(d.times.advance(b.Times[timed]))
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

// windowOf returns the number of the interval that contains a time.
func (d *Digest) windowOf(at int64, every time.Duration) int64 {
	n := seconds(every)
	window := (at - d.start) / n
	if (at-d.start)%n < 0 {
		window--
	}
	return window
}

// advance sets the time, and reports repetitions if an interval has ended.
func (d *Digest) advance(at int64) {
	d.at = at
	if d.rule.Every == 0 || at < d.until && at >= d.until-seconds(d.rule.Every) {
		return
	}
	d.reportAll()
	d.until = d.start + (d.windowOf(d.at, d.rule.Every)+1)*seconds(d.rule.Every)
}

// reportAll reports on all kinds that came again, in that order.
func (d *Digest) reportAll() {
	for _, of := range d.again {
		d.report(of)
	}
	d.again = d.again[:0]
}

// Before appends the reports due before the next judged record.
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
		dst = d.form(dst, r.of.kept, r.Again)
	}
	return dst
}

// Ticks returns a channel of the times when reports may be due without a record. It is nil if
// reports only come with records.
func (d *Digest) Ticks() <-chan time.Time {
	if d.ticks == nil {
		return nil
	}
	return d.ticks.C
}

// Due appends the reports that the clock makes due. Call it once all judged records are written.
func (d *Digest) Due(dst []byte) []byte {
	d.reports = d.reports[:0]
	d.advance(max(d.at, d.now().Unix()))
	return d.append(dst, d.reports)
}

// End appends the reports since the last interval ended.
func (d *Digest) End(dst []byte) []byte {
	d.reports = d.reports[:0]
	d.reportAll()
	return d.append(dst, d.reports)
}

// Stats counts the kinds.
type Stats struct {
	Known     int    `json:"known"`
	Forgotten uint64 `json:"forgotten"` // dropped because there were too many
}

// Stats returns the counts, or nil if d is nil.
func (d *Digest) Stats() *Stats {
	if d == nil {
		return nil
	}
	return &Stats{Known: d.table.Len(), Forgotten: d.evicted}
}

// Close stops the clock and frees the memory.
func (d *Digest) Close() error {
	if d.ticks != nil {
		d.ticks.Stop()
	}
	return d.table.Close()
}
