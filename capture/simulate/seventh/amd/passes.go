package amd

import "astrolabe/capture/simulate"

// scene makes contents: it adds passes as programs have them, at a size of target.
type scene struct {
	simulate.Random
	c       *card
	content *content
	pixels  float64 // of the target
	detail  float64 // triangles by what is usual
	reuse   float64 // share of traffic that the Infinity Cache serves
}

func newScene(r simulate.Random, c *card, name string) *scene {
	s := &scene{Random: r, c: c, content: &content{name: name}, detail: r.Log(0.2, 2) * min(1, 0.35+c.engines*0.15)}
	switch power := c.cus * c.mhz; {
	case power < 50e3:
		s.pixels = simulate.Pick(r, 1280*720, 1280*800, 1920*1080.0)
	case power < 120e3:
		s.pixels = simulate.Pick(r, 1920*1080, 1920*1080, 2560*1440.0)
	default:
		s.pixels = simulate.Pick(r, 1920*1080, 2560*1440, 3840*2160, 3840*2160.0)
	}
	s.reuse = min(0.6, c.mall/(s.pixels*28/(1<<20))) * r.Between(0.6, 1)
	return s
}

// put adds a pass of so much time of each unit, in n parts that differ, and returns its number.
func (s *scene) put(name string, queue int, sh shape, d vector, n int, differ, fixed float64) int {
	s.content.jobs = append(s.content.jobs, job{name: name, queue: queue, shape: sh, fixed: fixed,
		parts: spreadParts(s.Random, d, n, differ), scatter: s.Between(0.02, 0.4)})
	return len(s.content.jobs) - 1
}

// add adds a pass of so much work. Its traffic beyond L2 is less what the Infinity Cache serves.
func (s *scene) add(name string, queue int, sh shape, w work) int {
	w.main *= 1 - s.reuse
	d := s.c.demand(&w)
	fixed := [queues]float64{s.Between(4e3, 9e3), s.Between(4e3, 9e3), s.Between(10e3, 25e3), s.Between(60e3, 140e3)}[queue]
	n, long := 1, imperfect(&d, 1)
	for _, more := range []float64{5e4, 2e5, 8e5, 3e6} {
		if long > more {
			n++
		}
	}
	return s.put(name, queue, sh, d, n, 0.5, fixed)
}

func (s *scene) after(k int, n need) { s.content.jobs[k].after = append(s.content.jobs[k].after, n) }

// done spreads the submissions over the driver's work, and marks what writes the picture.
func (s *scene) done(picture int) content {
	for i := range s.content.jobs {
		s.content.jobs[i].submit = float64(i+1) / float64(len(s.content.jobs))
		if i > 0 && s.content.jobs[0].name == moving {
			s.after(i, need{0, 0, false})
		}
	}
	s.content.jobs[picture].image = true
	return *s.content
}

// draw is a pass of meshes: draws, triangles, and for each pixel of the target how often it is covered, what is written
// by colour and depth, the samples, operations and bytes.
func (s *scene) draw(name string, draws, triangles, over, colour, depth, samples, flops, bytes float64) int {
	n := s.pixels * over
	return s.add(name, graphics, meshes, work{draws: draws, triangles: triangles, vertices: triangles * s.Between(0.55, 1.1),
		pixels: n * 1.3, tested: n * depth, written: n * colour, samples: n * samples, flops: n*flops + triangles*220,
		loads: triangles * 40, cached: n*(samples*1.6+colour*4) + triangles*60, main: n*bytes + triangles*s.Between(15, 35)})
}

func (s *scene) shadows(passes int) {
	for range passes {
		side, triangles := simulate.Pick(s.Random, 1024, 2048, 2048, 4096.0), s.detail*s.Log(6e4, 9e5)
		n := side * side * s.Between(0.8, 2)
		s.add("shadow map", graphics, onlyZ, work{draws: s.Log(80, 900), triangles: triangles, vertices: triangles * 0.8, pixels: n,
			tested: n, flops: triangles * 120, loads: triangles * 30, cached: n * 2, main: side*side*2 + triangles*25})
	}
}

func (s *scene) gbuffer() int {
	return s.draw("g-buffer", s.Log(300, 4000), s.detail*s.Log(4e5, 4e6), s.Between(1.1, 2.2), s.Between(4, 7), 1.6, s.Log(5, 26),
		s.Log(150, 700), s.Between(24, 50))
}

func (s *scene) forward() int {
	return s.draw("forward", s.Log(200, 3000), s.detail*s.Log(2e5, 3e6), s.Between(1.2, 3), s.Between(1, 2.2), 1.8, s.Log(6, 45),
		s.Log(250, 2500), s.Between(10, 26))
}

func (s *scene) alpha(layers float64) int {
	return s.draw("transparent", s.Log(20, 300), s.Log(2e3, 2e5), layers, simulate.Pick(s.Random, 1.5, 2, 2, 4), 1, s.Between(1, 4),
		s.Log(30, 200), s.Between(2, 8))
}

func (s *scene) menu() int {
	return s.draw("user interface", s.Log(10, 250), s.Log(500, 3e4), s.Between(0.3, 2.5), 1.6, 0, 1, 20, 6)
}

// fullScreen is a pass over all pixels: so many samples, operations and bytes for each.
func (s *scene) fullScreen(name string, queue int, samples, flops, bytes float64) int {
	w := work{draws: 1, samples: s.pixels * samples, flops: s.pixels * flops, cached: s.pixels * (samples*1.8 + bytes),
		main: s.pixels * bytes}
	if s.Chance(0.5) || queue == compute {
		w.loads, w.shared = s.pixels*bytes, s.pixels*s.Between(0, 24)
		return s.add(name, queue, threads, w)
	}
	w.pixels, w.written, w.vertices, w.triangles = s.pixels, s.pixels*2, 3, 1
	return s.add(name, queue, screen, w)
}

func (s *scene) post(n int) (last int) {
	for range n {
		last = s.fullScreen("post processing", graphics, s.Log(1, 14), s.Log(20, 250), s.Between(8, 28))
	}
	return last
}

// upload brings data over the link with a copy engine. On an APU it stays in main memory.
func (s *scene) upload(bytes float64) int {
	return s.add("upload", copying, none, work{host: bytes, copied: bytes})
}

// short lets video memory be too small: the driver moves so many bytes before a frame's work may start. It is the first
// pass of a content.
func (s *scene) short(bytes float64) eviction {
	s.content.jobs[s.upload(bytes)].name = moving
	return eviction{bytes, bytes / s.Log(2e6, 16e6)}
}

// moving is the driver's own work on a copy engine.
const moving = "move"

// matrix is a product of matrices with so many operations.
func (s *scene) matrix(queue int, flops float64) int {
	return s.add("matrix product", queue, threads, work{draws: 1, flops: flops * s.Between(0.85, 1.1),
		shared: flops * s.Between(0.25, 0.9), loads: flops * s.Between(0.06, 0.25), cached: flops * s.Between(0.03, 0.1),
		main: flops * s.Log(0.004, 0.05)})
}

// stream is work of so many bytes with little arithmetic.
func (s *scene) stream(queue int, bytes float64) int {
	return s.add("stream", queue, threads, work{draws: 1, main: bytes, cached: bytes * s.Between(1, 1.6),
		loads: bytes * s.Between(1, 1.5), flops: bytes * s.Log(0.3, 6)})
}

// scattered is work that follows pointers: so many ns in which its waves wait.
func (s *scene) scattered(queue int, ns float64) int {
	bytes := ns * s.c.gbs
	return s.add("graph", queue, threads, work{draws: 1, chains: ns, main: bytes * s.Between(0.1, 0.45),
		cached: bytes * s.Between(0.2, 0.6), loads: bytes * s.Between(0.1, 0.5), flops: bytes})
}

// blocked is work that lives in L2, or in the local memory, for so many ns.
func (s *scene) blocked(queue int, ns float64) int {
	bytes := ns * s.c.channels * 64 * s.c.mhz / 1000 * 0.7
	w := work{draws: 1, cached: bytes, loads: bytes * s.Between(0.4, 0.7), flops: bytes * s.Between(0.5, 2), main: bytes * 0.03}
	if s.Chance(0.5) {
		w.shared, w.cached, w.loads = ns*s.c.cus*128*s.c.mhz/1000*0.75, bytes*0.2, bytes*0.2
	}
	return s.add("blocked", queue, threads, w)
}
