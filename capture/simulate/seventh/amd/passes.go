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
	s := &scene{Random: r, c: c, content: &content{name: name}}
	power := c.cus * c.mhz
	switch {
	case power < 50e3:
		s.pixels = simulate.Pick(r, 1280*720, 1280*800, 1920*1080.0)
	case power < 120e3:
		s.pixels = simulate.Pick(r, 1920*1080, 1920*1080, 2560*1440.0)
	default:
		s.pixels = simulate.Pick(r, 1920*1080, 2560*1440, 3840*2160, 3840*2160.0)
	}
	s.detail = r.Log(0.2, 2) * min(1, 0.35+c.engines*0.15)
	s.reuse = min(0.6, c.mall/(s.pixels*28/(1<<20))) * r.Between(0.6, 1)
	return s
}

// add adds a pass and returns its number. Its traffic beyond L2 is less what the Infinity Cache serves.
func (s *scene) add(name string, queue int, sh shape, w work) int {
	w.main *= 1 - s.reuse
	d := s.c.demand(&w)
	fixed := s.Between(4e3, 9e3)
	switch queue {
	case copying:
		fixed = s.Between(10e3, 25e3)
	case video:
		fixed = s.Between(60e3, 140e3)
	}
	longest := solo(&d, 1)
	n := 1
	switch {
	case longest > 3e6:
		n = 5
	case longest > 4e5:
		n = 3
	case longest > 5e4:
		n = 2
	}
	s.content.jobs = append(s.content.jobs, job{name: name, queue: queue, shape: sh, fixed: fixed,
		parts: spreadParts(s.Random, d, n, 0.3), scatter: s.Between(0.02, 0.3)})
	return len(s.content.jobs) - 1
}

func (s *scene) after(k int, needs ...need) {
	s.content.jobs[k].after = append(s.content.jobs[k].after, needs...)
}

// done spreads the submissions over the driver's work, and marks what writes the picture.
func (s *scene) done(picture int) content {
	n := len(s.content.jobs)
	for i := range s.content.jobs {
		s.content.jobs[i].submit = float64(i+1) / float64(n)
	}
	s.content.jobs[picture].image = true
	return *s.content
}

// vertexWork is what drawing meshes asks of the front of the pipe.
func (s *scene) meshes(draws, triangles float64) work {
	return work{draws: draws, triangles: triangles, vertices: triangles * s.Between(0.55, 1.1), flops: triangles * 220,
		loads: triangles * 40, cached: triangles * 60, main: triangles * s.Between(15, 35)}
}

func (s *scene) shadows(passes int) {
	for range passes {
		side := simulate.Pick(s.Random, 1024, 2048, 2048, 4096.0)
		w := s.meshes(s.Log(80, 900), s.detail*s.Log(6e4, 9e5))
		w.pixels = side * side * s.Between(0.8, 2)
		w.tested, w.main, w.cached = w.pixels, w.main+side*side*2*s.Between(0.6, 1.2), w.cached+w.pixels*2
		s.add("shadow map", graphics, onlyZ, w)
	}
}

func (s *scene) gbuffer() int {
	w := s.meshes(s.Log(300, 4000), s.detail*s.Log(4e5, 4e6))
	over := s.Between(1.1, 2.2)
	w.pixels, w.tested = s.pixels*over*1.5, s.pixels*over*1.6
	w.written = s.pixels * over * s.Between(4, 7)
	w.samples = s.pixels * over * s.Log(5, 26)
	w.flops += s.pixels * over * s.Log(150, 700)
	w.cached += w.samples*5 + w.written*5
	w.main += s.pixels * over * s.Between(24, 50)
	return s.add("g-buffer", graphics, meshes, w)
}

func (s *scene) forward() int {
	w := s.meshes(s.Log(200, 3000), s.detail*s.Log(2e5, 3e6))
	over := s.Between(1.2, 3)
	w.pixels, w.tested, w.written = s.pixels*over*1.4, s.pixels*over*1.8, s.pixels*over*s.Between(1, 2.2)
	w.samples = s.pixels * over * s.Log(8, 40)
	w.flops += s.pixels * over * s.Log(400, 2500)
	w.cached += w.samples * 4
	w.main += s.pixels * over * s.Between(10, 26)
	return s.add("forward opaque", graphics, meshes, w)
}

func (s *scene) alpha(layers float64) int {
	w := s.meshes(s.Log(20, 300), s.Log(2e3, 2e5))
	n := s.pixels * layers
	w.pixels, w.tested, w.written = n, n, n*simulate.Pick(s.Random, 1.5, 2, 2, 4)
	w.samples, w.flops = n*s.Between(1, 4), w.flops+n*s.Log(30, 200)
	w.cached += n * 16
	w.main += n * s.Between(2, 8)
	return s.add("transparent", graphics, meshes, w)
}

// fullScreen is a pass over all pixels: so many samples, operations and bytes for each.
func (s *scene) fullScreen(name string, queue int, samples, flops, bytes float64) int {
	sh := screen
	w := work{draws: 1, samples: s.pixels * samples, flops: s.pixels * flops, cached: s.pixels * (samples*4 + bytes),
		main: s.pixels * bytes}
	if s.Chance(0.5) || queue == compute {
		sh = threads
		w.loads = s.pixels * bytes
		w.shared = s.pixels * s.Between(0, 24)
	} else {
		w.pixels, w.written, w.vertices, w.triangles = s.pixels, s.pixels*2, 3, 1
	}
	return s.add(name, queue, sh, w)
}

func (s *scene) post(n int) (last int) {
	for range n {
		last = s.fullScreen("post processing", graphics, s.Log(1, 14), s.Log(20, 250), s.Between(8, 28))
	}
	return last
}

func (s *scene) menu() int {
	w := s.meshes(s.Log(10, 250), s.Log(500, 3e4))
	n := s.pixels * s.Between(0.3, 2.5)
	w.pixels, w.written, w.samples, w.flops, w.main = n, n*1.6, n, w.flops+n*20, n*6
	return s.add("user interface", graphics, meshes, w)
}

// upload brings data over the link with a copy engine. On an APU it stays in main memory.
func (s *scene) upload(bytes float64) int {
	return s.add("upload", copying, none, work{host: bytes, copied: bytes})
}

// kernel is a dispatch of compute.
func (s *scene) kernel(name string, queue int, w work) int {
	k := s.add(name, queue, threads, w)
	s.content.jobs[k].scatter = s.Between(0.05, 0.6)
	return k
}

// matrix is a product of matrices with so many operations.
func (s *scene) matrix(flops float64) int {
	return s.kernel("matrix product", compute, work{draws: 1, flops: flops * s.Between(0.85, 1.1), shared: flops * s.Between(0.25, 0.9),
		loads: flops * s.Between(0.06, 0.25), cached: flops * s.Between(0.03, 0.1), main: flops * s.Log(0.004, 0.05)})
}

// stream is work of so many bytes with little arithmetic.
func (s *scene) stream(name string, bytes float64) int {
	return s.kernel(name, compute, work{draws: 1, main: bytes, cached: bytes * s.Between(1, 1.6), loads: bytes * s.Between(1, 1.5),
		flops: bytes * s.Log(0.3, 6)})
}

// scattered is work that follows pointers: so many ns in which its waves wait.
func (s *scene) scattered(ns float64) int {
	return s.kernel("graph", compute, work{draws: 1, chains: ns, main: ns * s.c.gbs * s.Between(0.1, 0.45),
		cached: ns * s.c.gbs * s.Between(0.2, 0.6), loads: ns * s.c.gbs * s.Between(0.1, 0.5), flops: ns * s.c.gbs})
}

// reused is work that lives in L2, or in the local memory.
func (s *scene) reused(ns float64, shared bool) int {
	bytes := ns * s.c.channels * 64 * s.c.mhz / 1000 * 0.7
	w := work{draws: 1, cached: bytes, loads: bytes * s.Between(0.4, 0.7), flops: bytes * s.Between(0.5, 2), main: bytes * 0.03}
	if shared {
		w.shared = ns * s.c.cus * 128 * s.c.mhz / 1000 * 0.75
		w.cached, w.loads = bytes*0.2, bytes*0.2
	}
	return s.kernel("blocked", compute, w)
}
