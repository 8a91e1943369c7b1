package intel

import (
	"math/rand/v2"
	"testing"
)

// Counters only ever grow, whatever the phase: stalls are what is loaded and not active.
func TestNoEUCountsMoreThanItsClocks(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for phase := range phases {
		for range 20_000 {
			span := Span{Phase: Phase(phase), Chance: r.Uint64()}
			g := span.signals()
			for what, share := range map[string]float64{"active": g.active, "stalled": g.loaded - g.active, "loaded": g.loaded, "FPU0": g.fpu0, "both FPUs": g.fpuBoth,
				"FPU0 alone": g.fpu0 - g.fpuBoth, "FPU1 alone": g.fpu1 - g.fpuBoth, "occupied": g.occupancy / 7} {
				if share < 0 || share > 1 {
					t.Fatalf("phase %d, %#x: %s %v of the clocks", phase, span.Chance, what, share)
				}
			}
		}
	}
}

func TestFlexibleCountersFollowTheirRegisters(t *testing.T) {
	sig := &signals{loaded: 0.9, active: 0.5, fpu0: 0.4, fpu1: 0.2, fpuBoth: 0.1, send: 0.08, occupancy: 4, stage: [7]float64{1: 0.25, 5: 0.75}}
	for field, share := range map[uint32]float64{
		0x000: 0.4, 0x001: 0.2, 0x002: 0.08, 0x003: 0.1, 0x004: 0.5, 0x005: 0.4, 0x008: 0.5,
		0x010: 0.1, 0x050: 0.3, 0x051: 0.15, 0x060: 0, // by thread stage
		0x074: 0.25, 0x085: 0.2, // by row
		0x705: 0.1, 0xa04: 0.125, // by EU
		0x100: 0.02, 0x502: 0.02, // hybrid instructions; starts of sends
		0x014: 0, 0x103: 0, 0x105: 0, 0x009: 0, 0xb00: 0, // what hardware does not define
	} {
		if got := flexShare(field, sig); got < share-1e-9 || got > share+1e-9 {
			t.Errorf("field %#03x counts %v of the clocks, want %v", field, got, share)
		}
	}
	p := newNetwork(&Config{Flex: []Register{{0xe65c, 0x005004}}})
	if r := p.ratesFor(sig, NewPart("kblgt2", func(string) bool { return false })); r[19] != perClock(24*0.5) || r[20] != perClock(24*0.4) || r[7] != perClock(24*0.4) {
		t.Errorf("register 6 gives A19 %d and A20 %d", r[19], r[20])
	}
}
