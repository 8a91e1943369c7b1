package mali

import (
	"math"

	"astrolabe/capture/simulate"
)

// program is a kind of what people run.
type program struct {
	name    string
	passes  []string
	more    int  // how many times the last pass may come again
	gpu     span // ms of a frame, on G1; G52 takes twice as long for less
	app     span // of the GPU's time
	driver  span
	pixels  span    // of a frame, in millions
	offline bool    // nothing is shown
	wait    float64 // chance that results are waited for
}

var programs = []program{
	{name: "forward game", passes: []string{"shadow", "opaque", "alpha", "ui"}, gpu: span{5, 22}, app: span{.4, 1.3}, driver: span{.1, .7}, pixels: span{.8, 3}},
	{name: "deferred game", passes: []string{"shadow", "shadow", "gbuffer", "light", "post", "post", "ui"}, more: 2, gpu: span{8, 30}, app: span{.4, 1.25}, driver: span{.1, .5}, pixels: span{.8, 3}},
	{name: "game with compute", passes: []string{"particles", "shadow", "gbuffer", "light", "image", "ui"}, gpu: span{8, 28}, app: span{.4, 1.2}, driver: span{.1, .5}, pixels: span{.8, 2.5}},
	{name: "much alpha", passes: []string{"opaque", "alpha", "alpha", "post"}, gpu: span{5, 22}, app: span{.4, 1.25}, driver: span{.1, .4}, pixels: span{.8, 3}},
	{name: "strategy game", passes: []string{"shadow", "opaque", "opaque", "ui"}, gpu: span{3, 12}, app: span{.7, 2.2}, driver: span{.4, 1.6}, pixels: span{.8, 2.5}},
	{name: "user interface", passes: []string{"ui", "ui"}, more: 2, gpu: span{1, 5}, app: span{.3, 2}, driver: span{.2, .8}, pixels: span{1.5, 4}},
	{name: "video player", passes: []string{"video", "ui"}, gpu: span{1.5, 6}, app: span{.1, .6}, driver: span{.1, .4}, pixels: span{2, 8}},
	{name: "camera filter", passes: []string{"video", "post"}, more: 5, gpu: span{3, 16}, app: span{.1, .7}, driver: span{.1, .4}, pixels: span{1, 4}, wait: .3},
	{name: "inference", passes: []string{"layer"}, more: 70, gpu: span{3, 60}, app: span{.02, .4}, driver: span{.05, .6}, pixels: span{.3, 3}, offline: true, wait: .7},
	{name: "convolutions", passes: []string{"image", "matrix"}, more: 12, gpu: span{6, 60}, app: span{.02, .3}, driver: span{.03, .3}, pixels: span{.3, 2}, offline: true, wait: .6},
	{name: "simulation", passes: []string{"particles", "gather"}, more: 6, gpu: span{4, 50}, app: span{.02, .4}, driver: span{.03, .3}, pixels: span{.5, 2}, offline: true, wait: .3},
	{name: "many triangles", passes: []string{"shadow", "gbuffer", "ui"}, gpu: span{6, 20}, app: span{.4, 1.2}, driver: span{.1, .4}, pixels: span{.4, 1}},
	{name: "ray-traced game", passes: []string{"shadow", "gbuffer", "rays", "light", "post", "ui"}, gpu: span{10, 32}, app: span{.35, 1.1}, driver: span{.1, .4}, pixels: span{.8, 2.5}},
}

// build adds a content of passes. each changes its segments.
func (k *maker) build(name string, passes []string, pixels float64, each func(s *segment)) *content {
	r, first := k.r, len(k.w.segments)
	c := &content{name: name}
	last := -1 // what the next pass samples
	for _, p := range passes {
		st := styles[p]
		geometry, work := k.pass(&st, pixels)
		if st.kind == kindComp {
			j := job{queue: k.w.segments[work[0]].queue, segments: work}
			if last >= 0 && r.Chance(.8) {
				j.after = []dependency{{job: last}}
			}
			c.jobs = append(c.jobs, j)
			last = len(c.jobs) - 1
			continue
		}
		c.jobs = append(c.jobs, job{queue: queueGeom, segments: geometry})
		f := job{queue: queueFrag, segments: work, after: []dependency{{job: len(c.jobs) - 1}}}
		if last >= 0 {
			f.after = append(f.after, dependency{job: last})
		}
		c.jobs = append(c.jobs, f)
		last = len(c.jobs) - 1
	}
	for i := range c.jobs {
		c.jobs[i].at = .95 * float64(i+1) / float64(len(c.jobs))
	}
	for i := first; each != nil && i < len(k.w.segments); i++ {
		each(&k.w.segments[i])
	}
	k.w.contents = append(k.w.contents, c)
	return c
}

// lasts makes a content's work such that the GPU alone takes so many ns for a frame, as far as the amount of work decides
// it; it returns what it takes.
func (k *maker) lasts(c *content, ns float64) float64 {
	got := 0.0
	for range 3 {
		got = k.alone(c)
		by := min(20, max(.02, ns/got))
		for _, j := range c.jobs {
			for _, s := range j.segments {
				s := &k.w.segments[s]
				s.warps = max(1, s.warps*by)
			}
		}
	}
	return k.alone(c)
}

// alone is the time of a frame with nothing but the GPU's work, at its highest clock.
func (k *maker) alone(c *content) float64 {
	own := *c
	own.app, own.driver, own.wait = 0, 0, false
	w := load{contents: []*content{&own}, segments: k.w.segments, pace: simulate.Pacing{Ahead: 3}}
	for range 6 {
		w.frames = append(w.frames, frame{0, 1, 1})
	}
	r := noRelief
	r.highest = true
	x, err := simulateLoad(k.m, &w, &r, false, nil)
	if err != nil {
		panic(err) // a program that waits for itself
	}
	return float64(x.frames[5].Shown-x.frames[2].Shown) / 3
}

// barriers lets binning and compute wait for fragments that they do not need, as programs do that order everything.
func (k *maker) barriers(c *content) {
	for i := range c.jobs {
		if c.jobs[i].queue == queueFrag {
			continue
		}
		for j := i - 1; j >= 0; j-- {
			if c.jobs[j].queue != c.jobs[i].queue {
				c.jobs[i].after = append(c.jobs[i].after, dependency{job: j, loose: true})
				break
			}
		}
		if i == 0 {
			c.jobs[i].after = append(c.jobs[i].after, dependency{job: len(c.jobs) - 1, prior: true, loose: true})
		}
	}
}

// draw adds a content of a program.
func (k *maker) draw(p *program, pixels float64) (c *content, gpu float64) {
	r := k.r
	passes := append([]string(nil), p.passes...)
	for range r.IntN(p.more + 1) {
		passes = append(passes, simulate.Pick(r, p.passes[max(0, len(p.passes)-2):]...))
	}
	triangles := 1.0
	if p.name == "many triangles" {
		triangles = r.Between(2, 6)
	}
	c = k.build(p.name, passes, pixels, func(s *segment) {
		if s.kind == kindGeom {
			s.warps *= triangles
		} else {
			s.prims *= triangles
		}
	})
	gpu = p.gpu.draw(r) * 1e6
	if !k.m.csf {
		gpu *= 2
	}
	gpu = k.lasts(c, gpu)
	c.app, c.driver = gpu*p.app.draw(r), gpu*p.driver.draw(r)
	c.wait = r.Chance(p.wait)
	if !p.offline && r.Chance(.15) {
		k.barriers(c)
	}
	return c, gpu
}

// pace draws how frames are paced, and how many there are.
func (k *maker) pace(offline bool, frame float64) {
	r := k.r
	p := simulate.Pacing{Ahead: 2 + r.IntN(2)}
	if offline {
		p.Ahead = 1 + r.IntN(3)
	} else if r.Chance(.45) {
		p.Refresh = int64(1e9 / simulate.Pick(r, k.refreshes()...))
		p.Buffers, p.Align = 3, r.Chance(.6)
	} else if r.Chance(.12) { // a limit of its own
		p.Cap = int64(1e9 / simulate.Pick(r, 30.0, 60))
	}
	k.w.pace, k.w.single = p, r.Chance(.35)
	k.w.warm = 6
	n := int(min(220, max(20, r.Between(.8, 2.5)*1e9/frame)))
	for range n + k.w.warm {
		k.w.frames = append(k.w.frames, k.frame(0))
	}
}

func (k *maker) refreshes() []float64 {
	if k.m.csf {
		return []float64{60, 90, 120, 144}
	}
	return []float64{60, 60, 60, 90}
}

func (k *maker) frame(content int) frame {
	return frame{content, k.r.Spread(.1), k.r.Spread(.2)}
}

// warmth gives the chip a thermal governor: a case that heats up during the recording where hot.
func (k *maker) warmth(hot bool) {
	r := k.r
	h := &simulate.Heat{Ambient: r.Between(32, 45), Throttle: r.Between(72, 85), Full: 2.2, Time: r.Between(2e9, 8e9)}
	if k.m.csf {
		h.Full = 9
	}
	rise := h.Throttle - h.Ambient
	h.Start, h.Resistance = h.Ambient+rise*r.Between(.5, .85), rise*r.Between(.75, .97)/h.Full
	if hot {
		h.Start, h.Resistance = h.Throttle+r.Between(-1, 1.5), rise*r.Between(1.5, 2.6)/h.Full
	}
	k.m.clock.Heat = h
}

// saver is a mode that saves power: the governor stays at a low step.
func (k *maker) saver() {
	c := &k.m.clock
	c.Start = k.r.IntN(len(c.Steps) - 2)
	c.Up, c.Down = 2, -1
}

// phases gives the second half of the frames the second content.
func (k *maker) phases() {
	half := len(k.w.frames) / 2
	for i := range k.w.frames {
		if i >= half {
			k.w.frames[i].content = 1
		}
	}
}

// longest is a rough time of a frame.
func longest(c *content, gpu float64) float64 { return math.Max(gpu, max(c.app, c.driver)) }
