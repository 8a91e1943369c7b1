package values

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"go.starlark.net/starlark"

	"astrolabe/builtins/binding"
	"astrolabe/capture"
	"astrolabe/capture/analysis"
)

// accountSig is the signature of the function account.
const accountSig = "account(cap: Capture, table: dict=None) -> Account"

var AccountMethod = binding.Method[*binding.Env]{
	Sig: accountSig,
	Doc: "Where the measured time of a capture went: every sample is attributed to what set its pace, and the parts " +
		"add up to the measured time. table says what a GPU has, as those of @astrolabe//tables do: active and " +
		"elapsed (cycles with work, and all), queues, units, cpus (loads of processors: of more than 131,072 samples " +
		"blocks spread evenly are read), clock, clock_max, frame (the length of one in " +
		"seconds where none are marked), idle (the unit that has the time without work, in place of whom the GPU " +
		"waits for), rests (units that have parts of that, by levels that are shares of the samples; one that is first has " +
		"its time whatever works meanwhile), floor (the least level of a limiter), instead (of lists of a counter, a text and another one: formulas have the other in place of the text where the counter was not recorded), at_least (lists of a constant and formulas: where the capture does not state the constant, it " +
		"is the whole number that the highest value of the first formula needs), asleep (whether samples without a value of active are " +
		"those of a device without a clock), busiest (of several instances of active the one with most work counts " +
		"in every sample), device (what reports call what works, \"the GPU\"), turns (the label of the sets of " +
		"counters that take turns, if several do), thread (the load from which a processor sets the pace) and unsure " +
		"(the share of the time without work for nobody known from which no gain is certain). What names a metric " +
		"may be a formula in the vendor's notation, with spaces. An entry whose level asks for a role that no metric of " +
		"the GPU plays (\"unit:ray_tracing\"; in a formula $unit:ray_tracing), or whose queue does, is left out. A unit that nothing counts is " +
		"uncounted, and has a guess in place of a level. The work of a queue that is tied may need results of another in the " +
		"same frame, so that time in which the two work in turn is that of what limits each. Entries of one name are several ways to see a unit: " +
		"the first that tells counts. A unit may say how high its level can be where it is missing (guess), and what " +
		"would measure it (set): that is then the name of the part of the time that is not measured. Without set, a " +
		"metric set of the GPU's catalogue that has the metrics of the level is chosen: the one that shows most of " +
		"what was not measured. Where its level is only how high it is at least, up_to says how high it may be, and tells what would tell: " +
		"time in which that decides is not measured. " +
		"Of a fallback beside says that what was not measured is as likely, and shares the " +
		"time with it. With holds its level is the share of the time in which it holds up all others; with least it " +
		"is a share of the highest value that the capture shows (of the metric most, a name or alternatives, where it " +
		"has one), or of least where that is more. With floor it sets " +
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
	// Every rule of a script asks for the same account.
	var asked tableKey
	asked.add(table, 0)
	key := accountKey{string(asked.text), e.Generation()}
	cap.mu.Lock()
	known, ok := cap.accounts[key]
	cap.mu.Unlock()
	if ok {
		return known.account, nil
	}
	t, err := readAccountTable(table)
	if err != nil {
		return nil, fmt.Errorf("parameter table: %w", err)
	}
	found, err := binding.Await(e.Context(), func() (*Account, error) {
		a := &accounting{cap: cap, table: t, n: cap.Capture.Len(), known: map[string]*capture.Counter{},
			texts: map[string]*capture.Counter{}}
		a.lack(lacks)
		a.state()
		return a.run(e, e.Context())
	})
	if err != nil {
		return nil, err
	}
	cap.mu.Lock()
	defer cap.mu.Unlock()
	if cap.accounts == nil {
		cap.accounts = map[accountKey]knownAccount{}
	}
	cap.accounts[key] = knownAccount{found, asked.kept}
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
	table   string // see tableKey
	defined int
}

// knownAccount is an account that was asked for, and what its key refers to.
type knownAccount struct {
	account *Account
	kept    []starlark.Value
}

// accounting is one run of account.
type accounting struct {
	cap     *Capture
	table   *accountTable
	n       int
	missing []string
	roles   []string                    // that metrics of the capture's GPU play, see absent
	known   map[string]*capture.Counter // by name, see named; nil for one that the capture does not have
	texts   map[string]*capture.Counter // by what formulas come to, see substituted
	spare   [][]float64                 // see room
	summed  int                         // processors of which only the sum was recorded
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
	var timed atomic.Bool
	capture.EachBlock(a.n, func(lo, hi int) {
		some := false
		for i := lo; i < hi; i++ {
			in.Length[i] = a.cap.Capture.Axis.Interval(i)
			some = some || in.Length[i] > 0
		}
		if some {
			timed.Store(true)
		}
	})
	if !timed.Load() { // of tables without times: what each sample shows counts alike
		for i := range in.Length {
			in.Length[i] = int64(untimed)
		}
	}
	if err := ctx.Err(); err != nil {
		return in, waits, err
	}
	pace := analysis.PaceInput{Thread: a.table.thread, Active: in.Active, Looked: a.looked()}
	pace.Processors = a.processors(pace.Looked)
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
		pace.Step = float64(analysis.Median(a.n, func(i int) int64 { return in.Length[i] })) / 1e9
	}
	var queues []*plan
	for _, q := range a.table.queues {
		if !a.absent(q) {
			queues = append(queues, a.plan(q))
		}
	}
	a.evaluate(queues...)
	for _, p := range queues {
		if in.Active != nil { // shares of the active time, as counters of queues are
			capture.EachBlock(a.n, func(lo, hi int) {
				busy := p.out[lo:hi]
				for i, x := range in.Active[lo:hi] {
					busy[i] *= min(1, max(0, x))
				}
			})
		}
		pace.Loads = append(pace.Loads, p.out)
		in.Queues = append(in.Queues, analysis.AccountQueue{Name: p.entry.name, Busy: p.out, Tied: p.entry.tied})
	}
	pace.Begins, pace.Ends = a.cap.Capture.Axis.Start, a.cap.Capture.Axis.End
	waits = analysis.PaceOf(pace)
	in.Waiter, in.Exact, in.Steady = waits.Waiter, waits.Exact, waits.Steady
	for _, en := range a.table.rests {
		if share := a.values(en.level[0]); share != nil {
			in.Rests = append(in.Rests, analysis.AccountRest{Name: en.name, Share: share, Stays: en.stays, First: en.first})
		}
	}
	var lacking []bool
	in.Units, lacking = a.units()
	a.spare = nil
	a.lackSamples(&in, lacking)
	a.chooseSets(&in, lacking)
	return in, waits, ctx.Err()
}

// untimed is how long the samples of a capture count in which none has a length.
const untimed = time.Millisecond

// frameLength is the median time from one start to the next, or another length where there are fewer than two.
func frameLength(starts []int64, otherwise int64) int64 {
	if len(starts) < 2 {
		return otherwise
	}
	if m := analysis.Median(len(starts)-1, func(i int) int64 { return starts[i+1] - starts[i] }); m > 0 {
		return m
	}
	return otherwise
}
