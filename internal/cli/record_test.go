package cli

import (
	"slices"
	"testing"
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
