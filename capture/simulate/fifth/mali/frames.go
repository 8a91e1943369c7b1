package mali

import (
	"math"
	"slices"

	"astrolabe/capture/simulate"
)

// assemble draws the frames of a scene.
func (a *author) assemble(s *scene) (*load, error) {
	r := simulate.NewRandom(uint64(len(a.b.segs))<<20^uint64(1e3*a.launch), "frames") // the same on every call
	w := &load{segs: a.b.segs, pacing: s.pacing, warm: 5, threads: max(1, s.threads), wait: s.wait,
		notify: r.Log(1.5e4, 1.2e5)}
	iv, all := 0.0, 0.0
	for i := range s.parts {
		x := &s.parts[i]
		w.contents = append(w.contents, x.content)
		c := &w.contents[i]
		c.jobs = slices.Clone(c.jobs)
		if x.even > 0 {
			if err := a.balance(w.segs, c, x.even); err != nil {
				return nil, err
			}
		}
		gpu, err := a.resize(w.segs, c, x.gpu)
		if err != nil {
			return nil, err
		}
		cpu := max(x.app, x.driver)
		if w.threads == 1 || s.wait != nil {
			cpu = x.app + x.driver
		}
		iv = max(gpu, cpu, float64(s.pacing.Interval()))
		all += iv / float64(len(s.parts))
	}
	total := r.Log(0.7e9, 2.6e9)
	n := int(min(190, max(48, total/all)))
	slow, fast := r.Between(0, 0.1), r.Between(0.005, 0.07)
	appSlow, appFast := r.Between(0, 0.15), r.Between(0.02, 0.2)
	spike := 0.0
	if r.Chance(0.2) {
		spike = 0.02
	}
	if s.rough {
		appFast = r.Between(0.3, 0.8)
	}
	if s.pacing.Requests || s.shown.Level != "" {
		spike, appFast = 0, appFast/2
	}
	drift, appDrift, at := 0.0, 0.0, 0.0
	for i := range n + w.warm {
		k := 0
		if len(s.parts) > 1 && i >= w.warm+n/2 {
			k = 1
		}
		x := &s.parts[k]
		drift, appDrift = 0.9*drift+0.44*r.NormFloat64(), 0.9*appDrift+0.44*r.NormFloat64()
		f := frame{content: k, app: x.app * near(appSlow*appDrift) * r.Spread(appFast), driver: x.driver * r.Spread(appFast)}
		whole := near(slow * drift)
		if r.Chance(spike) {
			whole *= r.Between(1.3, 2.2)
		}
		if r.Chance(spike) {
			f.app *= r.Between(1.5, 4)
		}
		for _, j := range w.contents[k].jobs {
			scale := j.size * whole * r.Spread(fast)
			if j.rare > 0 && r.Chance(j.rare) {
				scale /= j.rare
			} else if j.rare > 0 {
				scale *= 0.01
			}
			f.scale = append(f.scale, scale)
		}
		if s.pacing.Requests {
			// Somebody scrolls for a while, then reads.
			if i%12 == 0 && i > 0 {
				at += iv * r.Between(1, 14)
			}
			at += iv * float64(simulate.Pick(r, 1, 1, 1, 2))
			f.request = int64(at)
		}
		w.frames = append(w.frames, f)
	}
	if r.Chance(0.4) { // a camera, a decoder, processors that copy
		w.press = r.Between(0.05, 0.35)
		for t := 0.0; t < 2.5*all*float64(n); {
			t += r.Log(5e6, 8e8)
			w.pressed = append(w.pressed, int64(t))
		}
	}
	if !s.calm && r.Chance(0.25) {
		if err := a.beside(r, w); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// near is 1 + x, kept away from 0.
func near(x float64) float64 { return max(0.4, min(1.8, 1+x)) }

// beside adds another program's drawing: a compositor, a notification, a browser behind the window.
func (a *author) beside(r simulate.Random, w *load) error {
	b := &author{r: r, m: a.m, b: &builder{m: a.m, r: r, segs: slices.Clone(w.segs)}}
	width, height := b.resolution()
	d := b.widgets(width, height)
	d.parts = 1
	o := &other{binning: b.b.binning(d), main: b.b.main(d), period: 1e9 / simulate.Pick(r, 60.0, 60, 30, 90),
		spread: r.Between(0, 0.05)}
	o.phase = o.period * r.Float64()
	c := content{jobs: []job{{queue: qBinning, segs: o.binning, size: 1}, {queue: qMain, segs: o.main, size: 1, submit: 1}}}
	ns, err := a.solo(b.b.segs, &c)
	if err != nil {
		return err
	}
	f := o.period * r.Log(0.02, 0.12) / ns
	for range 16 {
		o.scale = append(o.scale, f*r.Spread(0.1))
	}
	w.segs, w.other = b.b.segs, o
	return nil
}

// solo is how long a frame takes if only the GPU takes time, at its highest clock.
func (a *author) solo(segs []segment, c *content) (float64, error) { return a.soloOf(segs, c, 6, 2) }

func (a *author) soloOf(segs []segment, c *content, frames, warm int) (float64, error) {
	e := engines.Get().(*engine)
	defer engines.Put(e)
	w := load{segs: segs, contents: []content{*c}, warm: warm, threads: 1, pacing: simulate.Pacing{Ahead: 3}}
	var scale []float64
	for _, j := range c.jobs {
		scale = append(scale, j.size)
	}
	for range frames {
		w.frames = append(w.frames, frame{scale: scale})
	}
	r := asItIs
	r.clock = true
	if err := e.run(a.m, &w, r, false, nil); err != nil {
		return 0, err
	}
	return float64(e.frames[frames-1].flip-e.frames[warm-1].flip) / float64(frames-warm), nil
}

// resize changes the work of a content until it takes so long; 0 leaves it. It returns how long it takes.
func (a *author) resize(segs []segment, c *content, want float64) (float64, error) {
	for {
		ns, err := a.solo(segs, c)
		if err != nil || want <= 0 || math.Abs(ns/want-1) < 0.02 {
			return ns, err
		}
		launch := 0.0
		for _, j := range c.jobs {
			launch += j.launch
		}
		if launch = min(launch, 0.8*ns); want < 1.3*launch {
			// So many jobs cannot take so little: they start faster.
			for j := range c.jobs {
				c.jobs[j].launch *= 0.4 * want / launch
			}
			continue
		}
		f := (want - launch) / (ns - launch)
		for j := range c.jobs {
			c.jobs[j].size *= max(0.05, min(50, f))
		}
		if f < 0.05 || f > 50 {
			continue
		}
		return want, nil
	}
}

// worthwhile reports whether queues that work in turn would gain by not doing so.
func (a *author) worthwhile(x part) (bool, error) {
	c := x.content
	c.jobs = slices.Clone(c.jobs)
	if err := a.balance(a.b.segs, &c, x.even); err != nil {
		return false, err
	}
	before, err := a.soloOf(a.b.segs, &c, 20, 6)
	if err != nil {
		return false, err
	}
	for i := range c.jobs {
		c.jobs[i].after = slices.DeleteFunc(slices.Clone(c.jobs[i].after), func(d dep) bool { return d.loose })
	}
	after, err := a.soloOf(a.b.segs, &c, 20, 6)
	return after < before*0.75, err
}

// balance gives the queues of a content as much work each, nearly.
func (a *author) balance(segs []segment, c *content, ratio float64) error {
	for _, queue := range []int{qBinning, qCompute} {
		one := content{}
		rest := content{}
		for _, j := range c.jobs {
			j.after = nil
			if j.queue == queue {
				one.jobs = append(one.jobs, j)
			} else {
				rest.jobs = append(rest.jobs, j)
			}
		}
		if len(one.jobs) == 0 || queue == qBinning && len(c.jobs) > 2 {
			continue
		}
		x, err := a.solo(segs, &one)
		if err != nil {
			return err
		}
		y, err := a.solo(segs, &rest)
		if err != nil {
			return err
		}
		f := y / x * ratio
		for j := range c.jobs {
			if c.jobs[j].queue == queue {
				c.jobs[j].size *= f
			}
		}
	}
	return nil
}
