package hwio

import (
	"strings"
	"testing"

	"astrolabe/capture"
)

func TestMatchTakesNamesAliasesAndGlobsInAnyCase(t *testing.T) {
	m := &capture.Meta{Name: "L1_dcache_loads", Aliases: []string{"l1d", "power/energy-pkg/"}}
	for pattern, want := range map[string]bool{
		"L1_dcache_loads": true, "l1-dcache-loads": true, "L1*": true, "*loads": true, "*dc*e*": true, "L1?dcache_load?": true, "l1D": true, "*": true,
		"power/*/": true, "L1": false, "loads": false, "*stores": false, "": false, "L1_dcache_loads_": false, "?": false,
	} {
		if got := Match(pattern, m); got != want {
			t.Errorf("Match(%q) = %v", pattern, got)
		}
	}
}

func FuzzMatch(f *testing.F) {
	f.Add("*a*b?", "xaxbx")
	f.Add("$MaliGPUCycles*", "MaliGPUCyclesGPUActive")
	f.Fuzz(func(t *testing.T, pattern, name string) {
		m := &capture.Meta{Name: name}
		if !IsGlob(pattern) && Match(pattern, m) != (fold(strings.TrimPrefix(pattern, "$")) == fold(name)) {
			t.Fatalf("%q against %q", pattern, name)
		}
		if !Match("*"+name+"*", m) && !IsGlob(name) {
			t.Fatalf("stars do not match %q", name)
		}
	})
}
