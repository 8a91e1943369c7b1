package intel

import "fmt"

// term is what a counter of a metric set counts: an event, times a factor. Part is the subslice or bank that it is of,
// from 1 on, whose share may be more or less than that of the others; 0 is of all.
type term struct {
	counter string
	event   event
	factor  float64
	part    int
	bank    bool
}

// metricSet is what the counters count when the set is loaded.
type metricSet struct {
	name, guid string
	weight     float64 // how often it is drawn
	compute    float64 // the same for content of dispatches only
	terms      []term
}

func one(counter string, e event) term { return term{counter: counter, event: e, factor: 1} }
func times(counter string, e event, k float64) term {
	return term{counter: counter, event: e, factor: k}
}

// part is one subslice's share.
func part(counter string, e event, k float64, n int) term {
	return term{counter: counter, event: e, factor: k, part: n}
}

func bank(counter string, e event, k float64, n int) term {
	return term{counter: counter, event: e, factor: k, part: n, bank: true}
}

// none is a counter of what no program here uses: tessellation, geometry shaders, stream output, 64-bit pointers,
// typed atomics, the resource streamer, the video enhancer and motion estimation are off, and their counters stand still.
func none(counter string) term { return term{counter: counter, event: evBusy} }

// fixed are the aggregating counters that every set has.
var fixed = []term{one("A0", evBusy), one("A1", evVsThreads), none("A2"), none("A3"), one("A4", evCsThreads), none("A5"),
	one("A6", evPsThreads),
	one("A21", evRaster), one("A22", evHizFail), one("A23", evEarlyFail), one("A24", evKilled), one("A25", evPostFail),
	one("A26", evWritten), one("A27", evBlended), one("A28", evTexels), one("A29", evTexelMiss), one("A30", evSlmRead),
	one("A31", evSlmWrite), one("A32", evAccess), one("A33", evAccessMiss), one("A34", evAtomic), one("A35", evBarrier)}

var activity = []term{one("A7", evActive), one("A8", evStall)}

// stages are the flexible counters of sets for rendering.
var stages = append(activity[:2:2], one("A9", evBoth), one("A10", evVsFpu0), one("A11", evVsFpu1),
	one("A12", evVsSend), one("A15", evPsFpu0), one("A16", evPsFpu1), one("A17", evPsSend), one("A18", evPsBoth))

// pipes are those of sets for compute work.
var pipes = append(activity[:2:2], one("A9", evBoth), one("A10", evFpu0), one("A11", evFpu1), one("A12", evSend))

func set(name, guid string, weight, compute float64, flexible []term, own ...term) metricSet {
	s := metricSet{name: name, guid: guid, weight: weight, compute: compute}
	s.terms = append(append(append(s.terms, fixed...), flexible...), own...)
	return s
}

// thirds divide an event over three subslices.
func thirds(e event, k float64, counters ...string) (out []term) {
	for i, c := range counters {
		out = append(out, part(c, e, k/3, i+1))
	}
	return out
}

// quarters divide an event over four banks.
func quarters(e event, k float64, counters ...string) (out []term) {
	for i, c := range counters {
		out = append(out, bank(c, e, k/4, i+1))
	}
	return out
}

func join(lists ...[]term) (out []term) {
	for _, l := range lists {
		out = append(out, l...)
	}
	return out
}

// testOA are the shares of the clocks that the self-test counts.
func testOA() (out []term) {
	for i, k := range []float64{0, 1, 1, 1. / 2, 1. / 3, 1. / 3, 1. / 6, 2. / 3} {
		out = append(out, times(fmt.Sprintf("B%d", i), numEvents, k))
	}
	return append(out, times("C7", numEvents, 1))
}

// kabyLakeSets are those of the published equations, with what the counters of each count.
var kabyLakeSets = []metricSet{
	set("RenderBasic", "99c1a40e-a090-4354-86e3-4d068bb1917e", 8, 4, stages,
		part("B0", evSamplerBusy, 1, 1), part("B1", evSamplerBusy, 1, 2),
		part("B2", evSamplerBottleneck, 1, 1), part("B3", evSamplerBottleneck, 1, 2),
		times("B4", evTexLines, 1./8), times("B6", evVfRead, 0.5), times("B7", evVfRead, 0.5),
		times("C0", evDepth, 0.5), times("C1", evDepth, 0.5), times("C2", evColor, 0.5), times("C3", evColor, 0.5),
		one("C4", evL3Miss), times("C5", evL3Miss, 0.02), one("C6", evRead), one("C7", evWrite)),
	set("ComputeBasic", "12994724-3a5a-4303-bb3c-ba0175d2c200", 3, 8, append(pipes[:6:6], times("A13", evLoaded, 1./8)),
		join(thirds(evTypedRead, 1, "B0", "B1", "B2"), thirds(evTypedWrite, 1, "B3", "B4", "B5"),
			thirds(evUntypedRead, 1, "B6", "B7", "C0"), thirds(evUntypedWrite, 1, "C1", "C2", "C3"),
			[]term{one("C4", evRead), one("C5", evWrite)})...),
	set("RenderPipeProfile", "d7a17a3a-ca71-40d2-a919-ace80d50633f", 6, 1, activity,
		one("C0", evVfBottleneck), one("B0", evVsBottleneck), one("B5", evClBottleneck), one("B6", evSfBottleneck),
		one("C6", evHizBottleneck), one("B7", evEarlyBottleneck), one("C7", evBcBottleneck), one("C4", evClStall),
		one("C5", evSfStall), none("B1"), none("B2"), none("B3"), none("B4"), none("C1"), none("C2"), none("C3")),
	set("MemoryReads", "57b59202-172b-477a-87de-33f85572c589", 1.5, 1.5, activity,
		join([]term{one("B0", evCsRead), one("B1", evVfRead), none("B2"), one("B3", evRccRead), one("B4", evMscRead),
			one("B5", evHizRead), one("B6", evStcRead), one("B7", evRczRead), one("C0", evRead), times("C3", evRing, 0.5)},
			quarters(evL3Read, 1, "C4", "C5", "C6", "C7"))...),
	set("MemoryWrites", "3addf8ef-8e9b-40f5-a448-3dbb5d5128b0", 1, 1, activity,
		join([]term{none("B2"), one("B3", evRccWrite), one("B4", evMscWrite), one("B5", evHizWrite), one("B6", evStcWrite),
			one("B7", evRczWrite), one("C0", evWrite), times("C3", evRing, 0.5)},
			quarters(evL3Write, 1, "C4", "C5", "C6", "C7"))...),
	set("ComputeExtended", "4af0400a-81c3-47db-a6b6-deddbd75680e", 0.5, 2, append(pipes[:6:6], times("A13", evLoaded, 1./8)),
		part("B0", evUntypedRead, 1./3, 1), part("B1", evUntypedWrite, 1./3, 1), part("B2", evTypedRead, 1./3, 1),
		part("B3", evTypedWrite, 1./3, 1), part("B4", evAtomic, 1./3, 1), part("C0", evTypedWrite, 1./3, 1),
		part("C1", evUntypedWrite, 1./3, 1), part("C2", evTypedRead, 1./3, 1), part("C3", evUntypedRead, 1./3, 1),
		none("B5"), none("B6"), none("B7"), none("C4")),
	set("ComputeL3Cache", "0e22f995-79ca-4f67-83ab-e9d9772488d8", 0.5, 2, append(pipes[:6:6], one("A13", evHybrid0),
		one("A14", evHybrid1), one("A15", evTernary0), one("A16", evTernary1), one("A17", evBinary0), one("A18", evBinary1),
		one("A19", evMove0), one("A20", evMove1)),
		join(quarters(evL3Access, 0.5, "C0", "C1", "B2", "B3"),
			[]term{times("C4", evL3Miss, 0.5), times("C5", evL3Miss, 0.5), one("C6", evRead), one("C7", evWrite)})...),
	set("HDCAndSF", "fb149d66-fad2-4230-b0d7-4d689b9116d3", 1, 1, stages,
		one("B0", evPolyReady), part("C7", evPortAsked, 1, 1), part("C6", evPortTaken, 1, 1),
		part("C5", evPortAsked, 1, 2), part("C4", evPortTaken, 1, 2), part("C3", evPortAsked, 1, 3),
		part("C2", evPortTaken, 1, 3)),
	set("L3_1", "f889f8cc-4c93-4ac8-b75f-551c0b9b87f7", 0.5, 0.7, stages, bank("B0", evBankStalled, 1, 1),
		bank("B4", evBankStalled, 1, 2), bank("C6", evBankActive, 1, 1), bank("C7", evBankActive, 1, 2)),
	set("L3_2", "6d344efd-8e9e-42d4-a29e-1011c29f82c2", 0.25, 0.3, stages, bank("B0", evBankStalled, 1, 3),
		bank("C7", evBankActive, 1, 3)),
	set("L3_3", "e3b386ae-c195-47d5-af29-8a1afa0ae2bf", 0.25, 0.3, stages, bank("B0", evBankStalled, 1, 4),
		bank("C7", evBankActive, 1, 4)),
	set("RasterizerAndPixelBackend", "f9954679-a055-4862-9f57-9d66e3ebf81c", 2.5, 0.3, stages, one("B0", evPixelData),
		one("B1", evRasterInput), one("C5", evRasterOutput), one("C6", evPixelValues), one("C7", evPsOutput)),
	set("Sampler", "4ed5e27e-fd1a-4f11-ad8f-9374e128c697", 1.5, 0.5, stages, part("B2", evSamplerInput, 1, 1),
		part("B0", evSamplerInput, 1, 2), part("B1", evSamplerInput, 1, 3), part("C6", evSamplerOutput, 1, 1),
		part("C5", evSamplerOutput, 1, 2), part("C7", evSamplerOutput, 1, 3)),
	set("TDL_1", "9eaf384d-8f53-41b8-a71d-108308780fbc", 0.7, 0.7, stages, part("B2", evNonPsReady, 1, 1),
		part("B0", evNonPsReady, 1, 2), part("B4", evNonPsReady, 1, 3), part("B1", evPsReady, 1, 1),
		part("B5", evPsReady, 1, 2), part("B3", evPsReady, 1, 3)),
	set("TDL_2", "a00cbdf2-eabd-4240-9a89-86e2ac1ca1e4", 0.3, 0.3, stages, part("C5", evHeader, 1./6, 1),
		part("C6", evHeader, 1./6, 1), part("C7", evHeader, 1./6, 2), part("C2", evHeader, 1./6, 2),
		part("C3", evHeader, 1./6, 3), part("C4", evHeader, 1./6, 3)),
	set("GpuBusyness", "6c66fe6e-2988-454a-bfae-7fca3bbcbec2", 1.5, 1.5, nil, one("C7", evBusy), one("C6", evVideoRing),
		none("C5"),
		one("C4", evBlitRing), one("B0", evAnyRing)),
	set("ComputeExtra", "aa7a3fb9-22fb-43ff-a32d-0ab6c13bbd16", 0, 0, []term{one("A7", evFpu0), one("A8", evFpu1),
		one("A9", evSend), one("A10", evBoth), one("A11", evActive), one("A12", evStall), one("A13", evVsFpu0),
		one("A14", evVsFpu1), one("A15", evVsSend), one("A16", evPsFpu0), one("A17", evPsFpu1), one("A18", evPsSend),
		times("A19", evLoaded, 1./8)}),
	set("VMEPipe", "398a4268-ef6f-4ffc-b55f-3c7b5363ce61", 0, 0, append(activity[:2:2], one("A9", evBoth),
		times("A10", evLoaded, 1./8)), none("B0"), none("B3")),
	set("TestOa", "cd4b577b-073a-423f-a948-e198dd818c71", 0, 0, nil, testOA()...),
	set("AsyncCompute", "4032137b-8dcc-4f3f-912d-c0bb14a123bc", 0.5, 0.7, append(activity[:2:2], one("A9", evFpu0),
		one("A10", evFpu1), one("A11", evPsFpu0), one("A12", evPsFpu1), one("A13", evVsFpu0), one("A14", evVsFpu1),
		one("A15", evCsFpu0), one("A16", evCsFpu1), times("A17", evLoaded, 1./8))),
}
