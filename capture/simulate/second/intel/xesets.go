package intel

import "slices"

// split divides an event over counters that each see as many EUs, ports or banks.
func split(e event, k float64, counters ...string) (out []term) {
	for _, c := range counters {
		out = append(out, times(c, e, k/float64(len(counters))))
	}
	return out
}

// each is an event of every subslice, from the first on.
func each(e event, counters ...string) (out []term) {
	for i, c := range counters {
		out = append(out, part(c, e, 1, i+1))
	}
	return out
}

// ports are the four inputs of a bank of the L3.
func ports(n int, counters ...string) (out []term) {
	for _, c := range counters {
		out = append(out, bank(c, evBankInput, 1, n))
	}
	return out
}

var (
	firstEUs  = []string{"A7", "A8", "A9", "A10"}
	secondEUs = []string{"A11", "A12", "A13", "A14"}
	thirdEUs  = []string{"A15", "A16", "A17", "A18"}
)

// xe is a set of Tiger Lake. Its flexible counters see a quarter of the EUs each, three events at a time.
func xe(name, guid string, weight, compute float64, first, second, third event, own ...term) metricSet {
	all := slices.Concat(split(first, 1, firstEUs...), split(second, 1, secondEUs...), split(third, eighth(third), thirdEUs...))
	return set(name, guid, weight, compute, all, own...)
}

// eighth is how loaded threads are counted: by an adder of three bits that tells when it overflows.
func eighth(e event) float64 {
	if e == evLoaded {
		return 1. / 8
	}
	return 1
}

// usual is a set whose flexible counters are those of most.
func usual(name, guid string, weight, compute float64, own ...term) metricSet {
	return xe(name, guid, weight, compute, evActive, evStall, evLoaded, own...)
}

// busyness is a set that looks at the EUs and at how busy engines are.
func busyness(name, guid string, weight float64, first, second, third event) metricSet {
	return xe(name, guid, weight, weight, first, second, third, append(traffic("C7", "C6", "C5", "C4", "C3", "C2"),
		one("C1", evBusy), none("C0"))...)
}

// traffic is what the memory interface moves: reads through four ports, writes through two.
func traffic(c ...string) []term {
	return append(split(evRead, 1, c[:4]...), split(evWrite, 1, c[4:]...)...)
}

// headers are the four ports of a subslice's thread dispatcher.
func headers(n int, counters ...string) (out []term) {
	for _, c := range counters {
		out = append(out, part(c, evHeader, 1./24, n))
	}
	return out
}

// tigerLakeSets are those of the published equations, but for those of the L3's outputs, whose counters say too little of
// what they count.
var tigerLakeSets = []metricSet{
	usual("RenderBasic", "0fc397c0-4833-492c-9ccd-4929d574d5b8", 8, 4, append(traffic("C5", "C4", "C3", "C2", "C1", "C0"),
		part("B0", evSamplerBusy, 1, 1), part("B1", evSamplerBottleneck, 1, 1))...),
	usual("ComputeBasic", "397a46d9-03dd-4696-8196-270362e1c575", 3, 8, traffic("C7", "C6", "C5", "C4", "C3", "C2")...),
	usual("RenderPipeProfile", "684ed715-a0ca-499b-89e0-25d1cdf0c737", 6, 1, one("B3", evHizBottleneck),
		one("C7", evVfBottleneck), one("C6", evVsBottleneck), one("B1", evClStall), one("C3", evClBottleneck),
		one("C2", evSfBottleneck), one("C1", evBcBottleneck), one("B6", evSfStall), none("B5"), none("C5"), none("B4"),
		none("C4"), none("B2"), none("C0"), none("B7")),
	usual("HDCAndSF", "3a4c7510-7725-4bf8-9eae-59115a2431c6", 1, 1, append(each(evPortStalled, "B2", "B3", "B4", "B5", "B1",
		"B0"), one("B6", evPolyReady))...),
	usual("RasterizerAndPixelBackend", "6f02479c-e9ca-4c2b-b1e6-216a9e1c5ef7", 2.5, 0.5, one("B0", evRasterInput),
		one("B1", evPixelData), one("C3", evRasterOutput), one("C2", evPsOutput), one("C1", evPsOutput),
		one("C0", evPsOutput), one("B7", evPixelValues), one("B6", evPixelValues), one("B5", evPixelValues),
		one("C4", evQueueFull), one("C5", evQueueFull), one("C6", evQueueFull), one("C7", evQueueFull)),
	usual("L3_1", "7e809cb4-6e90-44cc-9c57-6eff58ad360a", 0.7, 1, slices.Concat(ports(1, "C7", "C6", "C5", "C4"),
		ports(2, "C3", "C2", "C1", "C0"), ports(5, "B3", "B2", "B1", "B0"), ports(6, "B7", "B6", "B5", "B4"))...),
	usual("L3_2", "0dde1bb6-340f-4350-b398-2b0228573967", 0.3, 0.5, slices.Concat(ports(3, "B3", "B2", "B1", "B0"),
		ports(4, "B7", "B6", "B5", "B4"), ports(7, "C3", "C2", "C1", "C0"), ports(8, "C7", "C6", "C5", "C4"))...),
	usual("Sampler_1", "17e2be13-39fe-45f0-867c-0f83fcc51654", 1, 0.5, each(evSamplerInput, "B5", "B4", "B3", "B2", "B1",
		"B0")...),
	usual("Sampler_2", "0c3c3235-2e91-4ef0-8562-4ea1501e8612", 0.5, 0.2, each(evSamplerOutput, "B5", "B4", "B3", "B2", "B1",
		"B0")...),
	usual("TDL_1", "ee6f5fa3-13a8-4842-8b34-f7541a0f76a3", 0.5, 0.7, slices.Concat(each(evNonPsReady, "B5", "B4", "B3", "B2",
		"B1", "B0"), headers(1, "C0", "C1", "C2", "C3"), headers(2, "C4", "C5", "C6", "C7"))...),
	usual("TDL_2", "f1577929-9215-488b-9899-d12b6e799743", 0.5, 0.2, slices.Concat(each(evPsReady, "B5", "B4", "B3", "B2",
		"B1", "B0"), headers(6, "C4", "C5", "C6", "C7"))...),
	usual("TDL_3", "d5890d02-b2be-4742-a16e-17190a92a301", 0.1, 0.1, slices.Concat(headers(3, "C7", "C6", "C5", "C4"),
		headers(4, "C3", "C2", "C1", "C0"), headers(5, "B7", "B6", "B5", "B4"))...),
	usual("GpuBusyness", "19fe64eb-ac4f-45c6-b2b9-af728b21753b", 1.5, 1.5, one("C6", evBusy), one("C1", evVideoRing),
		one("B1", evAnyRing), none("C2"), none("C3"), none("C5"), none("C7")),
	busyness("EuActivity1", "414ff049-80d3-48c0-b79a-bd8eed097a06", 0.7, evVsFpu0, evPsFpu0, evSend),
	busyness("EuActivity2", "fb65c819-7ac2-4c69-aa9d-b72a18440705", 0.5, evCsSend, evCsFpu0, evCsFpu1),
	busyness("EuActivity3", "7e1c6469-9de7-491a-a7c5-1bd8f9966826", 0.3, evVsFpu1, evPsFpu1, evPsSend),
	busyness("EuActivity7", "c0d2cd0a-e2be-4b12-916d-2f3aba0ebf9e", 0.7, evBoth, evFpu0, evFpu1),
}
