package perfetto

import (
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/metrics"
)

// unitless is a trace as Mesa's pps-producer writes it of an Intel GPU: counters by symbol, all of the unit NONE.
func unitless() []byte {
	packet := func(at uint64, event message) (p message) {
		p.uint(packetTimestamp, at)
		p.message(packetGPUCounterEvent, event)
		return p
	}
	value := func(id, v uint64) (m message) {
		m.uint(gpuCounterID, id)
		m.uint(gpuCounterInt, v)
		return m
	}
	var trace, described message
	var all message
	for id, name := range []string{"GpuBusy", "GpuCoreClocks", "Mystery"} {
		var spec message
		spec.uint(specID, uint64(id))
		spec.text(specName, name)
		spec.uint(specNumerator, 0)
		all.message(descriptorSpecs, spec)
	}
	described.message(gpuDescriptor, all)
	trace.message(tracePacket, packet(1000, described))
	for at := uint64(1); at <= 3; at++ {
		var event message
		for id, v := range []uint64{99, 1000, 5} {
			event.message(gpuCounters, value(uint64(id), v))
		}
		trace.message(tracePacket, packet(1000*at, event))
	}
	return trace
}

func TestCountersWithoutAUnitHaveTheKindThatTheCatalogueKnows(t *testing.T) {
	c, err := mustDecode(t, unitless()).With(func(cfg *capture.Config) { cfg.GPU = "intel-icl" })
	if err != nil {
		t.Fatal(err)
	}
	if c, err = metrics.Describe(c); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]capture.Kind{"GpuBusy": capture.Gauge, "GpuCoreClocks": capture.Delta} {
		if ctr := c.Counter(name); ctr == nil || ctr.Kind != want || ctr.Guessed {
			t.Errorf("%s: %+v, want a %v that nobody guessed", name, ctr, want)
		}
	}
	if m := c.Counter("Mystery"); !m.Guessed {
		t.Error("nobody says of what kind Mystery is, and it is not marked as guessed")
	}
}
