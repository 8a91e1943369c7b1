package amd

import (
	"math"

	"astrolabe/capture/simulate"
)

// dispatched makes a dispatch of a program over so many threads.
func dispatched(r simulate.Random, name string, p program, threads float64) draw {
	d := blank(r, name)
	d.compute, d.main = true, p
	d.groups = math.Max(1, math.Round(threads/(p.group*p.lanes)))
	d.front *= 0.8
	return d
}

// computes are dispatches as programs have them.
var computes = map[string]pass{
	"copy": func(r simulate.Random, f *frame) draw {
		p := threadProgram(r, r.Between(6, 20))
		p.streams(r, float64(r.Whole(1, 4)), 1, simulate.Pick(r, 4.0, 8, 16))
		p.hit0, p.hit1, p.hit2 = r.Between(0, 0.1), r.Between(0, 0.05), r.Between(0, 0.1)
		p.infinity = r.Between(0.05, 0.6)
		p.regular = true
		return dispatched(r, "copy", p, r.Log(2e5, 3e7))
	},
	"blur": func(r simulate.Random, f *frame) draw {
		p := threadProgram(r, r.Between(60, 200))
		p.streams(r, 2, 1, 8)
		p.exchanges(r.Between(10, 60), simulate.Pick(r, 1.0, 1.0, 2.0), simulate.Pick(r, 4096.0, 8192))
		return dispatched(r, "blur", p, f.pixels*simulate.Pick(r, 1, 0.25))
	},
	"upscale": func(r simulate.Random, f *frame) draw {
		p := threadProgram(r, r.Log(90, 500))
		p.samples, p.rounds = float64(r.Whole(9, 16)), 3
		p.hit0, p.hit1, p.hit2 = r.Between(0.85, 0.95), r.Between(0.3, 0.6), r.Between(0.5, 0.8)
		p.stores, p.storeBytes, p.storeLines = 1, 8, math.Max(1, p.lanes*8/line)
		return dispatched(r, "upscaling", p, f.pixels)
	},
	"history": func(r simulate.Random, f *frame) draw {
		p := threadProgram(r, r.Between(120, 350))
		p.samples, p.rounds = float64(r.Whole(8, 20)), 4
		p.hit0, p.hit1, p.hit2 = r.Between(0.75, 0.92), r.Between(0.2, 0.5), r.Between(0.3, 0.7)
		p.stores, p.storeBytes, p.storeLines = 1, 8, math.Max(1, p.lanes*8/line)
		p.vgprs = r.Whole(48, 96)
		return dispatched(r, "antialiasing over time", p, f.pixels)
	},
	"lights": func(r simulate.Random, f *frame) draw {
		p := threadProgram(r, r.Log(120, 900))
		p.samples, p.rounds = 6, 5
		p.loads, p.loadLines = r.Between(10, 60), 1
		p.rounds += p.loads / 8
		p.hit0, p.hit2 = r.Between(0.5, 0.9), r.Between(0.3, 0.9)
		p.exchanges(r.Between(8, 120), r.Between(1, 2), 4096)
		p.stores, p.storeBytes, p.storeLines = 1, 8, math.Max(1, p.lanes*8/line)
		p.vgprs = r.Whole(64, 120)
		return dispatched(r, "lights in tiles", p, f.pixels)
	},
	"march": func(r simulate.Random, f *frame) draw {
		steps := r.Between(16, 96)
		p := threadProgram(r, steps*r.Between(6, 20))
		p.samples, p.filter, p.tri, p.volume = steps, r.Between(1.5, 2.2), 0.2, 0.8
		p.rounds = steps / r.Between(1, 4)
		p.hit0, p.hit1, p.hit2 = r.Between(0.6, 0.92), r.Between(0.3, 0.6), r.Between(0.5, 0.9)
		p.stores, p.storeBytes, p.storeLines = 1, 8, math.Max(1, p.lanes*8/line)
		return dispatched(r, "fog", p, f.pixels*simulate.Pick(r, 0.25, 0.0625))
	},
	"skin": func(r simulate.Random, f *frame) draw {
		p := threadProgram(r, r.Between(80, 160))
		p.streams(r, 4, 3, 16)
		p.scatters(r, 8, r.Between(3, 10))
		p.hit0, p.hit2 = r.Between(0.5, 0.8), r.Between(0.4, 0.7)
		return dispatched(r, "bones", p, r.Log(2e4, 1e6))
	},
	"histogram": func(r simulate.Random, f *frame) draw {
		p := threadProgram(r, r.Between(30, 90))
		p.samples, p.rounds = 1, 1
		p.exchanges(r.Between(8, 40), r.Between(1.5, 9), 1024)
		p.atomics = r.Between(0, 0.3)
		return dispatched(r, "histogram", p, f.pixels)
	},
	"multiply": func(r simulate.Random, f *frame) draw {
		k := r.Log(64, 2048)
		p := threadProgram(r, k*r.Between(3, 9))
		p.lanes, p.group, p.regular = 64, 4, true
		p.loads, p.loadLines = k/r.Between(6, 12), 4
		p.rounds = p.loads / r.Between(4, 8)
		p.hit0, p.hit1, p.hit2 = r.Between(0.3, 0.6), r.Between(0.4, 0.75), r.Between(0.6, 0.95)
		p.exchanges(k*r.Between(0.6, 2.6), simulate.Pick(r, 1, 1, 1.25, 2), simulate.Pick(r, 8192.0, 16384, 32768))
		p.stores, p.storeBytes, p.storeLines = 4, 16, 8
		p.vgprs, p.chain = r.Whole(80, 128), r.Between(1, 1.6)
		return dispatched(r, "matrices", p, r.Log(2e4, 2e6))
	},
	"vector": func(r simulate.Random, f *frame) draw {
		p := threadProgram(r, r.Between(60, 250))
		p.streams(r, r.Between(8, 32), 0.25, 16)
		p.hit0, p.hit1, p.hit2 = r.Between(0.05, 0.3), r.Between(0, 0.15), r.Between(0, 0.15)
		p.infinity, p.regular = r.Between(0, 0.4), true
		return dispatched(r, "a matrix by a vector", p, r.Log(2e5, 5e6))
	},
	"activate": func(r simulate.Random, f *frame) draw {
		p := threadProgram(r, r.Between(10, 60))
		p.trans = r.Between(1, 6)
		p.streams(r, r.Between(1, 3), 1, 8)
		p.hit2, p.infinity = r.Between(0.1, 0.7), r.Between(0.3, 0.9)
		return dispatched(r, "activation", p, r.Log(3e4, 2e7))
	},
	"bodies": func(r simulate.Random, f *frame) draw {
		n := r.Log(500, 8000)
		p := threadProgram(r, n*r.Between(1.5, 3))
		p.trans, p.regular = n*r.Between(0.06, 0.15), true
		p.streams(r, 4, 2, 16)
		p.exchanges(n*r.Between(0.05, 0.35), 1, 4096)
		return dispatched(r, "bodies", p, r.Log(1e4, 5e5))
	},
	"stencil": func(r simulate.Random, f *frame) draw {
		p := threadProgram(r, r.Between(30, 140))
		p.streams(r, r.Between(6, 20), 1, 8)
		p.loadLines *= 1.4
		p.hit0, p.hit1, p.hit2 = r.Between(0.45, 0.75), r.Between(0.2, 0.45), r.Between(0.3, 0.7)
		return dispatched(r, "grid", p, r.Log(2e5, 2e7))
	},
	"sparse": func(r simulate.Random, f *frame) draw {
		p := threadProgram(r, r.Between(60, 300))
		p.scatters(r, r.Between(8, 40), r.Between(12, 40))
		p.active = r.Between(0.3, 0.8)
		p.hit0, p.hit1, p.hit2 = r.Between(0.2, 0.7), r.Between(0.1, 0.4), r.Between(0.3, 0.8)
		return dispatched(r, "sparse matrix", p, r.Log(5e4, 3e6))
	},
	"table": func(r simulate.Random, f *frame) draw {
		p := threadProgram(r, r.Between(60, 250))
		p.scatters(r, r.Between(10, 50), p.lanes/r.Between(1.5, 6))
		p.rounds = p.loads / r.Between(3, 9)
		p.hit0, p.hit1, p.hit2 = r.Between(0.8, 0.98), r.Between(0.3, 0.7), r.Between(0.5, 0.9)
		p.vgprs, p.spread = r.Whole(24, 56), 3
		return dispatched(r, "tables", p, r.Log(1e5, 5e6))
	},
	"chase": func(r simulate.Random, f *frame) draw {
		p := threadProgram(r, r.Between(200, 900))
		p.scatters(r, r.Between(20, 120), r.Between(2, 8))
		p.rounds = p.loads * r.Between(0.7, 1)
		p.active, p.conflict = r.Between(0.3, 0.7), 0
		p.vgprs = r.Whole(64, 160)
		p.hit0, p.hit1, p.hit2 = r.Between(0.3, 0.75), r.Between(0.1, 0.4), r.Between(0.3, 0.8)
		return dispatched(r, "tree", p, r.Log(1e4, 1e6))
	},
	"sort": func(r simulate.Random, f *frame) draw {
		p := threadProgram(r, r.Between(80, 250))
		p.streams(r, 4, 4, 4)
		p.storeLines = r.Between(4, 24)
		p.exchanges(r.Between(30, 160), r.Between(1.2, 4), simulate.Pick(r, 8192.0, 16384))
		return dispatched(r, "sorting", p, r.Log(5e4, 8e6))
	},
	"waves": func(r simulate.Random, f *frame) draw {
		p := threadProgram(r, r.Between(150, 500))
		p.streams(r, 8, 8, 8)
		p.exchanges(r.Between(60, 200), r.Between(1, 3.5), simulate.Pick(r, 8192.0, 16384, 32768))
		return dispatched(r, "Fourier transform", p, r.Log(3e4, 4e6))
	},
	"reduce": func(r simulate.Random, f *frame) draw {
		p := threadProgram(r, r.Between(10, 40))
		p.streams(r, r.Between(1, 4), 0, 16)
		p.exchanges(10, 1, 1024)
		return dispatched(r, "sum", p, r.Log(1e3, 3e6))
	},
	"small": func(r simulate.Random, f *frame) draw {
		p := threadProgram(r, r.Between(20, 300))
		p.streams(r, r.Between(2, 10), 1, 4)
		return dispatched(r, "small step", p, r.Log(64, 2e4))
	},
}
