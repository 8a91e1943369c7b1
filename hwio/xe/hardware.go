package xe

import (
	"maps"
	"slices"

	"astrolabe/capture"
	"astrolabe/hwio/intel"
	"astrolabe/hwio/internal/drm"
	"astrolabe/hwio/internal/sysroot"
)

// hardware is what the driver and sysfs say about an open GPU.
type hardware struct {
	card     drm.Card
	part     part
	deviceID uint64
	revision uint64
	gts      []graphicsTechnology
	units    []oaUnit
	engines  []intel.Engine
	topology *topology
	minClock uint64 // of the main GT, in Hz; 0 where sysfs does not say
	maxClock uint64
	warnings []string
}

// readHardware asks an open node for what the metric sets' equations and a recording need.
func readHardware(root sysroot.Root, c candidate, d device) (*hardware, error) {
	h := &hardware{card: c.card, part: c.part}
	ask := func(id uint32, what string, parse func([]byte) error) error {
		b, err := d.query(id)
		if err == nil {
			err = parse(b)
		}
		if err != nil {
			return explainQuery(what, err)
		}
		return nil
	}
	if err := ask(queryOAUnits, "OA units", func(b []byte) (err error) { h.units, err = parseUnits(b); return }); err != nil {
		return nil, err
	}
	for _, q := range []struct {
		id    uint32
		what  string
		parse func([]byte) error
	}{
		{queryConfig, "identity", func(b []byte) (err error) { h.deviceID, h.revision, err = parseConfig(b); return }},
		{queryGTs, "GTs", func(b []byte) (err error) { h.gts, err = parseGTs(b); return }},
		{queryEngines, "engines", func(b []byte) (err error) { h.engines, err = parseEngines(b); return }},
		{queryTopology, "topology", func(b []byte) (err error) { h.topology, err = parseTopology(b); return }},
	} {
		if err := ask(q.id, q.what, q.parse); err != nil {
			return nil, err
		}
	}
	h.minClock, h.maxClock = gpuClock(root, c.card, "min_freq"), gpuClock(root, c.card, "max_freq")
	if h.maxClock == 0 {
		h.warnings = append(h.warnings, "xe: sysfs does not tell the GPU's highest clock; shares of the highest possible throughput cannot be computed")
	}
	return h, nil
}

// gpuClock is a frequency of the main GT, in Hz; 0 where sysfs does not tell.
func gpuClock(root sysroot.Root, c drm.Card, file string) uint64 {
	if v, err := root.Uint(c.Sysfs + "/device/tile0/gt0/freq0/" + file); err == nil && v > 0 && v < 1e6 {
		return v * 1e6
	}
	return 0
}

// coresPerSlice is how many Xe-cores a slice of a GPU of that version has, or would have were none fused off; 0 where it
// is unknown.
func coresPerSlice(major, minor uint16) int {
	switch {
	case major >= 30:
		return 6
	case major >= 20, major == 12 && (minor == 55 || minor >= 70):
		return 4
	case major == 12 && minor == 60:
		return 8
	case major == 12:
		return 6
	}
	return 0
}

// mainGT is the one of render and compute.
func (h *hardware) mainGT() graphicsTechnology {
	if i := slices.IndexFunc(h.gts, func(g graphicsTechnology) bool { return g.id == gtMain }); i >= 0 {
		return h.gts[i]
	}
	return graphicsTechnology{}
}

// variables are those of the metric sets' equations that do not follow from the topology's blob. One that the driver
// does not tell is left out, so that what needs it is missing.
func (h *hardware) variables() []capture.Property {
	compute := 0
	for _, e := range h.engines {
		compute += present(e.Class == intel.ClassCompute)
	}
	counts := map[string]int{"ComputeEngineTotalCount": compute}
	if banks := h.topology.l3; banks.count() > 0 {
		counts["L3BankTotalCount"] = banks.count()
		if h.mainGT().major >= 20 {
			// As Intel's library metrics-discovery counts them: banks lie in nodes of four, a node has a channel to
			// memory (SQIDI), and two nodes have a copy engine that the counters see.
			const banksPerNode, nodesPerCopyEngine = 4, 2
			nodes := banks.groups(banksPerNode)
			counts["L3NodeTotalCount"], counts["SqidiTotalCount"] = nodes, nodes
			counts["CopyEngineTotalCount"] = banks.groups(banksPerNode * nodesPerCopyEngine)
			if slices.Contains(twoChannels, h.deviceID) {
				counts["SqidiTotalCount"] = 2
			}
		}
	}
	var out []capture.Property
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		out = append(out, capture.Property{Name: name, Number: float64(counts[name])})
	}
	return out
}

// twoChannels are the small Panther Lakes, which have two channels to memory behind their one node.
var twoChannels = []uint64{0xb090, 0xb0a0, 0xfd80, 0xfd81}

// blob describes the topology as files of recordings have it: eight 16-bit numbers, the first of them 0, then the
// largest numbers of slices, of Xe-cores in a slice and of vector engines in a Xe-core, and where in the data behind
// them masks of Xe-cores and of vector engines begin and how long each is. The mask of slices comes first.
func (h *hardware) blob() []byte {
	t, gt := h.topology, h.mainGT()
	per := coresPerSlice(gt.major, gt.minor)
	if per == 0 {
		per = min(8*len(t.cores), 64) // all are told as those of one slice
	}
	const most = 8 // more slices than any of these GPUs has
	coreBytes, engineBytes := (per+7)/8, (t.eus+7)/8
	cores := 1
	engines := cores + most*coreBytes
	b := make([]byte, 16+engines+most*per*engineBytes)
	for i, v := range []int{0, most, per, t.eus, cores, coreBytes, engines, engineBytes} {
		le.PutUint16(b[2*i:], uint16(v))
	}
	data := b[16:]
	for s := range most {
		for c := range per {
			if !t.cores.has(s*per + c) {
				continue
			}
			data[0] |= 1 << s
			data[cores+s*coreBytes+c/8] |= 1 << (c % 8)
			for e := range t.eus {
				data[engines+(s*per+c)*engineBytes+e/8] |= 1 << (e % 8)
			}
		}
	}
	return b
}

func present(b bool) int {
	if b {
		return 1
	}
	return 0
}
