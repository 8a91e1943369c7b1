package builtins_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.starlark.net/starlark"
	"golang.org/x/sys/unix"

	"astrolabe/builtins"
	"astrolabe/builtins/guards"
	"astrolabe/builtins/modules"
	"astrolabe/builtins/values"
	"astrolabe/capture"
	"astrolabe/internal/longtests"
)

// interrupted is a context that a person interrupts at the moment when it is looked at for the nth time: no test has to
// meet a moment. Asking for Done is a look as well, because whoever asks waits for it.
type interrupted struct {
	context.Context
	stop func() // what an interrupt does besides

	mu    sync.Mutex
	looks int
	at    int // 0 is never
	done  chan struct{}
}

func (c *interrupted) look() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.looks++
	if c.looks == c.at {
		close(c.done)
		c.stop()
	}
	return c.at > 0 && c.looks >= c.at
}

// looked is how often it was looked at; work that an interrupt left behind may still look.
func (c *interrupted) looked() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.looks
}

func (c *interrupted) Done() <-chan struct{} {
	c.look()
	return c.done
}

func (c *interrupted) Err() error {
	if c.look() {
		return context.Canceled
	}
	return nil
}

// longWork are calls whose work grows with the names that longRun makes, where the example of the documentation is one of
// a few numbers. Each calls what it is named after once.
var longWork = map[string]string{
	"account": "account(cap.slice('1s', '90s'), units)", "any": "any(zeros)", "all": "all(ones)", "explain": "explain(cap['hits'])",
	"sum": "sum(clk)", "fmt": "fmt('%s', long)", "read": "read('long.txt')", "write": "write('o.txt', text)",

	"Capture.eval": "cap.eval('$TCP_REQ_sum / 2', name='half')", "Capture.group_by": "cap.group_by('kernel')",
	"Capture.labelled": "cap.labelled('kernel', 'k1*')", "Capture.compare": "cap.compare(cap, metrics=['clk'])",
	"Capture.metric":  "cap.metric('TCP Cache Performance/Hit Rate')",
	"Capture.counter": "cap.counter('TCP_REQ_sum')", "Capture.region": "cap.region('frame')", "Capture.where": "cap.where(mask)",

	"Counter.abs": "clk.abs()", "Counter.rate": "clk.rate()", "Counter.share": "hits.share(clk)",
	"Counter.rolling": "clk.rolling('3s')", "Counter.resample": "clk.resample('2s')", "Counter.diff": "clk.diff()",
	"Counter.cumsum": "clk.cumsum()", "Counter.gt": "clk.gt(5)", "Counter.ge": "clk.ge(5)", "Counter.lt": "clk.lt(5)",
	"Counter.le": "clk.le(5)", "Counter.eq": "clk.eq(5)", "Counter.ne": "clk.ne(5)", "Counter.missing": "clk.missing()",
	"Counter.between": "clk.between(9, 11)", "Counter.values": "clk.values", "Counter.times": "clk.times",

	"Mask.count": "mask.count()", "Mask.fraction": "mask.fraction()", "Mask.any": "mask.any()", "Mask.all": "mask.all()",
	"Mask.spans": "mask.spans()",

	"Plot.save": "chart.save('x.png')", "Plot.text": "chart.text()", "Plot.show": "chart.show()",
	"Report.account": "page.account(where)", "Report.table": "page.table(rows)", "Report.save": "page.save('r.html')",
	"Report.plot": "page.plot(chart)", "Report.text": "page.text(text)", "Report.lanes": "page.lanes(clk, [hits])",
	"Report.finding": "page.finding('a/b', 'warning', 'c', evidence=[clk], spans=spans)",
	"Report.judged":  "page.judged('x')", "Report.summary": "page.summary('x', severity='warning')",

	"Account.plot": "where.plot()", "Account.by": "where.by('kernel')", "Account.phases": "where.phases()",

	"Table.head": "rows.head(50000)", "Table.tail": "rows.tail(50000)", "Table.sort": "rows.sort('n', reverse=True)",
	"Table.select": "rows.select('n')", "Table.markdown": "rows.markdown()", "Table.csv": "rows.csv()",
	"Table.text": "rows.text()", "Table.rows": "rows.rows", "Table.filter": "rows.filter(lambda r: r.n > 5)",
	"Table.with_column": "rows.with_column('twice', lambda r: 2 * r.n)",

	"CounterMap.values": "cap.counters.values()", "CounterMap.items": "cap.counters.items()",

	"capture.open":         "capture.open('long.csv')",
	"capture.concat":       "capture.concat([cap, cap])",
	"capture.from_columns": "capture.from_columns({'cycles': long, 'b': zeros}, period='1ms', labels={'kernel': names})",
	"capture.session": "capture.session('amd-gpa', raw={'GPUTime_Bottom_To_Bottom': zeros}, generation='gfx8', " +
		"api='gl', ts_freq=27e6)",

	"metrics.define": "metrics.define('gfx1151', 'many', ' + '.join(['TCP_REQ_sum'] * 2000), unit='requests')",

	"plot.timeline": "plot.timeline(clk, hits, bands=spans)", "plot.area": "plot.area(clk, hits)",
	"plot.bar": "plot.bar(bars)", "plot.latency": "plot.latency(long)", "plot.grid": "plot.grid([[chart] * 9] * 9)",
	"plot.note": "plot.note(1, text)", "plot.overlay": "plot.overlay(clk, hits)",
	"plot.roofline": "plot.roofline({str(i): (1.0 + i, 9.2e12) for i in range(1000)}, bandwidth={'DRAM': '212GB/s'}, " +
		"compute={'FP32': 14.8e12})",

	"stats.mean": "stats.mean(long)", "stats.median": "stats.median(long)", "stats.std": "stats.std(long)",
	"stats.variance": "stats.variance(long)", "stats.geomean": "stats.geomean(long)", "stats.skew": "stats.skew(long)",
	"stats.kurtosis": "stats.kurtosis(long)", "stats.mad": "stats.mad(long)", "stats.t_test": "stats.t_test(long, zeros)",
	"stats.mann_whitney": "stats.mann_whitney(long, zeros)", "stats.ks_test": "stats.ks_test(long, zeros)",
	"stats.periodicity": "stats.periodicity(clk)", "stats.recurrence": "stats.recurrence(long)",
	"stats.outliers": "stats.outliers(clk)", "stats.frames": "stats.frames(cap)", "stats.durations": "stats.durations(cap)",
	"stats.phases": "stats.phases([clk, hits])", "stats.label_phases": "stats.label_phases(cap, 'kernel')",
	"stats.by_label": "stats.by_label(cap, 'kernel')", "stats.leading": "stats.leading(cap)",
	"stats.regression": "stats.regression(clk, hits)",
	"stats.histogram":  "stats.histogram(clk, bins=4)",

	"table.new": "table.new({'name': names, 'n': long})", "table.rows": "table.rows(pairs, columns=['a', 'b'])",
	"table.short_names": "table.short_names(['void scale<%d>(float*)' % i for i in range(1000)])",

	"assert.eq": "assert.eq(long, list(long))", "assert.ne": "assert.ne(long, zeros)",
	"assert.contains": "assert.contains(zeros, 0)", "assert.golden": "assert.golden('x', text)",
}

// tooQuick never look whether they were interrupted, because they end at once. Most do the same work however much was
// measured, or only note what is to be done; the work of the last grows with their arguments, by
// less than 0.5 s for a million of them. The test holds all of them to that.
const tooQuick = `
	Capture.labelled Capture.roles CounterMap.get CounterMap.items CounterMap.keys CounterMap.values
	Counter.abs Counter.clamp Counter.cumsum Counter.diff Counter.fill Counter.maximum Counter.minimum Counter.rate
	Counter.share Mask.all Mask.any Mask.count Mask.fraction
	Report.judged Report.lanes Report.plot Report.summary Report.text Table.head Table.select Table.tail
	Session.begin_pass Session.begin_sample Session.begin_session Session.capture Session.close Session.disable
	Session.disable_all Session.enable Session.enable_all Session.end_pass Session.end_sample Session.end_session
	Session.index Session.is_enabled Session.on_log Session.open Session.ready Session.result Session.samples
	Session.select
	assert.golden assert.near assert.true capture.sources flags help math.isinf math.isnan math.log10 math.log2
	metrics.cycle_budget metrics.define metrics.eu_counter metrics.eu_events metrics.get metrics.gpus metrics.list
	percent plot.bar plot.grid plot.note report.new round si stats.durations table.short_names write

	all any assert.contains assert.eq assert.ne capture.from_columns capture.session fmt table.new
`

// callBack are those that call a function of the script again and again, which an interrupt stops.
const callBack = "Table.filter Table.with_column assert.fails attempt"

// elsewhere says where those are interrupted that need more than a run of this package has.
var elsewhere = map[string]string{
	"capture.record":      "TestCtrlCEndsARecordingOfASessionAndKeepsIt of internal/cli",
	"capture.screenshots": "reads the names of a folder", "Screenshots.of": "finds one name",
	"fail": "is an end itself",
}

// longRun is a run with the names of longWork.
func longRun(t *testing.T, samples int) *run {
	r := exampleRun(t)
	r.names["cap"] = values.NewCapture(r.env, longCapture(t, samples))
	if err := r.exec("names", `
clk, hits = cap["clk"], cap["hits"]
mask = clk.gt(1000)
spans = mask.spans()
chart = plot.timeline(clk)
units = {"active": ["SQ_BUSY_CYCLES"], "elapsed": ["GRBM_GUI_ACTIVE"], "units": [{"name": "valu", "level": [["VALU Utilization"]]}]}
where = account(cap, units)
long = [0.5 * i for i in range(1, cap.samples + 1)]
zeros, ones = [0] * cap.samples, [1] * cap.samples
names = ["k%d" % (i // 100) for i in range(cap.samples)]
pairs = [(a, b) for a, b in zip(names, long)]
rows = table.new({"name": names, "n": long})
bars = {str(i): i for i in range(cap.samples // 100)}
text = "x, y\n" * cap.samples
cap.save("long.csv")
write("long.txt", text)
page = report.new("t", capture=cap)
`); err != nil {
		t.Fatal(trace(err))
	}
	return r
}

// longCapture has samples of a millisecond each, with a thousand kernels and frames of 16 samples.
func longCapture(t *testing.T, samples int) *capture.Capture {
	axis := capture.NewUniformAxis(samples, 1e6)
	var counters []*capture.Counter
	for i, name := range []string{"clk", "hits", "TCP_REQ_sum", "TCP_REQ_MISS_sum", "SQ_BUSY_CYCLES", "GRBM_GUI_ACTIVE"} {
		v := make([]uint64, samples)
		for k := range v {
			v[k] = uint64(k+i) * 2654435761 % 4294967291 % 2000 // scattered, and always the same
		}
		counters = append(counters, &capture.Counter{Meta: capture.Meta{Name: name, Unit: "cycles"}, Axis: axis,
			Col: capture.NewColumn(capture.Data{U: v})})
	}
	kernels := make([]string, samples)
	for i := range kernels {
		kernels[i] = fmt.Sprint("k", i/100%1000)
	}
	var frames []capture.Region
	for i := 0; i+16 < samples; i += 16 {
		frames = append(frames, capture.Region{Name: "frame", Start: int64(i) * 1e6, End: int64(i+16) * 1e6})
	}
	c, err := capture.New(capture.Config{Name: "long", GPU: "gfx1151", Axis: axis, Counters: counters, Regions: frames,
		Labels: []*capture.Label{capture.NewLabel("kernel", kernels, func(int) bool { return true })}})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestEveryBuiltinHearsAnInterrupt interrupts each function, method and attribute of the tables that completion and the
// reference are made of, whenever it looks whether it was interrupted. One that never looks must be on the list of those
// that are quick, and be quick.
func TestEveryBuiltinHearsAnInterrupt(t *testing.T) {
	if testing.Short() {
		t.Skip("it interrupts every builtin, which takes a minute under the race detector")
	}
	r := longRun(t, longtests.Of(1_000_000, 100_000))
	calls := map[string]string{}
	for _, e := range builtins.Functions().Entries() {
		calls[e.Name] = e.Example
	}
	of := map[string]string{"Capture": "cap", "Counter": "clk", "Sample": "cap[0]", "Table": "rows", "Session": "ses",
		"Account": "where", "Report": "page"}
	for _, d := range slices.Concat(values.Types, modules.All) {
		for _, e := range d.Entries() {
			name := d.TypeName() + "." + e.Name
			if calls[name] = e.Example; e.Sig == nil && of[d.TypeName()] != "" {
				calls[name] = of[d.TypeName()] + "." + e.Name
			}
		}
	}
	for name, code := range longWork {
		if _, ok := calls[name]; !ok {
			t.Errorf("longWork has %s, which there is not", name)
		}
		calls[name] = code
	}
	quick, back := strings.Fields(tooQuick), strings.Fields(callBack)
	for _, name := range slices.Concat(quick, back, slices.Collect(maps.Keys(elsewhere))) {
		if _, ok := calls[name]; !ok {
			t.Errorf("a list of this test has %s, which there is not", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(calls)) {
		if elsewhere[name] != "" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			heard, waited := hears(t, r, name, calls[name])
			method := strings.Contains(calls[name], "(") // attributes are not listed
			switch listed := slices.Contains(quick, name); {
			case heard && listed:
				t.Error("it hears an interrupt: take it off the list of those that are too quick for one")
			case slices.Contains(back, name):
			case !heard && method && !listed:
				t.Errorf("%s never looks whether it was interrupted", calls[name])
			case !heard && waited > longestWait:
				t.Errorf("an interrupt waits for %s, which takes %v of processor time", calls[name], waited)
			}
		})
	}
}

// longestWait is how long an interrupt may wait, in time of the processor, which other programs do not lengthen.
const longestWait = 500 * time.Millisecond

// mostLooks is how often a call looks at most before the test believes that it does not do so by itself.
const mostLooks = 12

// hears interrupts a call at each of its looks, and reports whether it looked at more than its beginning, and how long
// the thread worked that a person waits for.
func hears(t *testing.T, r *run, name, code string) (heard bool, waited time.Duration) {
	t.Helper()
	function := name[strings.LastIndexByte(name, '.')+1:]
	stops := 0
	for at := range mostLooks {
		r.names["ses"] = r.eval(t, `capture.session("amd-gpa", raw={"GPUTime_Bottom_To_Bottom": [27000, 54000]}, `+
			`generation="gfx8", api="gl", ts_freq=27e6)`)
		ctx := &interrupted{Context: t.Context(), at: at, done: make(chan struct{})}
		spent, err := r.call(ctx, code)
		switch {
		case at == 0 && err != nil:
			t.Fatalf("%s: %v", code, trace(err))
		case at == 0:
			waited = spent
			continue
		case ctx.looked() < at:
			return false, waited
		case err == nil:
			t.Errorf("%s goes on after it has seen an interrupt", code)
		}
		var stopped *starlark.EvalError
		if errors.As(err, &stopped) {
			top := stopped.CallStack.At(0).Name
			if top == function { // its call looks once before it begins
				stops++
			}
			if stops > 1 || top != function && !strings.Contains(code, "(") {
				return true, waited
			}
		}
	}
	return false, waited
}

// call runs code, and says how long the thread worked on it that waits for the end.
func (r *run) call(ctx *interrupted, code string) (spent time.Duration, err error) {
	defer guards.Recover(&err)
	thread := &starlark.Thread{Name: "call", Print: func(*starlark.Thread, string) {}}
	ctx.stop = func() { thread.Cancel("interrupted") }
	file, err := options.Parse("call", code, 0)
	if err != nil {
		return 0, err
	}
	guards.Rewrite(file, r.names)
	program, err := starlark.FileProgram(file, r.names.Has)
	if err != nil {
		return 0, err
	}
	defer r.env.Enter(ctx, thread)()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	began, err := threadTime()
	if err != nil {
		return 0, err
	}
	_, err = program.Init(thread, r.names)
	end, failed := threadTime()
	return end - began, errors.Join(err, failed)
}

// threadTime is how long this thread had a processor.
func threadTime() (time.Duration, error) {
	var u unix.Rusage
	err := unix.Getrusage(unix.RUSAGE_THREAD, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), err
}
