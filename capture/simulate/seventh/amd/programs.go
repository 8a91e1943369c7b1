package amd

import "astrolabe/capture/simulate"

// program is a content with what the processor does for it.
type program struct {
	content      content
	app, driver  float64 // ns a frame
	evict        eviction
	full         bool // its buffers take more than the video memory
	screen, sync bool // it shows frames; it waits for the results of each
	compute      bool // it may be a program of the compute driver's
	requests     int64
	workers      int
}

// programs are kinds of programs with how often they come.
var programs = []struct {
	weight float64
	name   string
	make   func(s *scene) program
}{{38, "deferred game", deferred}, {24, "forward game", forwardGame}, {9, "open world that streams", streaming},
	{7, "old game", oldGame},
	{7, "drawing program", drawing}, {8, "inference", inference}, {6, "simulation", simulation}, {5, "graph analytics", analytics},
	{4, "transcoding", transcoding}, {4, "image filters", filters}, {5, "interface", desktop}, {4, "many small kernels", small}}

// calls is the processor's time for the draws.
func (s *scene) calls() float64 {
	n := 60e3
	for i := range s.content.jobs {
		for _, d := range s.content.jobs[i].parts {
			n += d[uCommand] / 260 * s.c.mhz / 1000 * 900
		}
	}
	return n * s.Log(0.4, 2.2)
}

func (s *scene) game(app float64) program {
	return program{app: app, driver: s.calls(), content: s.done(s.menu()), screen: true, workers: s.Whole(0, 5)}
}

func deferred(s *scene) program {
	s.shadows(s.Whole(1, 4))
	g, q := s.gbuffer(), simulate.Pick(s.Random, graphics, graphics, compute)
	ao := s.fullScreen("ambient occlusion", q, s.Log(6, 24), s.Log(100, 500), s.Between(6, 14))
	light := s.fullScreen("lighting", graphics, s.Log(5, 24), s.Log(300, 2000), s.Between(18, 34))
	if q == compute {
		s.after(ao, need{g, 0, false})
		s.after(light, need{ao, 0, false})
	}
	if s.Chance(0.4) { // rays, or light in a grid
		if ns := s.Log(0.3e6, 5e6); s.Chance(0.5) {
			s.blocked(graphics, ns)
		} else {
			s.scattered(graphics, ns)
		}
	}
	s.alpha(s.Log(0.2, 4))
	s.post(s.Whole(3, 7))
	return s.game(s.Log(1.5e6, 14e6))
}

func forwardGame(s *scene) program {
	s.shadows(s.Whole(0, 2))
	if s.Chance(0.5) {
		s.shadows(1) // from the eye: depth alone, first
	}
	s.forward()
	if s.Chance(0.6) {
		s.fullScreen("fog", graphics, s.Log(6, 40), s.Log(60, 900), s.Between(8, 24))
	}
	s.alpha(s.Log(0.5, 20))
	s.post(s.Whole(2, 5))
	return s.game(s.Log(1e6, 12e6))
}

// streaming loads what comes into sight. Where buffers do not fit, the driver moves some for every frame, and shaders
// read others over the link.
func streaming(s *scene) program {
	full, bytes := s.Chance(0.7) && !s.c.apu(), s.Log(2e6, 60e6)
	if full {
		bytes = s.Log(10e6, 300e6)
	}
	var moved eviction
	if full {
		moved = s.short(bytes)
	} else {
		s.upload(bytes)
	}
	s.shadows(2)
	g := s.gbuffer()
	s.fullScreen("lighting", graphics, s.Log(5, 16), s.Log(200, 1200), s.Between(24, 44))
	s.post(s.Whole(2, 4))
	if loose := s.Chance(0.4); !full && loose {
		s.after(g, need{0, 0, true})
	} else if !full {
		s.after(g, need{0, 1, false})
	}
	p := s.game(s.Log(2e6, 12e6))
	p.driver += bytes * 0.004
	if p.full, p.evict = full, moved; full {
		for i := range p.content.jobs {
			for k := range p.content.jobs[i].parts {
				d := &p.content.jobs[i].parts[k]
				d[uPCIe] += imperfect(d, 1) * s.Log(0.02, 0.9)
			}
		}
	}
	return p
}

func oldGame(s *scene) program {
	s.forward()
	p := s.game(s.Log(4e6, 30e6))
	p.driver, p.workers = p.driver*s.Log(1, 5), 0
	return p
}

func drawing(s *scene) program {
	s.draw("model", s.Log(2e3, 4e4), s.Log(2e6, 6e7), 1.2, 1, 1.6, 1, 60, 8)
	p := s.game(s.Log(0.5e6, 6e6))
	p.driver *= s.Log(0.1, 1)
	return p
}

// batch is a program without frames on a display.
func (s *scene) batch(last int, app, driver, waits float64) program {
	return program{app: app, driver: driver, content: s.done(last), sync: s.Chance(waits), compute: true}
}

// inference multiplies matrices; a language model writes one word after the other and reads all its weights for each.
func inference(s *scene) program {
	n, size, words, last := s.Whole(12, 40), s.Log(3e8, 3e10), s.Chance(0.4), 0
	for range n {
		switch {
		case words && s.Chance(0.8):
			last = s.stream(compute, s.Log(2e6, 8e7))
		case s.Chance(0.6):
			last = s.matrix(compute, size*s.Spread(0.5))
		default:
			last = s.stream(compute, s.Log(1e6, 5e7))
		}
	}
	return s.batch(last, s.Log(0.1e6, 4e6), float64(n)*s.Log(4e3, 3e4), 0.8)
}

func simulation(s *scene) program {
	last := 0
	for range s.Whole(3, 8) {
		switch s.IntN(4) {
		case 0:
			last = s.matrix(compute, s.Log(1e9, 3e11))
		case 1:
			last = s.blocked(compute, s.Log(0.5e6, 12e6))
		default:
			last = s.stream(compute, s.Log(2e7, 3e9))
		}
	}
	return s.batch(last, s.Log(0.05e6, 2e6), s.Log(3e4, 3e5), 0.1)
}

func analytics(s *scene) program {
	last := 0
	for range s.Whole(3, 9) {
		if s.Chance(0.65) {
			last = s.scattered(compute, s.Log(0.2e6, 10e6))
		} else {
			last = s.stream(compute, s.Log(1e6, 6e8))
		}
	}
	return s.batch(last, s.Log(0.05e6, 2e6), s.Log(3e4, 4e5), 0.6)
}

// transcoding encodes one picture behind, so that all engines have work; with one buffer alone they work in turn.
func transcoding(s *scene) program {
	blocks := simulate.Pick(s.Random, 8160, 14400, 32400.0) // of 16 x 16 pixels, 1080p to 2160p
	s.pixels = blocks * 256
	d := s.add("decode", video, none, work{macroblocks: blocks * s.Between(0.3, 0.8), main: s.pixels * 4})
	f := s.fullScreen("scale", compute, s.Log(4, 400), s.Log(30, 9000), s.Between(6, 20))
	s.after(f, need{d, 0, false})
	en, alone := s.add("encode", video, none, work{macroblocks: blocks * s.Between(0.4, 1.4), main: s.pixels * 6}), s.Chance(0.3)
	if s.after(en, need{f, 0, true}); !alone {
		s.content.jobs[en].after = []need{{f, 1, false}}
	}
	p := s.batch(en, s.Log(0.2e6, 9e6), s.Log(1e5, 6e5), 0)
	p.compute = false
	return p
}

func filters(s *scene) program {
	up, last := s.upload(s.pixels*8), 0
	for i := range s.Whole(2, 6) {
		if last = s.fullScreen("filter", compute, s.Log(2, 60), s.Log(20, 2000), s.Between(8, 40)); i == 0 {
			s.after(last, need{up, 0, s.Chance(0.5)})
		}
	}
	down := s.upload(s.pixels * 8)
	s.after(down, need{last, 0, false})
	return s.batch(down, s.Log(0.3e6, 5e6), s.Log(5e4, 5e5), 0.5)
}

func desktop(s *scene) program {
	for range s.Whole(1, 4) {
		s.fullScreen("blur", graphics, s.Log(4, 30), s.Log(10, 100), s.Between(6, 14))
	}
	p := s.game(s.Log(0.5e6, 6e6))
	if s.Chance(0.5) {
		p.requests = int64(s.Log(12e6, 80e6))
	}
	return p
}

func small(s *scene) program {
	last := 0
	for range s.Whole(15, 50) {
		last = s.stream(compute, s.Log(1e4, 2e6))
	}
	return s.batch(last, s.Log(0.02e6, 0.6e6), float64(last)*s.Log(2e3, 1.2e4), 0.4)
}
