package table

import "testing"

func TestHeadersSayUnitAndInstanceInEitherOrder(t *testing.T) {
	for full, want := range map[string][3]string{
		"CPU user (%)[3]":   {"CPU user", "%", "3"},
		"cpu_user[3] (ms)":  {"cpu_user", "ms", "3"},
		"CPU user (%)":      {"CPU user", "%", ""},
		"reads (all)[0]":    {"reads (all)", "", "0"}, // which is no unit
		"TCC_HIT[3]":        {"TCC_HIT", "", "3"},
		"clock [MHz]":       {"clock", "MHz", ""},
		"$CPUActivity[0]":   {"$CPUActivity", "", "0"},
		"Fragment (cycles)": {"Fragment", "cycles", ""},
	} {
		if h := ParseHeader(full); [3]string{h.Base, h.Unit, h.Instance} != want {
			t.Errorf("%q is %q in %q, instance %q; want %q", full, h.Base, h.Unit, h.Instance, want)
		}
	}
}

func TestFramesAreCalledSoHoweverTheyAreWritten(t *testing.T) {
	for _, name := range []string{"Frame", "frame", "Frame number", "frame_id", "FrameIndex"} {
		l, err := NewLayout("f.csv", []Column{{Name: name, Type: Number}, {Name: "Start (ms)", Type: Number}, {Name: "a", Type: Number}}, &Options{}, nil)
		if err != nil || l.roles[0] != roleLabel || l.heads[0].Name != "frame" {
			t.Errorf("%q: %v, %v", name, l, err)
		}
	}
	l, err := NewLayout("f.csv", []Column{{Name: "Frame", Type: Number}, {Name: "frame", Type: Number}, {Name: "time_s", Type: Number}}, &Options{}, nil)
	if err != nil || l.heads[0].Name != "Frame" || l.heads[1].Name != "frame" {
		t.Errorf("two columns of frames: %v, %v", l, err)
	}
}
