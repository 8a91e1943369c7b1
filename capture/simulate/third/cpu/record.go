package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"astrolabe/capture"
	"astrolabe/capture/simulate"
	"astrolabe/capture/simulate/host"
	"astrolabe/capture/simulate/telling"
)

// recorder writes a capture.
type recorder struct {
	*run
	r       *rand.Rand
	cfg     *capture.Config
	without []string
	acc     map[string][]float64 // by event and sample
	virtual bool                 // the machine is virtual, with the counters of its host and none of its clocks and sensors
	mapped  bool                 // the program reads files through its address space, or its memory is swapped
}

func record(s *run, r *rand.Rand, name string, o *simulate.Options) (*capture.Capture, error) {
	w := &recorder{run: s, r: r, virtual: r.IntN(7) == 0, without: telling.Left(o, telling.CPU), acc: map[string][]float64{}, mapped: r.IntN(4) == 0 || s.p.swaps}
	period := []float64{1e6, 2e6, 5e6, 10e6, 10e6, 10e6, 20e6, 50e6}[r.IntN(8)]
	w.cfg = &capture.Config{Name: name, Format: "simulated", GPU: "cpu", Axis: w.axis(period),
		Device: capture.Device{Name: s.m.name, Vendor: []string{"GenuineIntel", "AuthenticAMD", "ARM"}[s.m.vendor],
			Driver: fmt.Sprintf("Linux 6.%d.%d", 1+r.IntN(17), r.IntN(60))}}
	w.count()
	w.events()
	w.machine()
	if o.Host.Of(r.IntN(12) > 0) {
		w.procfs()
	}
	host.Recorder(w.cfg, r, w.without)
	if o.Marks.Of(r.IntN(5) < 2) {
		w.frames()
	}
	return capture.New(*w.cfg)
}

// axis is the samples, of which the last ends with the program; now and then one is taken late.
func (w *recorder) axis(period float64) *capture.Axis {
	a := &capture.Axis{Clock: "CLOCK_MONOTONIC"}
	end, at := int64(math.Ceil(w.now)), int64(0)
	late := 0.02 * w.r.Float64()
	for tick := period; at < end; tick += period {
		next := tick + 3e3*w.r.ExpFloat64()
		if w.r.Float64() < late {
			next += 0.8 * period * w.r.Float64()
		}
		if next > w.now-period/2 {
			next = float64(end)
		}
		a.Start, a.End = append(a.Start, at), append(a.End, int64(next))
		at = int64(next)
	}
	return a
}

func (w *recorder) add(name string, sample int, v float64) {
	col := w.acc[name]
	if col == nil {
		col = make([]float64, w.cfg.Axis.Len())
		w.acc[name] = col
	}
	col[sample] += v
}

// sample is the one that holds a time.
func (w *recorder) sample(t float64) int {
	i, _ := slices.BinarySearchFunc(w.cfg.Axis.End, t, func(end int64, t float64) int {
		if float64(end) <= t {
			return -1
		}
		return 1
	})
	return min(i, w.cfg.Axis.Len()-1)
}

// over calls f with the parts of a time in each sample.
func (w *recorder) over(from, to float64, f func(sample int, ns float64)) {
	for i := w.sample(from); i < w.cfg.Axis.Len() && from < to; i++ {
		end := min(to, float64(w.cfg.Axis.End[i]))
		if i == w.cfg.Axis.Len()-1 {
			end = to
		}
		if end > from {
			f(i, end-from)
			from = end
		}
	}
}

// count adds up what happened in each sample.
func (w *recorder) count() {
	n := w.cfg.Axis.Len()
	jitter := make([][3]float64, n)
	for i := range jitter {
		for k, s := range []float64{0.008, 0.02, 0.015} {
			jitter[i][k] = math.Exp(s * w.r.NormFloat64())
		}
	}
	for k := range w.spans {
		sp := &w.spans[k]
		w.over(sp.from, sp.to, func(i int, ns float64) {
			for c, threads := range sp.running {
				if threads > 0 {
					w.code(i, c, float64(threads)*ns*sp.state.share, sp.state, &jitter[i])
				}
			}
		})
	}
	for _, x := range w.waits {
		w.switched(&x)
	}
	for _, past := range w.past {
		for _, x := range past {
			if x.what == stores && w.mapped {
				w.add("major_faults", w.sample(x.from), 1)
			}
		}
	}
	w.add("minor_faults", 0, 300+2000*w.r.Float64()) // the program is loaded
	minor, rest := w.acc["minor_faults"], 0.0
	for i := range n {
		rest += minor[i]
		minor[i] = math.Floor(rest)
		rest -= minor[i]
		// Everybody is interrupted now and then for somebody else.
		w.add("context_switches", i, w.poisson(w.at("task_clock", i)*3e-9*(1+20*w.m.others/float64(w.m.cpus))))
		w.add("cpu_migrations", i, w.poisson(w.at("task_clock", i)*0.4e-9))
		w.add("page_faults", i, minor[i]+w.at("major_faults", i))
		w.add("alignment_faults", i, 0)
		w.add("emulation_faults", i, 0)
		w.add("cpu_clock", i, w.at("task_clock", i)*(0.9985+0.001*w.r.Float64()))
	}
}

// switched counts the switches of a wait, each of which costs the kernel a microsecond. A wait that stands for many is
// spread over its time.
func (w *recorder) switched(x *waited) {
	done, sum := 0.0, 0.0
	w.over(x.from, max(x.to, x.from+1), func(i int, ns float64) {
		sum += float64(x.times) * ns / max(1, x.to-x.from)
		n := math.Round(sum) - done
		done += n
		w.add("context_switches", i, n)
		w.add("task_clock", i, 1000*n)
		w.add("instructions", i, 2400*n)
		w.add("branches", i, 500*n)
		w.add("cycles", i, 1000*n*w.m.top*0.8)
	})
	if w.r.Float64() < 0.03 {
		w.add("cpu_migrations", w.sample(x.from), 1)
	}
}

func (w *recorder) at(name string, i int) float64 {
	if col := w.acc[name]; col != nil {
		return col[i]
	}
	return 0
}

func (w *recorder) poisson(mean float64) float64 {
	if mean > 30 {
		return math.Max(0, math.Round(mean+math.Sqrt(mean)*w.r.NormFloat64()))
	}
	n, p := 0.0, math.Exp(-mean)
	for q := w.r.Float64(); q > p; q *= w.r.Float64() {
		n++
	}
	return n
}

// code adds what so much time of one kind of code counts.
func (w *recorder) code(i, which int, ns float64, st *state, jitter *[3]float64) {
	c, p, m := &w.p.codes[which], &st.of[which], w.m
	cycles := ns * st.clock
	n := cycles / p.cycles * jitter[0]
	w.add("task_clock", i, ns)
	w.add("cycles", i, cycles)
	w.add("instructions", i, n)
	w.add("branches", i, n*c.branch)
	w.add("branch_misses", i, n*c.wrong*jitter[1])
	w.add("minor_faults", i, c.fault*ns*1e-6)
	l1, l2, miss := n*c.l1, n*c.l2*jitter[2], n*c.miss*jitter[2]
	w.add("L1_dcache_loads", i, n*c.loads)
	w.add("L1_dcache_load_misses", i, l1*(1-0.5*c.ahead))
	w.add("dTLB_loads", i, n*c.loads)
	w.add("dTLB_load_misses", i, n*c.tlb*jitter[1])
	w.add("iTLB_load_misses", i, n*c.itlb*jitter[1])
	w.add("LLC_loads", i, l2*(1-c.ahead))
	w.add("LLC_load_misses", i, miss*(1-c.ahead))
	// What the kernel takes for its generic events of caches differs between vendors.
	switch m.vendor {
	case intel: // the last level, prefetches to the second level among the requests
		w.add("cache_references", i, l2)
		w.add("cache_misses", i, miss*(1-0.25*c.ahead))
	case amd: // the second level, prefetches among the requests and not among the misses
		w.add("cache_references", i, l1*(1+c.ahead)+n*c.itlb)
		w.add("cache_misses", i, l2*(1-0.8*c.ahead))
	default: // the first level of data
		w.add("cache_references", i, n*c.loads*1.35)
		w.add("cache_misses", i, l1*(1-0.4*c.ahead))
	}
	w.slots(i, c, p, n, cycles, jitter)
}

// slots shares the pipeline's slots out as each vendor counts them.
func (w *recorder) slots(i int, c *code, p *pace, n, cycles float64, jitter *[3]float64) {
	m := w.m
	guess, fetch := n*c.wrong*m.penalty*jitter[1]/jitter[0], n*c.fetch/jitter[0]
	memory := cycles * p.memory / p.cycles
	if all := guess + fetch + memory; all > 0.95*cycles {
		guess, fetch, memory = guess*0.95*cycles/all, fetch*0.95*cycles/all, memory*0.95*cycles/all
	}
	core := cycles - guess - fetch - memory
	total := cycles * m.width
	retired := min(n*m.uops, 0.97*core*m.width)
	empty := core*m.width - retired // slots of the rest in which units or results were waited for
	switch m.vendor {
	case intel:
		bad, front := 0.75*guess*m.width, (fetch+0.25*guess)*m.width
		if m.old() {
			w.add("topdown_total_slots", i, total)
			w.add("topdown_slots_retired", i, retired)
			w.add("topdown_slots_issued", i, retired+0.5*bad)
			w.add("topdown_recovery_bubbles", i, 0.5*bad)
			w.add("topdown_fetch_bubbles", i, front)
			return
		}
		w.add("topdown_retiring", i, retired)
		w.add("topdown_bad_spec", i, bad)
		w.add("topdown_fe_bound", i, front)
		w.add("topdown_be_bound", i, total-retired-bad-front)
		w.add("topdown_mem_bound", i, 0.94*memory*m.width+0.08*empty)
	case amd:
		w.add("amd_ops_retired", i, retired)
		w.add("amd_ops_dispatched", i, retired+0.5*guess*m.width)
		w.add("amd_slots_without_ops", i, (fetch+0.5*guess)*m.width)
		w.add("amd_slots_held_up", i, memory*m.width+empty)
		stall := 0.4 * empty / m.width
		w.add("amd_cycles_of_the_oldest", i, 0.95*memory+stall)
		w.add("amd_cycles_of_loads", i, 0.92*memory+0.15*stall)
	default:
		w.add("stalled_cycles_frontend", i, 0.9*fetch+0.7*guess)
		w.add("stalled_cycles_backend", i, 0.95*memory+0.35*empty/m.width)
	}
}

// put appends a counter, or an instance of it.
func (w *recorder) put(m capture.Meta, d capture.Data) {
	if slices.Contains(w.without, m.Name) {
		return
	}
	m.GPU = "cpu"
	c := &capture.Counter{Meta: m, Axis: w.cfg.Axis, Col: capture.NewColumn(d)}
	k := slices.IndexFunc(w.cfg.Counters, func(c *capture.Counter) bool { return c.Name == m.Name })
	if m.Instance == "" {
		w.cfg.Counters = append(w.cfg.Counters, c)
		return
	}
	if k < 0 {
		m.Instance = ""
		w.cfg.Counters = append(w.cfg.Counters, &capture.Counter{Meta: m, Axis: w.cfg.Axis})
		k = len(w.cfg.Counters) - 1
	}
	w.cfg.Counters[k].AddInstance(c)
}

// machine appends what does not change.
func (w *recorder) machine() {
	number := func(name string, v float64) {
		w.cfg.Properties = append(w.cfg.Properties, capture.Property{Name: name, Number: v})
	}
	number("cpus_online", float64(w.m.cpus))
	number("cpu_clusters", 1)
	for i := range w.m.cpus {
		number("cpu_cluster."+strconv.Itoa(i), 0)
	}
	for i := range w.m.cpus {
		if w.virtual {
			break
		}
		number("cpu_max_freq."+strconv.Itoa(i), math.Round(w.m.top*1e4)*1e5)
	}
}

// frames says which frame each sample began in, and when frames were.
func (w *recorder) frames() {
	l := &capture.Label{Name: "frame", Codes: make([]int32, w.cfg.Axis.Len())}
	from := 0.0
	for f, end := range w.ends {
		l.Dict = append(l.Dict, strconv.Itoa(f))
		w.cfg.Regions = append(w.cfg.Regions, capture.Region{Name: "frame " + l.Dict[f], Start: int64(from), End: int64(end)})
		from = end
	}
	f := 0
	for i, start := range w.cfg.Axis.Start {
		for f < len(w.ends)-1 && w.ends[f] <= float64(start) {
			f++
		}
		l.Codes[i] = int32(f)
	}
	w.cfg.Labels = append(w.cfg.Labels, l)
}
