package xe

import (
	"encoding/binary"
	"maps"
	"slices"
	"strings"
	"testing"

	"astrolabe/capture/decode/oa"

	"astrolabe/hwio/intel"
)

// words are little-endian numbers of the sizes that are written as uint16, uint32 and uint64.
func words(values ...any) []byte {
	var b []byte
	for _, v := range values {
		b, _ = binary.Append(b, binary.LittleEndian, v)
	}
	return b
}

func u16(v ...uint16) []uint16 { return v }

// A list as Linux 7.2 answers it: the unit tells its GT, which stands in what is spare to older kernels.
var unitsAnswer = words(uint64(0), uint32(2), uint32(0),
	uint64(0), uint32(0), uint32(0), uint64(63), uint64(19_200_000), u16(0, 0, 0, 0), make([]uint64, 3), uint64(2),
	u16(0, 0, 0, 0), u16(4, 0, 0, 0),
	uint64(0), uint32(1), uint32(2), uint64(63), uint64(19_200_000), u16(1, 0, 0, 0), make([]uint64, 3), uint64(0))

func TestUnitsAreReadWithTheirEngines(t *testing.T) {
	units, err := parseUnits(unitsAnswer)
	if err != nil || len(units) != 2 {
		t.Fatalf("%+v, %v", units, err)
	}
	if u := units[0]; u.kind != unitOAG || u.frequency != 19_200_000 || u.capabilities != 63 || !slices.Equal(u.engines, []intel.Engine{{}, {Class: 4}}) {
		t.Errorf("%+v", u)
	}
	if u := units[1]; u.id != 1 || u.kind != 2 || len(u.engines) != 0 || u.title() != "OA unit 1 (media)" {
		t.Errorf("%+v", u)
	}
	for n := range unitsAnswer {
		if _, err := parseUnits(unitsAnswer[:n]); err == nil {
			t.Errorf("the first %d bytes are a list", n)
		}
	}
}

func maskOf(gt, kind uint16, bits ...byte) []byte {
	return append(words(u16(gt, kind), uint32(len(bits))), bits...)
}

func TestTopologyIsOfWhatServesDrawsOrComputing(t *testing.T) {
	b := slices.Concat(maskOf(0, 1, 0x0f), maskOf(0, 2, 0x30, 0x01), maskOf(0, 3, 0xff, 0x03), maskOf(0, 4, 0xff, 0x7f),
		maskOf(1, 1, 0xff), maskOf(0, 77, 1, 2, 3))
	topo, err := parseTopology(b)
	if err != nil || topo.cores.count() != 7 || !topo.cores.has(8) || topo.cores.has(6) || topo.cores.has(99) || topo.l3.count() != 10 || topo.eus != 15 {
		t.Errorf("%+v, %v", topo, err)
	}
	for what, bad := range map[string][]byte{
		"no Xe-core": maskOf(0, 4, 0xff), "no vector engine": maskOf(0, 1, 1), "head": b[:3], "within a mask": b[:8],
	} {
		if _, err := parseTopology(bad); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", what, err)
		}
	}
	h := &hardware{topology: topo, gts: []graphicsTechnology{{major: 20}}, engines: []intel.Engine{{}, {Class: 4}, {Class: 4, Instance: 1}}}
	info := oa.Info{DeviceID: 0x64a0, Topology: h.blob()}
	topology, err := oa.ParseTopology(info.Topology)
	if err != nil || topology.Subslices != 7 || topology.EUs != 105 || topology.Slices != 3 || topology.SliceMask != 7 {
		t.Errorf("the blob is of %+v, %v", topology, err)
	}
	got := map[string]float64{}
	for _, p := range h.variables() {
		got[p.Name] = p.Number
	}
	want := map[string]float64{"L3BankTotalCount": 10, "L3NodeTotalCount": 3, "SqidiTotalCount": 3, "ComputeEngineTotalCount": 2, "CopyEngineTotalCount": 2}
	if !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	// A version that is not known has no slices that could be counted.
	h.gts[0] = graphicsTechnology{}
	if topology, err := oa.ParseTopology(h.blob()); err != nil || topology.Slices != 1 || topology.Subslices != 7 {
		t.Errorf("the blob is of %+v, %v", topology, err)
	}
}

func TestAnswersThatAreTooShortAreErrors(t *testing.T) {
	gts := words(uint32(1), uint32(0), u16(0, 0, 0, 0, 0, 0), uint32(19_200_000), make([]uint64, 2), u16(20, 4, 4, 0), make([]uint64, 7))
	got, err := parseGTs(gts)
	if err != nil || got[0].clock != 19_200_000 || got[0].major != 20 || got[0].minor != 4 {
		t.Errorf("%+v, %v", got, err)
	}
	engines := words(uint32(1), uint32(0), u16(3, 1, 1, 0), make([]uint64, 3))
	es, err := parseEngines(engines)
	if err != nil || !slices.Equal(es, []intel.Engine{{Class: 3, Instance: 1, GT: 1}}) {
		t.Errorf("%+v, %v", es, err)
	}
	config := words(uint32(1), uint32(0), uint64(4<<16|0x64a0))
	device, revision, err := parseConfig(config)
	if err != nil || device != 0x64a0 || revision != 4 {
		t.Errorf("%x %d, %v", device, revision, err)
	}
	for n := range gts {
		if _, err := parseGTs(gts[:n]); err == nil {
			t.Errorf("%d bytes are a list of GTs", n)
		}
	}
	for n := range engines {
		if _, err := parseEngines(engines[:n]); err == nil {
			t.Errorf("%d bytes are a list of engines", n)
		}
	}
	for n := range config {
		if _, _, err := parseConfig(config[:n]); err == nil {
			t.Errorf("%d bytes are a configuration", n)
		}
	}
}

func FuzzAnswers(f *testing.F) {
	f.Add(unitsAnswer)
	f.Add(slices.Concat(maskOf(0, 1, 0x0f), maskOf(0, 2, 0x30, 0x01), maskOf(0, 4, 0xff)))
	f.Add(words(uint32(1), uint32(0), uint64(4<<16|0x64a0)))
	f.Fuzz(func(t *testing.T, b []byte) {
		if units, err := parseUnits(b); err == nil && len(units) > maxUnits {
			t.Fatalf("%d units", len(units))
		}
		if topo, err := parseTopology(b); err == nil {
			h := &hardware{topology: topo, gts: []graphicsTechnology{{major: 20}}}
			if topo.cores.count() == 0 || len(h.variables()) == 0 || len(h.blob()) == 0 {
				t.Fatal("a topology of nothing")
			}
		}
		_, _ = parseGTs(b)
		_, _ = parseEngines(b)
		_, _, _ = parseConfig(b)
	})
}
