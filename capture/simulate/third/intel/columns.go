package intel

import (
	"slices"
	"strconv"

	"astrolabe/capture/simulate"
)

// column is a raw counter as a metric set has it programmed: a factor times a sum of events.
type column struct {
	name   string
	factor float64
	of     []event
}

func one(name string, factor float64, of ...event) column { return column{name, factor, of} }

// spread is an event that several counters share.
func spread(bank string, first, n int, factor float64, of ...event) (out []column) {
	for i := range n {
		out = append(out, column{bank + strconv.Itoa(first+i), factor / float64(n), of})
	}
	return out
}

// Reads and writes at the GT interface.
var (
	reads  = []event{evVfRead, evHizRead, evRczRead, evRccRead, evL3Read, evCsRead, evOtherRead}
	writes = []event{evDepthWrite, evRccWrite, evL3Write, evOtherWrite}
)

// fixedColumns are the aggregating counters, the same in all sets.
func fixedColumns() []column {
	return append([]column{one("A0", 1, evBusy), one("A1", 1, evVS), one("A2", 1, evHS), one("A3", 1, evDS),
		one("A4", 1, evCS), one("A6", 1, evPS)}, one("A21", 1, evRaster), one("A22", 1, evHizFail), one("A23", 1, evZFail), one("A24", 1, evKilled),
		one("A25", 1, evPostFail), one("A26", 1, evWritten), one("A27", 1, evBlended), one("A28", 1, evTex),
		one("A29", 1, evTexMiss), one("A30", 1, evSlmRead), one("A31", 1, evSlmWrite), one("A32", 1, evAccess),
		one("A33", 1, evL3Read, evL3Write), one("A34", 1, evAtomics), one("A35", 1, evBarriers))
}

// still adds the aggregating counters that nothing counts in: reports hold all of them, whatever the set.
func still(out []column) []column {
	for i := range 36 {
		name := "A" + strconv.Itoa(i)
		if !slices.ContainsFunc(out, func(c column) bool { return c.name == name }) {
			out = append(out, column{name: name})
		}
	}
	return out
}

// columnsOf are the counters of a metric set, without those that the model cannot give.
func (p *part) columnsOf(set string) []column {
	if p.gen12 {
		out := fixedColumns()
		out = slices.Concat(out, spread("A", 7, 4, 1, evActive), spread("A", 11, 4, 1, evStall), spread("A", 15, 4, 1./8, evLoaded))
		return still(append(out, gen12Columns(set)...))
	}
	out := append(fixedColumns(), one("A7", 1, evActive), one("A8", 1, evStall))
	switch set {
	case "ComputeBasic":
		out = append(out, one("A9", 1, evBoth), one("A10", 1, evFpu0), one("A11", 1, evFpu1), one("A12", 1, evSend),
			one("A13", 1./8, evLoaded))
	case "RenderPipeProfile", "MemoryReads", "MemoryWrites":
	default:
		out = append(out, one("A9", 1, evBoth), one("A10", 1, evVsFpu0), one("A11", 1, evVsFpu1), one("A12", 1, evVsSend),
			one("A15", 1, evPsFpu0), one("A16", 1, evPsFpu1), one("A17", 1, evPsSend), one("A18", 1, evPsBoth))
	}
	return still(append(out, gen9Columns(set)...))
}

func gen9Columns(set string) []column {
	switch set {
	case "RenderBasic":
		return slices.Concat([]column{one("B0", 1, evSamplerBusy), one("B1", 0.97, evSamplerBusy),
			one("B2", 1, evSamplerBottleneck), one("B3", 0.96, evSamplerBottleneck), one("B4", 1./8, evSamplerLines)},
			spread("B", 6, 2, 1, evVfRead), spread("C", 0, 2, 1, evHizRead, evRczRead, evDepthWrite),
			spread("C", 2, 2, 1, evRccRead, evRccWrite),
			[]column{one("C4", 1, evL3Read, evL3Write), one("C6", 1, reads...), one("C7", 1, writes...)})
	case "ComputeBasic":
		return slices.Concat(spread("B", 6, 2, 2./3, evUntypedRead), []column{one("C0", 1./3, evUntypedRead)},
			spread("C", 1, 3, 1, evUntypedWrite), []column{one("C4", 1, reads...), one("C5", 1, writes...)})
	case "RenderPipeProfile":
		return []column{one("C0", 1, evVfBottleneck), one("B0", 1, evVsBottleneck), one("B5", 1, evClBottleneck),
			one("B6", 1, evSfBottleneck), one("C6", 1, evHizBottleneck), one("B7", 1, evZBottleneck),
			one("C7", 1, evBcBottleneck), one("C4", 1, evClStall), one("C5", 1, evSfStall)}
	case "MemoryReads":
		return append([]column{one("B0", 1, evCsRead), one("B1", 1, evVfRead), one("B3", 1, evRccRead),
			one("B5", 1, evHizRead), one("B7", 1, evRczRead), one("C0", 1, reads...),
			one("C3", 0.5, slices.Concat(reads, writes)...)}, spread("C", 4, 4, 1, evL3Read)...)
	case "MemoryWrites":
		return append([]column{one("B3", 1, evRccWrite), one("B7", 1, evDepthWrite), one("C0", 1, writes...),
			one("C3", 0.5, slices.Concat(reads, writes)...)}, spread("C", 4, 4, 1, evL3Write)...)
	case "HDCAndSF": // pairs of counters: what was wanted, less what was taken at once
		return []column{one("B0", 1, evPolyReady), one("C5", 1, evPortWait), one("C4", 0.02, evPortWait),
			one("C7", 0.98, evPortWait), one("C6", 0.02, evPortWait), one("C3", 0.97, evPortWait), one("C2", 0.02, evPortWait)}
	case "RasterizerAndPixelBackend":
		return []column{one("B0", 1, evPixelData), one("B1", 1, evRasterIn), one("C5", 1, evRasterOut), one("C6", 1, evPixelValues),
			one("C7", 1, evPsOut)}
	case "L3_1":
		return []column{one("B0", 1, evBankWait), one("B4", 0.97, evBankWait), one("C6", 1, evBankBusy), one("C7", 0.98, evBankBusy)}
	case "Sampler":
		return []column{one("B2", 1, evSamplerBusy), one("B0", 0.97, evSamplerBusy), one("B1", 0.98, evSamplerBusy)}
	}
	return nil
}

func gen12Columns(set string) []column {
	switch set {
	case "RenderBasic":
		return slices.Concat([]column{one("B0", 1, evSamplerBusy), one("B1", 1, evSamplerBottleneck)},
			spread("C", 2, 4, 1, reads...), spread("C", 0, 2, 1, writes...))
	case "ComputeBasic":
		return slices.Concat(spread("C", 4, 4, 1, reads...), spread("C", 2, 2, 1, writes...))
	case "RenderPipeProfile":
		return []column{one("C7", 1, evVfBottleneck), one("C6", 1, evVsBottleneck), one("C3", 1, evClBottleneck),
			one("C2", 1, evSfBottleneck), one("B3", 1, evHizBottleneck), one("C1", 1, evBcBottleneck), one("B1", 1, evClStall),
			one("B6", 1, evSfStall)}
	case "HDCAndSF":
		return []column{one("B2", 1, evPortWait), one("B3", 0.98, evPortWait), one("B4", 0.97, evPortWait),
			one("B5", 0.99, evPortWait), one("B1", 0.98, evPortWait), one("B0", 0.97, evPortWait), one("B6", 1, evPolyReady)}
	case "RasterizerAndPixelBackend":
		return slices.Concat([]column{one("B0", 1, evRasterIn), one("B1", 1, evPixelData), one("C3", 1, evRasterOut)},
			spread("C", 0, 3, 2.9, evPsOut), spread("B", 5, 3, 2.9, evPixelValues), spread("C", 4, 4, 3.8, evQueueFull))
	case "L3_1":
		return slices.Concat(spread("C", 0, 8, 7.8, evBankBusy, evBankWait), spread("B", 0, 8, 7.6, evBankBusy, evBankWait))
	case "Sampler_1":
		return spread("B", 0, 6, 5.8, evSamplerBusy)
	}
	return nil
}

// telling are what tells most directly of a candidate.
var telling = map[leaf][]event{
	arithmetic:        {evActive, evBoth, evFpu0, evFpu1, evVsFpu0, evVsFpu1, evPsFpu0, evPsFpu1, evPsBoth},
	texture:           {evSamplerBusy, evSamplerBottleneck, evTex},
	loadStore:         {evAccess, evPortWait, evUntypedRead, evUntypedWrite},
	localMemory:       {evSlmRead, evSlmWrite},
	vertexFetch:       {evVfBottleneck, evVfRead},
	clipper:           {evClBottleneck, evClStall},
	setup:             {evSfBottleneck, evSfStall, evPolyReady},
	rasterizer:        {evRaster, evRasterIn, evRasterOut, evBcBottleneck},
	hierarchicalDepth: {evHizBottleneck, evHizFail, evHizRead},
	earlyDepth:        {evZBottleneck, evZFail, evRczRead, evDepthWrite, evPixelData},
	pixelBackend:      {evWritten, evBlended, evPsOut, evPixelValues, evRccRead, evRccWrite},
	bandwidth:         {evL3Read, evL3Write, evQueueFull},
	latency:           {evStall, evLoaded},
	cache:             {evBankBusy, evBankWait, evSamplerLines},
	overhead:          {evCsRead},
}

// withheld reports whether the column tells of a candidate that the recorder did not measure.
func (c *column) withheld(list []simulate.Candidate) bool {
	for _, x := range list {
		for _, e := range telling[leaf(slices.Index(candidates[:], x))] {
			if slices.Contains(c.of, e) {
				return true
			}
		}
	}
	return false
}
