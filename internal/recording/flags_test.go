package recording

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestCountersAreSplitAtCommasOutsideOfEvents(t *testing.T) {
	for text, want := range map[string][]string{
		"cycles,instructions":                            {"cycles", "instructions"},
		" cycles , inst* ,":                              {"cycles", "inst*"},
		"cpu/event=0x3c,umask=0/,cycles":                 {"cpu/event=0x3c,umask=0/", "cycles"},
		"cycles,cpu/event=0x3c,umask=0/u,msr/tsc/":       {"cycles", "cpu/event=0x3c,umask=0/u", "msr/tsc/"},
		"RenderBasic/EuActive,RenderBasic/EuStall":       {"RenderBasic/EuActive", "RenderBasic/EuStall"},
		"msr/tsc/,uncore/config=1,config1=2/,GpuBusy,A*": {"msr/tsc/", "uncore/config=1,config1=2/", "GpuBusy", "A*"},
	} {
		var got counterList
		if err := got.Set(text); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q is split into %q (%v), want %q", text, []string(got), err, want)
		}
	}
}

func TestPeriodsAreThoseOfAllOrOfSingleSources(t *testing.T) {
	const ms = time.Millisecond
	for text, want := range map[string]struct {
		all  time.Duration
		each map[string]time.Duration
		err  string
	}{
		"5ms":                       {all: 5 * ms},
		"procfs=50ms,perfevent=1ms": {all: ms, each: map[string]time.Duration{"procfs": 50 * ms, "perfevent": ms}},
		"1ms, procfs = 0.1s":        {all: ms, each: map[string]time.Duration{"procfs": 100 * ms}},
		"5":                         {err: "a time has a unit: say 5ms"},
		"procfs=5":                  {err: "a time has a unit: say 5ms"},
		"1ms,2ms":                   {err: "1ms and 2ms are both the period of all sources"},
		"procfs=1ms,procfs=2ms":     {err: "procfs has two periods"},
		"procfs=":                   {err: "duration"},
	} {
		var f Flags
		err := (&periodFlag{to: &f}).Set(text)
		switch {
		case want.err != "":
			if err == nil || !strings.Contains(err.Error(), want.err) {
				t.Errorf("%q: %v, want %q", text, err, want.err)
			}
		case err != nil || f.Period != want.all || len(f.Periods) != len(want.each) || !maps.Equal(f.Periods, want.each):
			t.Errorf("%q: %v, %v, %v", text, f.Period, f.Periods, err)
		}
	}
}
