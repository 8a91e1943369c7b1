package i915

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"astrolabe/capture/decode/oa"
	"astrolabe/capture/metrics"
	"astrolabe/hwio/intel"
	"astrolabe/hwio/internal/oaregisters"
)

func chooseFlex(t *testing.T, set, text string, format *oa.Format) (*intel.Selection, []*metrics.EUCounter, error) {
	t.Helper()
	sel, _, err := selectSet(kabyLakeOf(2).part, set, format.Name)
	if err != nil {
		t.Fatal(err)
	}
	chosen, err := readFlex(text, sel, format)
	return sel, chosen, err
}

func TestEventsGoToCountersThatTheSetLeaves(t *testing.T) {
	for _, c := range []struct{ set, text, want string }{
		{"RenderBasic", "", ""},
		{"RenderBasic", "fpu0/ts", "A20=fpu0/ts"},
		{"RenderBasic", "CsFpu0Active + fpu1/none/mov@a13+send/ps", "A20=fpu0/ts A13=fpu1/none/mov A19=send/ps"},
		{"RenderBasic", "fpu0+fpu1+send+active", "A20=fpu0 A19=fpu1 A14=send A13=active"},
		// A place that an event asks for is not given to one before it.
		{"RenderBasic", "fpu0+fpu1@A20", "A19=fpu0 A20=fpu1"},
		{"ComputeBasic", "fpu0+fpu1", "A20=fpu0 A19=fpu1"},
		{"TestOa", strings.Repeat("+active", 14)[1:], ""},
	} {
		_, got, err := chooseFlex(t, c.set, c.text, oa.A32u40A4u32B8C8)
		if err != nil {
			t.Errorf("%s %q: %v", c.set, c.text, err)
		} else if text := metrics.EUProgram(got); text != c.want && c.set != "TestOa" || c.set == "TestOa" && len(got) != 14 {
			t.Errorf("%s %q: %s, want %s", c.set, c.text, text, c.want)
		}
	}
}

func TestEventsThatCannotBeCountedAreRefused(t *testing.T) {
	wide := oa.A32u40A4u32B8C8
	narrow, err := oa.FormatByName("A12_B8_C8")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		set, text, want string
		format          *oa.Format
	}{
		{"RenderBasic", "fpu0/ts@A7", "EuActive of metric set RenderBasic reads A7; it leaves A20, A19, A14, A13", wide},
		{"RenderBasic", "fpu0@A21", `"A21" is no flexible EU counter`, wide},
		{"RenderBasic", "fpu0@", `"" is no flexible EU counter`, wide},
		{"RenderBasic", "fpu0@A13+fpu1@A13", "A13 counts fpu0 already", wide},
		{"RenderBasic", "stall/vs", "it takes none, row0 or row1", wide},
		{"RenderBasic", "fpu0+fpu1+send+active+stall", "with --set GpuBusyness or TestOa", wide},
		{"ComputeL3Cache", "fpu0", "leaves none", wide},
		{"RenderBasic", "fpu0@A20", "reports of format A12_B8_C8 do not hold A20", narrow},
		{"RenderBasic", "fpu9", "did you mean fpu0", wide},
		{"RenderBasic", "+", "EUs count no event", wide},
	} {
		_, got, err := chooseFlex(t, c.set, c.text, c.format)
		wantText(t, err, c.want)
		if got != nil {
			t.Errorf("%q is refused and programs %v", c.text, got)
		}
	}
}

// Intel's own sets are the judge: whoever asks for their events, each on its counter, must get their registers, word for word. Sets that program a counter
// with filters that the manual does not allow are left out.
func TestFlexRegistersEqualThoseOfIntelsSets(t *testing.T) {
	names := map[uint32]string{}
	index := map[uint32]int{}
	for i := range metrics.EUCounters {
		for _, ev := range metrics.EUEvents() {
			for _, cf := range metrics.EUCoarseFilters() {
				for _, ff := range metrics.EUFineFilters() {
					if c, err := metrics.NewEUCounter(ev.Name, cf.Name, ff.Name, i); err == nil {
						names[uint32(c.Field)] = c.Spelling()
						index[c.Address] = c.Index / 2 * 2
					}
				}
			}
		}
	}
	base, err := registersOf(kabyLakeOf(2), "TestOa")
	if err != nil {
		t.Fatal(err)
	}
	empty := &setData{guid: base.guid}
	words, compared := 0, 0
	for _, d := range everySet(t) {
		for _, r := range d.Flex {
			words++
			var events []string
			for half := range 2 {
				if name := names[r.Value>>(12*half)&0xFFF]; name != "" {
					events = append(events, name+"@A"+strconv.Itoa(7+index[r.Address]+half))
				}
			}
			if len(events) < 2 {
				continue
			}
			_, chosen, err := chooseFlex(t, "TestOa", strings.Join(events, flexSeparator), oa.A32u40A4u32B8C8)
			if err != nil {
				t.Errorf("%v: %v", events, err)
				continue
			}
			compared++
			if got := empty.withFlex(chosen).Flex; !slices.Equal(got, []oaregisters.Register{r}) {
				t.Errorf("%v: %x, Intel has %x", events, got, r)
			}
		}
	}
	t.Logf("%d of %d words are of events that the manual allows, and equal", compared, words)
	if compared < 130 {
		t.Errorf("only %d words", compared)
	}
}

func TestChosenEventsChangeOnlyTheirFields(t *testing.T) {
	for _, set := range []string{"RenderBasic", "VMEPipe", "TestOa"} {
		sel, chosen, err := chooseFlex(t, set, "fpu0/ts+fpu1/ps/ternary", oa.A32u40A4u32B8C8)
		if err != nil {
			t.Fatal(err)
		}
		d, err := registersOf(kabyLakeOf(2), sel.Set.Name)
		if err != nil {
			t.Fatal(err)
		}
		got := d.withFlex(chosen)
		if !slices.Equal(got.Mux, d.Mux) || !slices.Equal(got.Boolean, d.Boolean) {
			t.Errorf("%s: the network changed", set)
		}
		at := map[uint32]int{}
		for _, r := range got.Flex {
			at[r.Address]++
		}
		for a, n := range at {
			if n != 1 {
				t.Errorf("%s writes %#x %d times", set, a, n)
			}
		}
		// A20 and A19 are the two halves of the last register.
		value := got.Flex[slices.IndexFunc(got.Flex, func(r oaregisters.Register) bool { return r.Address == 0xE65C })].Value
		if value != 0x060251 {
			t.Errorf("%s: EU_PERF_CNTL6 is %#x", set, value)
		}
		for _, r := range d.Flex {
			if r.Address != 0xE65C && !slices.Contains(got.Flex, r) {
				t.Errorf("%s lost %x", set, r)
			}
		}
		if again := d.withFlex(chosen); again.guid != got.guid || got.guid == d.guid || len(got.guid) != 36 {
			t.Errorf("GUID %s, then %s; the set's is %s", got.guid, again.guid, d.guid)
		}
		_, other, err := chooseFlex(t, set, "fpu0/ts+fpu1/ps", oa.A32u40A4u32B8C8)
		if err != nil || d.withFlex(other).guid == got.guid {
			t.Errorf("other events have the same GUID, or %v", err)
		}
		if d.withFlex(nil) != d {
			t.Error("no choice changes the set")
		}
	}
}

func FuzzReadFlex(f *testing.F) {
	for _, seed := range []string{"fpu0/ts+PsSendActive@A14", "active@A20+", "@A7", "a/b/c/d", "fpu0@A20@A19"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		sel, chosen, err := chooseFlex(t, "RenderBasic", text, oa.A32u40A4u32B8C8)
		if err != nil {
			return
		}
		readBy := readers(sel)
		for _, c := range chosen {
			if readBy[c.Counter] != "" {
				t.Fatalf("%q programs %s, which %s reads", text, c.Counter, readBy[c.Counter])
			}
		}
		if again, err := metrics.ParseEUProgram(metrics.EUProgram(chosen)); err != nil || len(again) != len(chosen) {
			t.Fatalf("%q: %v, %v", text, again, err)
		}
	})
}
