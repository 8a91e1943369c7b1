package metrics

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"astrolabe/capture/metrics/formula"
	"astrolabe/internal/testfiles"
)

func TestEUCountersAreEncodedAsTheManualSays(t *testing.T) {
	for _, c := range []struct {
		event, coarse, fine string
		index               int
		counter, register   string
		address, value      uint32
		doc                 string
	}{
		{"active", "", "", 0, "A7", "EU_PERF_CNT_CTL0", 0xE458, 0x4, "Counts clocks in which at least one pipe executed, over all EUs."},
		{"stall", "none", "none", 1, "A8", "EU_PERF_CNT_CTL0", 0xE458, 0x5000, "Counts clocks in which a thread was loaded and no pipe executed, over all EUs."},
		{"fpu0", "vs", "", 3, "A10", "EU_PERF_CNT_CTL1", 0xE558, 0x10000, "Counts clocks in which pipe FPU0 executed for a vertex shader thread, over all EUs."},
		{"FPU1", "ps", "ternary", 13, "A20", "EU_PERF_CNT_CTL6", 0xE65C, 0x251000, "Counts clocks in which pipe FPU1 executed on three-operand instructions for a pixel shader thread, over all EUs."},
		{"send", "ts", "send start", 8, "A15", "EU_PERF_CNT_CTL4", 0xE45C, 0x562, "Counts clocks in which the send pipe executed at the start of a send for a thread of the thread spawner (compute), over all EUs."},
		{"occupancy", "row1", "eu3", 6, "A13", "EU_PERF_CNT_CTL3", 0xE758, 0xA88, "Counts loaded threads, added up every clock and counted in steps of 8 in EUs of number 3 in EUs of row 1, over all EUs."},
	} {
		got, err := NewEUCounter(c.event, c.coarse, c.fine, c.index)
		if err != nil {
			t.Error(err)
			continue
		}
		if got.Counter != c.counter || got.Register != c.register || got.Address != c.address || got.Value() != c.value || got.Doc != c.doc {
			t.Errorf("%s %s %s %d: %s %s 0x%X 0x%X %s", c.event, c.coarse, c.fine, c.index, got.Counter, got.Register, got.Address, got.Value(), got.Doc)
		}
		if _, err := formula.Parse(formula.Intel, got.Expr); err != nil {
			t.Error(err)
		}
		reg, err := mustGet(t, "intel-kbl-gt2").Find(got.Register)
		if err != nil || !strings.Contains(reg.Doc, got.Counter) {
			t.Errorf("%s does not say that it programs %s: %v", got.Register, got.Counter, err)
		}
	}
}

func TestEUCombinationsAreAllowedAsTheManualSays(t *testing.T) {
	// Of each event: how many of the 9 coarse and 10 fine filters go with it.
	want := map[string]int{"fpu0": 90, "fpu1": 90, "send": 54, "fpu_both": 15, "active": 18, "stall": 15, "occupancy": 15}
	for _, ev := range EUEvents() {
		n := 0
		for _, cf := range EUCoarseFilters() {
			for _, ff := range EUFineFilters() {
				for _, index := range []int{0, 13} {
					c, err := NewEUCounter(ev.Name, cf.Name, ff.Name, index)
					if (err == nil) != ev.Allows(cf, ff) {
						t.Errorf("%s %s %s: %v", ev.Name, cf.Name, ff.Name, err)
					}
					if err != nil {
						continue
					}
					n++
					again, err := decodeEUCounter(c.Value(), index)
					if err != nil || again.Doc != c.Doc || again.Value() != c.Value() || c.Value()&^c.Mask() != 0 {
						t.Errorf("%s %s %s does not survive decoding: %v", ev.Name, cf.Name, ff.Name, err)
					}
				}
			}
		}
		if n != 2*want[ev.Name] {
			t.Errorf("%s goes with %d combinations of filters, want %d", ev.Name, n/2, want[ev.Name])
		}
	}
	for _, c := range []struct{ event, coarse, fine, want string }{
		{"stall", "vs", "", "it takes none, row0 or row1"},
		{"send", "", "binary", "it takes none, send_start, eu0, eu1, eu2 or eu3"},
		{"fpu2", "", "", "did you mean fpu"},
		{"zzz", "", "", "there are fpu0"},
		{"fpu0", "xs", "", `no coarse filter "xs"`},
	} {
		if _, err := NewEUCounter(c.event, c.coarse, c.fine, 0); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v", c, err)
		}
	}
	if _, err := NewEUCounter("fpu0", "", "", 14); err == nil || !strings.Contains(err.Error(), "0 (A7) to 13 (A20)") {
		t.Errorf("index 14: %v", err)
	}
	if c, err := NewEUCounter("fpu0", "", "send_start", 0); err != nil || len(c.Warnings) != 1 {
		t.Errorf("send starts of FPU0: %v, %v", c, err)
	}
}

func TestEveryEURegisterOfTheMetricSetsDecodes(t *testing.T) {
	address := map[uint32]int{}
	for i, a := range euRegisters {
		address[a] = i
	}
	decoded, unsupported := 0, 0
	for _, row := range testfiles.Rows(t, "reference", "intel_kbl_oa_registers.csv") {
		if row["reg_type"] != "FLEX" {
			continue
		}
		a, err1 := strconv.ParseUint(row["address"], 0, 32)
		v, err2 := strconv.ParseUint(row["value"], 0, 32)
		n, known := address[uint32(a)]
		if err1 != nil || err2 != nil || !known {
			t.Fatalf("row %v", row)
		}
		for half := range 2 {
			c, err := decodeEUCounter(uint32(v), 2*n+half)
			if err != nil {
				t.Errorf("%s %s: %v", row["gpu"], row["metric_set"], err)
				continue
			}
			decoded++
			if !c.Event.Allows(c.Coarse, c.Fine) {
				unsupported++
			}
			set, err := mustGet(t, intelIDs[row["gpu"]]).Set(row["metric_set"])
			if err != nil {
				t.Fatal(err)
			}
			if e := set.Entry("EuActive"); e != nil && strings.HasPrefix(e.Expr, "A "+c.Counter[1:]+" READ") && c.Event.Name != "active" {
				t.Errorf("%s: EuActive reads %s, which counts %s", set.Name, c.Counter, c.Event.Name)
			}
		}
	}
	if decoded < 100 {
		t.Errorf("only %d fields", decoded)
	}
	t.Logf("%d fields, %d of them with filters that the manual does not allow", decoded, unsupported)
}

// decodeEUCounter reads back what the register of flexible EU counter index programs it for. Some of Intel's own metric sets program
// counters that they do not use with filters that the event does not support: that is a warning here. An unknown code is an error.
func decodeEUCounter(value uint32, index int) (*EUCounter, error) {
	if index < 0 || index >= EUCounters {
		return nil, fmt.Errorf("there is no flexible EU counter %d: they are 0 (A7) to %d (A20)", index, EUCounters-1)
	}
	field := value >> (12 * (index % 2)) & 0xFFF
	ev := slices.IndexFunc(euEvents, func(e EUEvent) bool { return uint32(e.Code) == field&15 })
	cf := slices.IndexFunc(euCoarse, func(f EUFilter) bool { return uint32(f.Code) == field>>4&15 })
	ff := slices.IndexFunc(euFine, func(f EUFilter) bool { return uint32(f.Code) == field>>8 })
	switch {
	case ev < 0:
		return nil, fmt.Errorf("field 0x%03X of A%d has the unknown increment event %d", field, 7+index, field&15)
	case cf < 0:
		return nil, fmt.Errorf("field 0x%03X of A%d has the unknown coarse filter %d", field, 7+index, field>>4&15)
	case ff < 0:
		return nil, fmt.Errorf("field 0x%03X of A%d has the unknown fine filter %d", field, 7+index, field>>8)
	}
	c := newEUCounter(euEvents[ev], euCoarse[cf], euFine[ff], index)
	if !c.Event.Allows(c.Coarse, c.Fine) {
		c.Warnings = append(c.Warnings, fmt.Sprintf("the hardware does not support event %s with the filters %s and %s", c.Event.Name, c.Coarse.Name, c.Fine.Name))
	}
	return c, nil
}
