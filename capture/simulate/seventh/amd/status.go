package amd

// Bits of status registers, in the order of the columns.
const (
	bGFX, bCP, bSPI, bTA, bCB, bDB, bPA, bSC, bBCI, bSX = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
	bWD, bGE, bIA, bVGT, bGDS, bEE                      = 10, 11, 12, 13, 14, 15
	bCPF, bCPC, bCPG, bRLC, bTC, bUTCL2, bEA, bRMI      = 16, 17, 18, 19, 20, 21, 22, 23
	bSDMA, bUVD, bVCE, bits                             = 24, 25, 26, 27
)

// statusBits are the bits' names, with the register that has them and the generations that do.
var statusBits = [bits]struct {
	name     string
	register int
	from, to generation
}{
	{"gfx", 0, gfx8, gfx12}, {"cp", 0, gfx8, gfx12}, {"spi", 0, gfx8, gfx12}, {"ta", 0, gfx8, gfx12}, {"cb", 0, gfx8, gfx12},
	{"db", 0, gfx8, gfx12}, {"pa", 0, gfx8, gfx12}, {"sc", 0, gfx8, gfx12}, {"bci", 0, gfx8, gfx12}, {"sx", 0, gfx8, gfx12},
	{"wd", 0, gfx8, gfx8}, {"ge", 0, gfx10, gfx12}, {"ia", 0, gfx8, gfx8}, {"vgt", 0, gfx8, gfx8}, {"gds", 0, gfx8, gfx8},
	{"ee", 0, gfx8, gfx8},
	{"cpf", 1, gfx8, gfx12}, {"cpc", 1, gfx8, gfx12}, {"cpg", 1, gfx8, gfx12}, {"rlc", 1, gfx8, gfx12}, {"tc", 1, gfx8, gfx12},
	{"utcl2", 1, gfx10, gfx11}, {"ea", 1, gfx10, gfx11}, {"rmi", 1, gfx10, gfx11}, {"sdma", 1, gfx10, gfx12},
	{"uvd", 2, gfx8, gfx8}, {"vce", 3, gfx8, gfx8},
}

var registers = [...]string{"grbm_samples", "grbm2_samples", "srbm_samples", "srbm2_samples"}

// chances are how likely each bit is to be set at a moment.
type chances [bits]float32

// duty is how long at least one of a block's instances has work when together they are in use for a share u: the more
// instances, which k stands for, the sooner one of them has.
func duty(u, k float64) float64 {
	u = min(1, max(0, u))
	return k * u / (1 + (k-1)*u)
}

// or adds a chance to a bit that is set for another reason too.
func (c *chances) or(bit int, p float64) {
	c[bit] = float32(1 - (1-float64(c[bit]))*(1-min(1, max(0, p))))
}

// stage is where in the graphics pipe a unit lies: what limits holds up the blocks before it and starves those behind.
func stage(u uint8) int {
	switch u {
	case uVertex, uPrimitive, uRaster, uDepth:
		return 1 + int(u) - uVertex
	case uCommand:
		return 0
	case uPixel:
		return 6
	}
	return 5 // shaders and what they wait for
}

// status is what the registers would show now.
func (e *engine) status() (c chances) {
	for q := range e.queue {
		r := &e.queue[q]
		if !r.on {
			continue
		}
		var use vector
		if r.part >= 0 {
			for u := range use {
				use[u] = r.rate * r.demand[u] * slowed(u, e.clock.f)
			}
		}
		switch q {
		case copying:
			c.or(bSDMA, 0.97)
			c.or(bEA, 0.6)
			continue
		case video:
			if r.job.name == "encode" {
				c.or(bVCE, 0.97)
			} else {
				c.or(bUVD, 0.97)
			}
			continue
		}
		c[bGFX] = 1
		c[bCP], c[bCPF] = 0.96, 0.92
		c[bCPG-q] = 0.97 // of compute bCPC
		if r.part < 0 {  // the work before drains, caches are written back
			c.or(bSPI, 0.25)
			c.or(bTC, 0.5)
			c.or(bEA, 0.35)
			c.or(bDB, 0.1)
			c.or(bCB, 0.12)
			continue
		}
		c.pipe(r, &use)
	}
	if c[bGFX] > 0 {
		c.or(bRLC, 0.03)
		c[bEE], c[bWD], c[bIA], c[bVGT] = 0.01, c[bGE], 0.8*c[bGE], c[bGE]
	}
	return c
}

// pipe is what one job shows, which uses units for the shares of time in use.
func (c *chances) pipe(r *running, use *vector) {
	at := stage(r.bound)
	waits := r.bound == uLatency || r.bound == uBandwidth || r.bound == uCache || r.bound == uPCIe
	fetches := use[uTexture]+use[uLoadStore] > 0.005
	geometry := 0.0
	if s := r.job.shape; s == meshes || s == onlyZ {
		geometry = min(1, 0.25+3*use[uPrimitive])
	}
	// held is the chance that a block is full because something behind it limits.
	held := func(bit, where int, p float64) {
		if at > where {
			c.or(bit, p)
		}
	}
	if r.job.shape != threads {
		c.or(bGE, duty(use[uVertex], 2))
		held(bGE, 1, 0.45*geometry)
		c.or(bPA, duty(use[uPrimitive], 3))
		held(bPA, 2, 0.5*geometry)
		c.or(bSC, duty(use[uRaster], 4))
		c.or(bDB, duty(use[uDepth], 6))
		c.or(bCB, duty(use[uPixel], 6))
		if r.job.shape != onlyZ {
			held(bSC, 3, 0.8)
			held(bDB, 4, 0.65) // which keeps every quad until it is shaded, tested or not
			held(bCB, 4, 0.25*min(1, use[uPixel]*40))
			c.or(bSX, duty(use[uPixel], 5))
			c.or(bBCI, duty(max(use[uRaster], use[uPixel]), 4))
			held(bBCI, 4, 0.6)
		} else {
			held(bSC, 3, 0.6)
		}
		if at == 6 || at == 4 {
			c.or(bSX, 0.85*min(1, use[uPixel]*3))
		}
		if r.bound == uBandwidth || r.bound == uCache { // writes of pixels wait too
			c.or(bCB, 0.5*min(1, use[uPixel]*4))
			c.or(bDB, 0.5*min(1, use[uDepth]*4))
			c.or(bSX, 0.4*min(1, use[uPixel]*4))
		}
		c.or(bRMI, duty((use[uPixel]+use[uDepth])*0.5, 3))
	}
	switch {
	case r.job.shape == threads || r.job.shape == screen:
		c.or(bSPI, 0.98)
	case at < 5:
		c.or(bSPI, 0.35+0.6*duty(max(use[uArithmetic], use[uTexture], use[uLoadStore], use[uVertex]), 3))
	default:
		c.or(bSPI, 0.96)
	}
	if fetches {
		c.or(bTA, duty(max(use[uTexture], use[uLoadStore])+0.3*min(use[uTexture], use[uLoadStore]), 8))
		if waits {
			c.or(bTA, 0.4)
		}
	}
	c.or(bTC, duty(use[uCache], 6))
	c.or(bEA, duty(use[uBandwidth], 4))
	if waits {
		c.or(bTC, 0.85)
		c.or(bEA, 0.85)
	}
	if r.bound == uCache {
		c.or(bTC, 0.95)
	}
	c.or(bUTCL2, duty(0.02+r.job.scatter*(use[uBandwidth]+use[uLatency]+use[uPCIe]), 3))
}
