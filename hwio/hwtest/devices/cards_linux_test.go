package devices

import (
	"strings"
	"testing"

	"astrolabe/hwio/hwtest"
	"astrolabe/hwio/hwtest/emulated"
	"astrolabe/hwio/hwtest/i915"
	"astrolabe/hwio/hwtest/intel"
	"astrolabe/hwio/hwtest/xe"
)

// ofCard is what a card's model did.
func ofCard(truth any) *intel.Truth {
	switch t := truth.(type) {
	case *i915.Truth:
		return &t.Truth
	case *xe.Truth:
		return &t.Truth
	}
	return nil
}

// A recording is of the card that was asked for, and the other one is left alone; doctor says how each is recorded.
func TestEachOfTwoCardsIsMeasuredByItsName(t *testing.T) {
	for _, c := range []struct {
		machine, source, card string
		measured              int // of the two
	}{
		{"tgl-and-dg2", "i915", "", 0}, {"tgl-and-dg2", "i915", "card1", 1}, {"tgl-and-dg2", "i915", "0000:04:00.0", 1},
		{"lnl-and-bmg", "xe", "", 0}, {"lnl-and-bmg", "xe", "card1", 1}, {"lnl-and-bmg", "xe", "card0", 0},
		{"tgl-and-bmg", "i915", "", 0}, {"tgl-and-bmg", "xe", "", 1},
	} {
		t.Run(c.machine+" "+c.source+" "+c.card, func(t *testing.T) {
			t.Parallel()
			o := hwtest.Options{Device: emulated.Device(t, All(), c.machine), EndAfter: 300}
			var more []string
			if c.card != "" {
				more = []string{"--source-option", "card=" + c.card}
			}
			e := emulated.Record[[]any](t, o, c.source, "1ms", more...)
			got, other := ofCard(e.Truth[c.measured]), ofCard(e.Truth[1-c.measured])
			emulated.NothingLeft(t, got)
			emulated.EqualsOA(t, e.Open(t), got.Streams)
			if len(other.Streams) != 0 || len(other.ConfigsAdded) != 0 {
				t.Errorf("the other card has streams %v, configurations %v", other.Streams, other.ConfigsAdded)
			}
		})
	}
}

func TestDoctorNamesBothCards(t *testing.T) {
	for machine, want := range map[string][]string{
		"tgl-and-dg2": {"Tiger Lake", "card1, Intel DG2-G10", "card=card1"}, "lnl-and-bmg": {"Lunar Lake", "card1, ", "Battlemage", "card=card1"},
		"tgl-and-bmg": {"Tiger Lake", "Battlemage"},
	} {
		e := emulated.Astrolabe[[]any](t, hwtest.Options{Device: emulated.Device(t, All(), machine)}, "doctor")
		for _, w := range want {
			if !strings.Contains(e.Output, w) {
				t.Errorf("%s: no %q in:\n%s", machine, w, e.Output)
			}
		}
	}
}
