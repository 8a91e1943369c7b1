package values

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"go.starlark.net/starlark"

	"astrolabe/builtins/binding"
	"astrolabe/capture"
	"astrolabe/capture/analysis"
	"astrolabe/capture/metrics"
)

// accountSig is the signature of the function account.
const accountSig = "account(cap: Capture, table: dict=None) -> Account"

var AccountMethod = binding.Method[*binding.Env]{
	Sig: accountSig,
	Doc: "Where the measured time of a capture went: every sample is attributed to what set its pace, and the parts " +
		"add up to the measured time. table says what a GPU has, as those of @astrolabe//tables do: active and " +
		"elapsed (cycles with work, and all), queues, units, cpus, clock, clock_max, frame (the length of one in " +
		"seconds where none are marked), idle (the unit that has the time without work, in place of whom the GPU " +
		"waits for), floor (the least level of a limiter), asleep (whether samples without a value of active are " +
		"those of a device without a clock), busiest (of several instances of active the one with most work counts " +
		"in every sample), device (what reports call what works, \"the GPU\"), turns (the label of the sets of " +
		"counters that take turns, if several do), thread (the load from which a processor sets the pace) and unsure " +
		"(the share of the time without work for nobody known from which no gain is certain). What names a metric " +
		"may be a formula in the vendor's notation, with spaces. An entry whose level asks for a role that no metric of " +
		"the GPU plays (\"unit:ray_tracing\"), or whose queue does, is left out. Entries of one name are several ways to see a unit: " +
		"the first that tells counts. A unit may say how high its level can be where it is missing (guess), and what " +
		"would measure it (set): that is then the name of the part of the time that is not measured. Without set, a " +
		"metric set of the GPU's catalogue that has the metrics of the level is chosen: the one that shows most of " +
		"what was not measured. Of a fallback beside says that what was not measured is as likely, and shares the " +
		"time with it. With holds its level is the share of the time in which it holds up all others; with least it " +
		"is a share of the highest value that the capture shows, or of least where that is more. With floor it sets " +
		"the pace from that level on only, where counters of it are high while others limit. Of a unit that holds, " +
		"or of the one that has the time without work, stays is the share of its time that is left when it is " +
		"relieved by half. Where no sample has a length, as in tables without times, they count alike, as a " +
		"millisecond each. Without table, it is ACCOUNT of the file tables/NAME.star of the script's repository, " +
		"else of the library, NAME being the id of the capture's GPU (mali_g720), or the name of the script that judges " +
		"it (mali). ACCOUNT is a dict, or a function that returns one for the id. For a GPU without a table all of the " +
		"time is \"not measured\", and missing says why.",
	Example: "account(cap).parts",
	Run:     account,
}

func account(e *binding.Env, c *binding.Call) (starlark.Value, error) {
	cap := c.Arg("cap").(*Capture)
	table, lacks, err := tableOf(e, c, cap)
	if err != nil {
		return nil, err
	}
	t, err := readAccountTable(table)
	if err != nil {
		return nil, fmt.Errorf("parameter table: %w", err)
	}
	// Every rule of a script asks for the same account.
	key := accountKey{table.String(), e.Generation()}
	cap.mu.Lock()
	found, ok := cap.accounts[key]
	cap.mu.Unlock()
	if ok {
		return found, nil
	}
	found, err = binding.Await(e.Context(), func() (*Account, error) {
		a := &accounting{cap: cap, table: t, n: cap.Capture.Len(), known: map[string]*capture.Counter{}}
		a.lack(lacks)
		return a.run(e, e.Context())
	})
	if err != nil {
		return nil, err
	}
	cap.mu.Lock()
	defer cap.mu.Unlock()
	if cap.accounts == nil {
		cap.accounts = map[accountKey]*Account{}
	}
	cap.accounts[key] = found
	return found, nil
}

// tableOf is the table of a call, or that of the capture's GPU; lacks says why there is none.
func tableOf(e *binding.Env, c *binding.Call, cap *Capture) (table *starlark.Dict, lacks string, err error) {
	if c.Has("table") {
		return c.Arg("table").(*starlark.Dict), "", nil
	}
	none := starlark.NewDict(0)
	if cap.Capture.GPU == "" {
		return none, "the capture does not say what GPU it is of, and so what could set the pace is not known", nil
	}
	if e.Table != nil {
		if table, err = e.Table(e.Context(), cap.Capture.GPU); table != nil || err != nil {
			return table, "", err
		}
	}
	return none, fmt.Sprintf("there is no table of what can set the pace of %s (tables/%s.star)", cap.Capture.GPU,
		strings.ReplaceAll(cap.Capture.GPU, "-", "_")), nil
}

// accountKey is what an account of a capture depends on: its table, and the metrics that the script defined.
type accountKey struct {
	table   string
	defined int
}

// accounting is one run of account.
type accounting struct {
	cap     *Capture
	table   *accountTable
	n       int
	missing []string
	roles   []string                    // that metrics of the capture's GPU play, see absent
	known   map[string]*capture.Counter // by name, see named; nil for one that the capture does not have
}

// find is the first of some metrics that the capture has with values, nil where there is none. A name with spaces is a
// formula in the notation of the vendor.
func (a *accounting) find(names []string) *capture.Counter {
	for _, n := range names {
		if c := a.named(n); c != nil {
			return c
		}
	}
	return nil
}

func (a *accounting) named(name string) *capture.Counter {
	c, ok := a.known[name]
	if !ok {
		c = a.lookUp(name)
		a.known[name] = c
	}
	return c
}

func (a *accounting) lookUp(name string) *capture.Counter {
	var c *capture.Counter
	var err error
	if c, err = a.cap.resolve(name); err != nil && strings.Contains(name, " ") {
		c, err = metrics.EvalWith(a.cap.Capture, a.cap.env.Defined(a.cap.Capture.GPU), name, capture.Meta{})
	}
	if err != nil || !c.Axis.Same(a.cap.Capture.Axis) || math.IsNaN(c.Total().Float()) {
		return nil
	}
	return c
}

// values are those of the first of some metrics in every sample, percentages as shares; where it is missing in one
// those of the next. nil where the capture has none.
func (a *accounting) values(names []string) []float64 {
	var out []float64
	for _, n := range names {
		c := a.named(n)
		if c == nil {
			continue
		}
		scale := 1.
		if c.Unit == "percent" {
			scale = 0.01
		}
		var lacks atomic.Bool
		first := out == nil
		if first {
			out = make([]float64, a.n)
		}
		capture.EachBlock(a.n, func(lo, hi int) {
			to := out[lo:hi]
			if first {
				c.ReadFloats(to, lo)
				for i, x := range to {
					if to[i] = scale * x; x != x {
						lacks.Store(true)
					}
				}
				return
			}
			v := make([]float64, hi-lo)
			c.ReadFloats(v, lo)
			for i, x := range v {
				if to[i] != to[i] {
					if to[i] = scale * x; x != x {
						lacks.Store(true)
					}
				}
			}
		})
		if !lacks.Load() {
			break
		}
	}
	return out
}

// fresh are the values of a counter in every sample, to be changed.
func fresh(c *capture.Counter) []float64 {
	out := make([]float64, c.Len())
	capture.EachBlock(len(out), func(lo, hi int) { c.ReadFloats(out[lo:hi], lo) })
	return out
}

// level is the product of the factors of an entry in every sample, in that of its divisors; all NaN where one of them
// was not measured.
func (a *accounting) level(en accountEntry) []float64 {
	lacked := len(a.missing)
	out, known := a.product(en.level)
	for _, n := range en.counted {
		if c := a.find([]string{n}); known && (c == nil || c.Total().Float() == 0) {
			a.lack(n + " (it reads 0: its clock was most likely gated)")
			known = false
		}
	}
	if len(en.clocked) > 0 && known {
		follows := a.followsClock(en.clocked)
		for i := range out {
			out[i] *= follows[i]
		}
	}
	if len(en.per) > 0 && known {
		var per []float64
		if per, known = a.product(en.per); known {
			for i, x := range per {
				if out[i] != 0 {
					out[i] /= x
				}
			}
		}
	}
	if en.least > 0 && known {
		most := max(en.least, highest(out))
		for i := range out {
			out[i] /= most
		}
	}
	capture.EachBlock(len(out), func(lo, hi int) {
		for i, x := range out[lo:hi] {
			if en.rest {
				x = max(0, 1-x)
			}
			if math.IsInf(x, 0) || !known {
				x = math.NaN()
			}
			out[lo+i] = en.offset + en.scale*x
		}
	})
	// the part of the time that is not measured says what to record
	if en.set != "" || !known && len(a.shownBy(en)) > 0 {
		a.missing = a.missing[:lacked]
	}
	if a.inTurns() {
		fillMean(out)
	}
	return out
}

// inTurns reports whether sets of counters took turns, so that each level is known in the samples of its own set only.
func (a *accounting) inTurns() bool {
	l := a.cap.Capture.Label(a.table.turns)
	return l != nil && len(l.Dict) > 1
}

// fillMean takes the mean of the values that are known for those that are not.
func fillMean(v []float64) {
	sum, n := 0.0, 0.0
	for _, x := range v {
		if !math.IsNaN(x) {
			sum, n = sum+x, n+1
		}
	}
	if n == 0 {
		return
	}
	for i, x := range v {
		if math.IsNaN(x) {
			v[i] = sum / n
		}
	}
}

// product is that of some metrics in every sample, percentages as shares. known is false where one of them was not
// measured.
func (a *accounting) product(factors [][]string) (out []float64, known bool) {
	ones := func() {
		out = make([]float64, a.n)
		for i := range out {
			out[i] = 1
		}
	}
	for _, names := range factors {
		v := a.values(names)
		switch {
		case v == nil && slices.Contains(names, takenAsOne):
		case v == nil:
			a.lackAll(names)
			if out == nil {
				ones()
			}
			return out, false
		case out == nil:
			out = v
		default:
			for i, x := range v {
				if out[i] != 0 { // what a unit does in the time of another that did nothing has no value, and is nothing
					out[i] *= x
				}
			}
		}
	}
	if out == nil {
		ones()
	}
	return out, true
}

func (a *accounting) lack(what string) {
	if what != "" && !slices.Contains(a.missing, what) {
		a.missing = append(a.missing, what)
	}
}

// activeShare is the share of every sample in which the device worked: its cycles with work in all its cycles, in those
// that its clock made, or in those of the samples that are fullest. nil where nothing tells.
func (a *accounting) activeShare() []float64 {
	c := a.find(a.table.active)
	if c == nil {
		a.lack(strings.Join(a.table.active, " or "))
		return nil
	}
	v := fresh(c)
	if a.table.busiest {
		for _, one := range c.Instances {
			for i, x := range one.Floats() {
				if !(v[i] >= x) && !math.IsNaN(x) {
					v[i] = x
				}
			}
		}
	}
	if c.Unit == "percent" {
		for i := range v {
			if v[i] /= 100; a.table.asleep && math.IsNaN(v[i]) {
				v[i] = 0
			}
		}
		return v
	}
	if e := a.find(a.table.elapsed); e != nil {
		for i, x := range fresh(e) {
			if v[i] /= x; a.table.asleep && math.IsNaN(v[i]) {
				v[i] = 0
			}
		}
		return v
	}
	if len(a.table.elapsed) > 0 {
		a.lack(strings.Join(a.table.elapsed, " or "))
	}
	for i := range v {
		v[i] /= float64(a.cap.Capture.Axis.Interval(i)) / 1e9
	}
	if f := a.find(a.table.clock); f != nil && f.Kind == capture.Gauge {
		for i, hz := range f.Floats() {
			v[i] /= hz
		}
		return v
	}
	top := highest(v)
	if !(top > 0) {
		return nil
	}
	for i := range v {
		v[i] /= top
	}
	return v
}

// highest is the highest value but for a few: the 99th percentile. NaN where there is none.
func highest(v []float64) float64 {
	finite := slices.DeleteFunc(slices.Clone(v), func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) })
	if len(finite) == 0 {
		return math.NaN()
	}
	slices.Sort(finite)
	return finite[(len(finite)-1)*99/100]
}

// clockLoss is what the highest clock would take off the time of every sample; nil where the clock or its highest value
// is unknown.
func (a *accounting) clockLoss() []float64 {
	top := a.constant(a.table.clockMax)
	if !(top > 0) {
		return nil
	}
	out := make([]float64, a.n)
	if f := a.find(a.table.clock); f != nil && f.Kind == capture.Gauge {
		for i, hz := range f.Floats() {
			out[i] = max(0, 1-hz/top)
		}
		return out
	}
	e := a.find(a.table.elapsed)
	if e == nil {
		return nil
	}
	for i, cycles := range e.Floats() {
		out[i] = max(0, 1-cycles/(float64(a.cap.Capture.Axis.Interval(i))/1e9)/top)
	}
	return out
}

// constant is a constant of the capture, which may come as a property or as a column; NaN where it does not say.
func (a *accounting) constant(name string) float64 {
	for _, p := range a.cap.Capture.Properties {
		if p.Name == name && !p.IsText {
			return p.Number
		}
	}
	if c := a.cap.Capture.Counter(name); c != nil && c.Kind != capture.Delta {
		return c.Total().Float()
	}
	return math.NaN()
}

// processors is the load of every processor in every sample.
func (a *accounting) processors() (out [][]float64) {
	c := a.find(a.table.cpus)
	if c == nil {
		return nil
	}
	list := c.Instances
	if len(list) == 0 {
		list = []*capture.Counter{c}
	}
	for _, p := range list {
		v := fresh(p)
		for i := range v {
			v[i] /= 100
		}
		out = append(out, v)
	}
	return out
}

func (a *accounting) run(e *binding.Env, ctx context.Context) (*Account, error) {
	in, waits, err := a.input(ctx)
	if err != nil {
		return nil, err
	}
	found, err := analysis.Account(in)
	if err != nil {
		return nil, err
	}
	return newAccount(e, a, found, waits, in.Clock != nil), nil
}

// input is what the account is made from, and who keeps the device waiting.
func (a *accounting) input(ctx context.Context) (in analysis.AccountInput, waits analysis.Pace, err error) {
	in = analysis.AccountInput{Idle: a.table.idle, Length: make([]int64, a.n), Active: a.activeShare(),
		Frame: int64(a.table.frame * 1e9), Floor: a.table.floor, Unsure: a.table.unsure, Clock: a.clockLoss()}
	timed := false
	for i := range in.Length {
		in.Length[i] = a.cap.Capture.Axis.Interval(i)
		timed = timed || in.Length[i] > 0
	}
	if !timed { // of tables without times: what each sample shows counts alike
		for i := range in.Length {
			in.Length[i] = int64(untimed)
		}
	}
	if err := ctx.Err(); err != nil {
		return in, waits, err
	}
	pace := analysis.PaceInput{Thread: a.table.thread, Active: in.Active, Processors: a.processors()}
	frames, err := analysis.FramesOf(a.cap.Capture)
	if err != nil {
		return in, waits, err
	}
	if frames != nil {
		for _, r := range frames.Regions {
			pace.Starts = append(pace.Starts, r.Start)
		}
		in.Frame = frameLength(pace.Starts, in.Frame)
		if frames.Cap == a.cap.Capture {
			in.Window = make([]int32, a.n)
			for f := range frames.Lo {
				for i := frames.Lo[f]; i < frames.Hi[f]; i++ {
					in.Window[i] = int32(f + 1)
				}
			}
		}
	}
	if a.n > 0 {
		step := slices.Clone(in.Length)
		slices.Sort(step)
		pace.Step = float64(step[len(step)/2]) / 1e9
	}
	waits = analysis.PaceOf(pace)
	in.Waiter = waits.Waiter
	for _, q := range a.table.queues {
		if a.absent(q) {
			continue
		}
		// Shares of the active time, as counters of queues are.
		busy := a.level(q)
		for i := range busy {
			if in.Active != nil {
				busy[i] *= min(1, max(0, in.Active[i]))
			}
		}
		in.Queues = append(in.Queues, analysis.AccountQueue{Name: q.name, Busy: busy})
	}
	in.Units = a.units()
	a.chooseSets(&in)
	return in, waits, ctx.Err()
}

// untimed is how long the samples of a capture count in which none has a length.
const untimed = time.Millisecond

// frameLength is the median time from one start to the next, or another length where there are fewer than two.
func frameLength(starts []int64, otherwise int64) int64 {
	if len(starts) < 2 {
		return otherwise
	}
	gaps := make([]int64, len(starts)-1)
	for i := range gaps {
		gaps[i] = starts[i+1] - starts[i]
	}
	slices.Sort(gaps)
	if m := gaps[len(gaps)/2]; m > 0 {
		return m
	}
	return otherwise
}
