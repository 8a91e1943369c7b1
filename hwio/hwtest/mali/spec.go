package mali

import "astrolabe/hwio/hwtest"

// driverKind is the family of the kernel driver.
type driverKind int

const (
	driverCSF      driverKind = iota // kbase for GPUs with a command stream front-end
	driverJM                         // kbase for job-manager GPUs, r21 and later
	driverPreR21                     // kbase before r21: structures with a header
	driverPanfrost                   // the mainline driver
)

// version is what a driver's handshake answers.
type version struct{ major, minor uint16 }

// spec is what a model is made of. A scenario changes a copy of it.
type spec struct {
	name, doc string
	gpu       string // name in gpuinfo
	layout    string // of the table of counters
	kind      driverKind
	version   version
	id        uint64 // raw GPU_ID
	cores     uint64 // mask of the shader cores present
	slices    int    // L2 slices
	values    int    // counters per block
	busBits   int    // log2 of the width of the external bus
	firmware  int    // firmware blocks
	csgs      int    // command stream group blocks
	neural    int    // neural engine blocks
	clocks    int    // clock domains that samples report
	mhz       []float64
	engines   uint64 // CORE_FEATURES: how wide the cores are
	midgard   bool   // block order of old Midgard in the old interface
}

// Numbers of scenarios' effects that tests refer to.
const (
	// unplugAfter is the time between the first start of counting and the removal of the device, in ns, and
	// unplugSamples how many samples have been fetched by then: on a busy machine the program may not have begun to
	// read.
	unplugAfter, unplugSamples = 400e6, 40
	// coreOffFrom and coreOffTo bound the time without the highest core, in ns since the first start of counting.
	coreOffFrom, coreOffTo = 150e6, 450e6
	// dvfsStep is the time between two changes of the clock, in ns.
	dvfsStep = 100e6
	// errorEvery is how many samples there are per sample in error.
	errorEvery = 7
	// slowSlots are the slots of the ring and slowEvery the fetches between two stalls where the reader is made slow.
	slowSlots, slowEvery = 8, 40
	// timeoutEvery is how many dumps there are per dump that times out (panfrost).
	timeoutEvery = 5
	// wrapSpeed multiplies the clock so that a millisecond's increments exceed 32 bits.
	wrapSpeed = 6000
)

func specs() []spec {
	return []spec{
		{
			name: "mali-g615", doc: "Mali-G615 MC6 with kbase for CSF GPUs (1.21), kinstr without block states, GPU_ACTIVE unusable.",
			gpu: "Mali-G615", layout: "g615", kind: driverCSF, version: version{1, 21},
			id: 0xb8a30010, engines: 2, cores: 0x3f, slices: 2, values: 128, busBits: 7, clocks: 1,
			mhz: []float64{900, 600, 400},
		},
		{
			name: "mali-g720", doc: "Mali-G720 MC10 with kbase for CSF GPUs (1.38), kinstr with block states, firmware and group blocks.",
			gpu: "Mali-G720", layout: "g720", kind: driverCSF, version: version{1, 38},
			id: 0xc8700000, engines: 4, cores: 0x3ff, slices: 4, values: 128, busBits: 8, firmware: 1, csgs: 2,
			clocks: 2, mhz: []float64{850, 600, 400},
		},
		{
			name: "mali-g52", doc: "Mali-G52 MC2 with kbase for job-manager GPUs (11.28) that has only the first counter interface (vinstr).",
			gpu: "Mali-G52", layout: "g52", kind: driverJM, version: version{11, 28},
			id: 0x74020010, engines: 3, cores: 0x3, slices: 1, values: 64, busBits: 7, clocks: 2,
			mhz: []float64{850, 600, 400},
		},
		{
			name: "mali-g57", doc: "Mali-G57 MC3 with a hole in its core mask (0b1011) and kbase for job-manager GPUs (11.38) with kinstr.",
			gpu: "Mali-G57", layout: "g57", kind: driverJM, version: version{11, 38},
			id: 0x90930000, engines: 1, cores: 0b1011, slices: 1, values: 64, busBits: 7, clocks: 1,
			mhz: []float64{950, 700, 400},
		},
		{
			name: "mali-g72", doc: "Mali-G72 MP6 with an old kbase (11.20) that has only the first counter interface (vinstr).",
			gpu: "Mali-G72", layout: "g72", kind: driverJM, version: version{11, 20},
			id: 0x62210010, engines: 3, cores: 0x3f, slices: 2, values: 64, busBits: 7, clocks: 2,
			mhz: []float64{850, 600, 400},
		},
		{
			name: "mali-g76", doc: "Mali-G76 MP12 with kbase for job-manager GPUs (11.35), kinstr with the defects of its first versions.",
			gpu: "Mali-G76", layout: "g76", kind: driverJM, version: version{11, 35},
			id: 0x72110000, engines: 3, cores: 0xfff, slices: 4, values: 64, busBits: 7, clocks: 1,
			mhz: []float64{720, 600, 400},
		},
		{
			name: "mali-g78", doc: "Mali-G78 MP20 with kbase for job-manager GPUs (11.41), kinstr with block states.",
			gpu: "Mali-G78", layout: "g78", kind: driverJM, version: version{11, 41},
			id: 0x92020010, engines: 1, cores: 0xfffff, slices: 4, values: 64, busBits: 7, clocks: 2,
			mhz: []float64{850, 700, 400},
		},
		{
			name: "mali-g710", doc: "Mali-G710 MC10 with kbase for CSF GPUs (1.18), kinstr without block states, blocks of 64 counters.",
			gpu: "Mali-G710", layout: "g710", kind: driverCSF, version: version{1, 18},
			id: 0xa8620000, engines: 2, cores: 0x3ff, slices: 4, values: 64, busBits: 7, clocks: 1,
			mhz: []float64{900, 700, 400},
		},
		{
			name: "mali-g925", doc: "Immortalis-G925 MC12 with kbase for CSF GPUs (1.34), kinstr with block states, firmware and group blocks.",
			gpu: "Mali-G925", layout: "g925", kind: driverCSF, version: version{1, 34},
			id: 0xd8300000, engines: 4, cores: 0xfff, slices: 4, values: 128, busBits: 8, firmware: 1, csgs: 2,
			clocks: 2, mhz: []float64{1300, 900, 400},
		},
		{
			name: "mali-g1", doc: "Mali G1-Ultra MC12 with kbase for CSF GPUs (1.40), an id of 64 bits, firmware, group and neural blocks.",
			gpu: "Mali-G1-Ultra", layout: "g1", kind: driverCSF, version: version{1, 40},
			id: id64(14, 8, 0), engines: 4, cores: 0xfff, slices: 4, values: 128, busBits: 8, firmware: 1, csgs: 4,
			neural: 1, clocks: 2,
			mhz: []float64{1300, 900, 400},
		},
		{
			name: "panfrost", doc: "Mali-G52 MP2 with the mainline driver panfrost and unstable_ioctls=1.",
			gpu: "Mali-G52", layout: "g52", kind: driverPanfrost,
			id: 0x72120000, engines: 2, cores: 0x3, slices: 1, values: 64, busBits: 7, clocks: 1,
			mhz: []float64{800, 600, 400},
		},
	}
}

// scenarios are the ones that the model knows.
func (s *spec) scenarios() []hwtest.Scenario {
	list := []hwtest.Scenario{
		{Name: "dvfs", Doc: "the GPU's clock changes every 100 ms"},
		{Name: "idle", Doc: "nothing is rendered: powered, but all increments are zero"},
		{Name: "powered-off", Doc: "the GPU stays off: all-zero samples"},
		{Name: "core-off", Doc: "the highest core is off from 150 ms to 450 ms after the first start"},
		{Name: "sparse", Doc: "the core mask has holes"},
		{Name: "unplug", Doc: "the device is removed 400 ms after the first start, when at least 40 samples have been fetched"},
		{Name: "denied-open", Doc: "opening the node fails with EACCES"},
		{Name: "unknown-product", Doc: "a product that nobody knows yet"},
		{Name: "slow-reader", Doc: "every 40th fetch takes so long that the ring (8 slots) runs full"},
		{Name: "wrap", Doc: "hardware counters start just below 2^32"},
	}
	list = append(list, hwtest.Scenario{Name: "level", Doc: "a menu for 1.2 s, then a level; 0.6 s later the GPU has nothing to do for a frame"})
	for _, p := range plants {
		list = append(list, hwtest.Scenario{Name: limitedBy + p.limiter,
			Doc: "no game: every frame is limited by " + p.doc})
	}
	if s.kind == driverPanfrost {
		return append(list,
			hwtest.Scenario{Name: "no-unstable", Doc: "unstable_ioctls=0: the counter requests fail with ENOSYS"},
			hwtest.Scenario{Name: "busy", Doc: "another program counts: enabling fails with EBUSY"},
			hwtest.Scenario{Name: "timeout", Doc: "every 5th dump fails with ETIMEDOUT after a second"})
	}
	list = append(list,
		hwtest.Scenario{Name: "protected", Doc: "three tenths of every second are protected content, which is not counted"},
		hwtest.Scenario{Name: "two-clients", Doc: "another client counts at the same time"},
		hwtest.Scenario{Name: "id64", Doc: "the GPU id has the 64-bit form"})
	if !s.atLeast(10, 34) {
		return append(list,
			hwtest.Scenario{Name: "pre-r21", Doc: "a driver before r21 (10.6): structures with a header, no cycle counts"},
			hwtest.Scenario{Name: "midgard", Doc: "Mali-T760 MP4, whose samples begin with the shader cores"},
			hwtest.Scenario{Name: "low-memory", Doc: "more than 8 sample buffers fail with ENOMEM"})
	}
	return append(list,
		hwtest.Scenario{Name: "error-samples", Doc: "every 7th sample is flagged as in error and its counts are lost"},
		hwtest.Scenario{Name: "denied-enum", Doc: "counter requests are filtered (EACCES), as on Android"},
		hwtest.Scenario{Name: "old-driver", Doc: "a driver from before kinstr (CSF 1.9, JM 11.20)"},
		hwtest.Scenario{Name: "early-kinstr", Doc: "the defects of the first kinstr drivers (CSF 1.14, JM 11.35)"},
		hwtest.Scenario{Name: "unknown-blocks", Doc: "a newer driver: wider items, unknown item and block types, unknown properties"},
		hwtest.Scenario{Name: "secondary-set", Doc: "a driver built for the secondary counter set"})
}

// with applies the scenarios that change what the device is.
func (s spec) with(set *hwtest.Settings) spec {
	if set.Has("sparse") {
		// As many cores as before, with holes at places 1 and 4.
		mask, n := uint64(0), 0
		for bit := 0; n < popcount(s.cores); bit++ {
			if bit != 1 && bit != 4 {
				mask, n = mask|1<<bit, n+1
			}
		}
		s.cores = mask
	}
	if set.Has("unknown-product") {
		s.id, s.gpu = 0x8f95<<16, "Mali-Unknown"
		if s.kind == driverCSF {
			s.id = id64(15, 2, 9)
		}
	}
	if set.Has("id64") && !set.Has("unknown-product") && s.id>>32 == 0 {
		s.id = id64(s.id>>28&15, s.id>>24&15, s.id>>16&15)
	}
	switch {
	case set.Has("old-driver"):
		s.version = version{1, 9}
		if s.kind != driverCSF {
			s.version = version{11, 20}
		}
	case set.Has("early-kinstr"):
		s.version = version{1, 14}
		if s.kind != driverCSF {
			s.version = version{11, 35}
		}
	case set.Has("pre-r21"):
		s.kind, s.version = driverPreR21, version{10, 6}
	}
	if s.version.major == 1 && s.version.minor < 30 {
		s.firmware, s.csgs, s.neural = 0, 0, 0
	}
	if set.Has("unknown-blocks") {
		s.firmware, s.csgs, s.neural = 1, 2, 1
	}
	if set.Has("midgard") {
		s.gpu, s.id, s.cores, s.midgard = "Mali-T760", 0x07500000, 0xf, true
	}
	return s
}

// family is the layout that all GPUs with such a front-end share.
func (s *spec) family() string {
	if s.kind == driverCSF {
		return "csf"
	}
	return "jm"
}

// id64 is a GPU id in the 64-bit form.
func id64(archMajor, archMinor, productMajor uint64) uint64 {
	return archMajor<<56 | archMinor<<48 | productMajor<<32 | 0xf<<28
}

// atLeast reports whether the driver is of a version of either family, or newer.
func (s *spec) atLeast(csfMinor, jmMinor uint16) bool {
	if s.kind == driverCSF {
		return s.version.minor >= csfMinor
	}
	return s.version.major > 11 || s.version.major == 11 && s.version.minor >= jmMinor
}

func popcount(mask uint64) int {
	n := 0
	for ; mask != 0; mask &= mask - 1 {
		n++
	}
	return n
}

func highest(mask uint64) int {
	n := -1
	for ; mask != 0; mask >>= 1 {
		n++
	}
	return n
}
