package perfstat

import (
	"strings"
	"testing"
)

const hybrid = `
 Performance counter stats for './work':

          4,012.31 msec task-clock                       #    0.998 CPUs utilized
    12,000,000,000      cpu_core/cycles/                 #    2.991 GHz                         (98.12%)
       300,000,001      cpu_atom/cycles/                 #    0.075 GHz                         (1.88%)
    72,000,000,000      cpu_core/slots/
       330,000,000      cpu_atom/branches/u
       770,000,000      cpu_core/branches/u
            33,000      cycles:k
            ATOM

       4.020000000 seconds time elapsed

`

func TestEventsOfAllKindsOfCoresAreAdded(t *testing.T) {
	c := mustParse(t, strings.Replace(hybrid, "ATOM", "9      cpu_atom/cpu-cycles/", 1))
	want(t, c, "cycles", "12300000001") // and not what cpu_atom counted last
	want(t, c, "branches:u", "1100000000")
	want(t, c, "cpu_core/cycles/", "12000000000")
	if len(c.Counter("cycles").Warnings) != 2 {
		t.Errorf("cycles do not say that both were scaled: %q", c.Counter("cycles").Warnings)
	}
	if c.Counter("cpu-cycles") != nil {
		t.Error("cpu-cycles are told of all cores, and were counted on the kind with few of the cycles")
	}
	want(t, c, "slots", "72000000000") // of the kind with nearly all of the cycles
	c = mustParse(t, strings.NewReplacer("12,000,000,000 ", "600,000,000 ", "ATOM", "").Replace(hybrid))
	if c.Counter("slots") != nil {
		t.Error("slots are told of all cores, and were counted on one kind of them, which has two thirds of the cycles")
	}
}

func TestKindsOfCoresThatDidNotRunDoNotCount(t *testing.T) {
	text := `
 Performance counter stats for './work':

     2,000,000,000      cpu_core/cycles/
     <not counted>      cpu_atom/cycles/                                                        (0.00%)
     8,000,000,000      cpu_core/topdown-mem-bound/

       4.020000000 seconds time elapsed

`
	c := mustParse(t, text)
	want(t, c, "cycles", "2000000000")
	want(t, c, "topdown-mem-bound", "8000000000")
	if c.Counter("cpu_atom/cycles/") != nil || !strings.Contains(strings.Join(c.Warnings, "\n"), "nothing ran on the cores of cpu_atom") {
		t.Errorf("cores on which nothing ran have missing counts: %q", c.Warnings)
	}
	// One PMU alone is a longer name for the same.
	c = mustParse(t, strings.NewReplacer("cpu_core/", "cpu/", "cpu_atom/cycles/", "faults").Replace(text))
	want(t, c, "cycles", "2000000000")
}

func TestEventsOfOtherPMUsStayThemselves(t *testing.T) {
	for event, plain := range map[string]string{
		"cpu_core/cycles/": "cycles", "cpu_atom/topdown-retiring/u": "topdown-retiring:u", "cpu/cycles/:u": "cycles:u",
		"cpu/event=0x3c,umask=0/": "", "uncore_imc/cas_count_read/": "", "power/energy-pkg/": "", "cycles": "",
		"cpu_core/": "", "cpu_core//": "", "armv8_pmuv3_0/stall_backend/": "stall_backend", "armv8_cortex_a76/cycles/u": "cycles:u",
		"arm_cmn_0/hnf_cache_miss/": "",
	} {
		if _, got, _ := coreEvent(event); got != plain {
			t.Errorf("coreEvent(%q) is %q, want %q", event, got, plain)
		}
	}
}

func TestEventsOfKindsOfCoresByCPUAreOfTheirCPUs(t *testing.T) {
	c := mustParse(t,
		"CPU0,10,,cpu_core/cycles/,100,100.00,,\nCPU1,20,,cpu_core/cycles/,100,100.00,,\nCPU16,5,,cpu_atom/cycles/,100,100.00,,\n")
	cycles := c.Counter("cycles")
	if cycles == nil || len(cycles.Instances) != 3 || cycles.Total().Float() != 35 {
		t.Fatalf("cycles are %+v", cycles)
	}
}
