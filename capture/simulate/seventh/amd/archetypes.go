package amd

import "astrolabe/capture/simulate"

// program is a content with what the processor does for it.
type program struct {
	content     content
	app, driver float64 // ns a frame
	evict       eviction
	full        bool // its buffers take more than the video memory
	screen      bool // shows frames
	sync        bool // waits for each frame's results
	requests    int64
	workers     int
}

// kindOf is a kind of program with how often it comes.
type kindOf struct {
	weight float64
	name   string
	make   func(s *scene) program
}

var kinds = []kindOf{
	{20, "deferred game", deferred}, {14, "forward game", forwardGame}, {8, "game of effects", effects},
	{7, "open world that streams", streaming}, {9, "old game", oldGame}, {7, "drawing program", drawing}, {8, "inference", inference},
	{6, "simulation", simulation}, {5, "graph analytics", analytics}, {5, "transcoding", transcoding}, {4, "image filters", filters},
	{4, "interface", desktop}, {4, "many small kernels", small},
}

// calls is the processor's time of so many draws.
func (s *scene) calls() float64 {
	n := 60e3
	for i := range s.content.jobs {
		for _, d := range s.content.jobs[i].parts {
			n += d[uCommand] / 260 * s.c.mhz / 1000 * 900
		}
	}
	return n * s.Log(0.4, 2.2)
}

func deferred(s *scene) program {
	s.shadows(s.Whole(1, 4))
	g := s.gbuffer()
	async := s.Chance(0.35)
	q := graphics
	if async {
		q = compute
	}
	ao := s.fullScreen("ambient occlusion", q, s.Log(6, 24), s.Log(100, 500), s.Between(6, 14))
	light := s.fullScreen("lighting", graphics, s.Log(5, 24), s.Log(300, 2600), s.Between(24, 44))
	if async {
		s.after(ao, need{g, 0, false})
		s.after(light, need{ao, 0, false})
	}
	if s.Chance(0.5) {
		s.reusedPass(s.Log(0.2e6, 3e6))
	}
	s.alpha(s.Log(0.2, 4))
	s.post(s.Whole(3, 7))
	return program{app: s.Log(1.5e6, 14e6), driver: s.calls(), content: s.done(s.menu()), screen: true, workers: s.Whole(0, 5)}
}

// reusedPass is a compute pass in a frame that works in caches, such as one over a tree of bounding boxes.
func (s *scene) reusedPass(ns float64) {
	k := s.reused(ns, s.Chance(0.4))
	s.content.jobs[k].queue = graphics
	if s.Chance(0.5) {
		for i := range s.content.jobs[k].parts {
			p := &s.content.jobs[k].parts[i]
			p[uLatency] = p[uCache] * s.Between(0.6, 1.3)
		}
	}
}

func forwardGame(s *scene) program {
	s.shadows(s.Whole(0, 2))
	s.forward()
	s.alpha(s.Log(0.5, 8))
	s.post(s.Whole(1, 4))
	return program{app: s.Log(1e6, 12e6), driver: s.calls(), content: s.done(s.menu()), screen: true, workers: s.Whole(0, 3)}
}

func effects(s *scene) program {
	s.forward()
	s.alpha(s.Log(6, 50))
	s.post(s.Whole(1, 3))
	return program{app: s.Log(0.8e6, 8e6), driver: s.calls(), content: s.done(s.menu()), screen: true, workers: 1}
}

func streaming(s *scene) program {
	full := s.Chance(0.7) && !s.c.apu()
	bytes := s.Log(2e6, 60e6)
	if full {
		bytes = s.Log(40e6, 500e6)
	}
	up := s.upload(bytes)
	s.shadows(2)
	g := s.gbuffer()
	s.fullScreen("lighting", graphics, s.Log(5, 16), s.Log(200, 1200), s.Between(24, 44))
	s.post(s.Whole(2, 4))
	if full || s.Chance(0.4) {
		s.after(g, need{up, 0, !full})
	} else {
		s.after(g, need{up, 1, false})
	}
	p := program{app: s.Log(2e6, 12e6), content: s.done(s.menu()), screen: true, workers: s.Whole(1, 5), full: full}
	p.driver = s.calls() + bytes*0.004
	if full {
		p.evict = eviction{bytes: bytes, buffers: bytes / s.Log(2e6, 16e6)}
		for i := range p.content.jobs { // buffers that found no room are read over the link
			j := &p.content.jobs[i]
			for k := range j.parts {
				j.parts[k][uPCIe] += solo(&j.parts[k], 1) * s.Log(0.02, 0.7)
			}
		}
	}
	return p
}

func oldGame(s *scene) program {
	s.forward()
	return program{app: s.Log(4e6, 30e6), driver: s.calls() * s.Log(1, 5), content: s.done(s.menu()), screen: true}
}

func drawing(s *scene) program {
	w := s.meshes(s.Log(2e3, 4e4), s.Log(2e6, 6e7))
	w.pixels, w.tested, w.written = s.pixels*1.5, s.pixels*2, s.pixels*1.2
	w.flops += s.pixels * 60
	s.add("model", graphics, meshes, w)
	return program{app: s.Log(0.5e6, 6e6), driver: s.calls() * s.Log(0.1, 1.2), content: s.done(s.menu()), screen: true}
}

func inference(s *scene) program {
	n := s.Whole(12, 40)
	size := s.Log(3e8, 3e10)
	decode := s.Chance(0.4) // a language model writes one word after the other: its weights are read for each
	last := 0
	for range n {
		switch {
		case decode:
			last = s.stream("matrix by vector", s.Log(2e6, 8e7))
		case s.Chance(0.6):
			last = s.matrix(size * s.Spread(0.5))
		default:
			last = s.stream("element by element", s.Log(1e6, 5e7))
		}
	}
	return program{app: s.Log(0.1e6, 4e6), driver: float64(n) * s.Log(4e3, 3e4), content: s.done(last), sync: s.Chance(0.8)}
}

func simulation(s *scene) program {
	last := 0
	for range s.Whole(3, 8) {
		switch s.IntN(4) {
		case 0:
			last = s.kernel("bodies", compute, work{draws: 1, flops: s.Log(1e9, 3e11), shared: s.Log(1e7, 1e10), main: s.Log(1e5, 1e8)})
		case 1:
			last = s.reused(s.Log(0.5e6, 12e6), s.Chance(0.6))
		default:
			last = s.stream("stencil", s.Log(2e7, 3e9))
		}
	}
	return program{app: s.Log(0.05e6, 2e6), driver: s.Log(3e4, 3e5), content: s.done(last)}
}

func analytics(s *scene) program {
	last := 0
	for range s.Whole(3, 9) {
		if s.Chance(0.65) {
			last = s.scattered(s.Log(0.2e6, 10e6))
		} else {
			last = s.stream("scan", s.Log(1e6, 6e8))
		}
	}
	return program{app: s.Log(0.05e6, 2e6), driver: s.Log(3e4, 4e5), content: s.done(last), sync: s.Chance(0.6)}
}

func transcoding(s *scene) program {
	blocks := simulate.Pick(s.Random, 8160, 14400, 32400.0) // of 16 x 16 pixels, 1080p to 2160p
	s.pixels = blocks * 256
	d := s.add("decode", video, none, work{macroblocks: blocks * s.Between(0.5, 1), main: s.pixels * 4})
	f := s.fullScreen("scale", compute, s.Log(4, 120), s.Log(30, 3000), s.Between(6, 20))
	s.after(f, need{d, 0, false})
	en := s.add("encode", video, none, work{macroblocks: blocks * s.Between(0.6, 1.6), main: s.pixels * 6})
	// Pictures are encoded one behind, so that all three engines have work; one buffer alone lets them work in turn.
	if s.Chance(0.3) {
		s.after(en, need{f, 0, true})
	} else {
		s.after(en, need{f, 1, false})
	}
	c := s.done(en)
	return program{app: s.Log(0.2e6, 9e6), driver: s.Log(1e5, 6e5), content: c}
}

func filters(s *scene) program {
	last := 0
	up := s.upload(s.pixels * 8)
	for i := range s.Whole(2, 6) {
		last = s.fullScreen("filter", compute, s.Log(2, 60), s.Log(20, 2000), s.Between(8, 40))
		if i == 0 {
			s.after(last, need{up, 0, s.Chance(0.5)})
		}
	}
	down := s.upload(s.pixels * 8)
	s.after(down, need{last, 0, false})
	return program{app: s.Log(0.3e6, 5e6), driver: s.Log(5e4, 5e5), content: s.done(down), sync: s.Chance(0.5)}
}

func desktop(s *scene) program {
	s.menu()
	for range s.Whole(1, 4) {
		s.fullScreen("blur", graphics, s.Log(4, 30), s.Log(10, 100), s.Between(6, 14))
	}
	p := program{app: s.Log(0.5e6, 6e6), driver: s.calls(), content: s.done(s.menu()), screen: true}
	if s.Chance(0.5) {
		p.requests = int64(s.Log(12e6, 80e6))
	}
	return p
}

func small(s *scene) program {
	last := 0
	for range s.Whole(15, 50) {
		last = s.stream("small", s.Log(1e4, 2e6))
	}
	return program{app: s.Log(0.02e6, 0.6e6), driver: float64(len(s.content.jobs)) * s.Log(2e3, 1.2e4), content: s.done(last),
		sync: s.Chance(0.4)}
}
