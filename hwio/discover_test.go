package hwio

import (
	"slices"
	"strings"
	"testing"
)

var inCPU = []Group{{Name: "cpu", Together: true}}

func TestASharedNameFindsTheSourceThatWorks(t *testing.T) {
	in := []Group{{Name: "mali"}}
	kbase := &fakeSource{name: "kbase", groups: in, status: Status{Reason: "no /dev/mali0"}}
	panfrost := &fakeSource{name: "panfrost", groups: in, status: Status{Usable: true, GPU: "mali-g52"}}
	all := []Source{kbase, panfrost, &fakeSource{name: "procfs", groups: inCPU, status: Status{Usable: true, GPU: "cpu"}}}
	for _, name := range []string{"mali", "Mali", "panfrost"} {
		sel, err := Select(t.Context(), all, []string{name, "cpu"}, false)
		if err != nil || !slices.Equal(sel.Names(), []string{"panfrost", "procfs"}) || len(sel.Warnings) != 0 {
			t.Errorf("%s: %+v, %v", name, sel, err)
		}
	}
	// Both would stamp their own samples: one is enough.
	kbase.status = Status{Usable: true, GPU: "mali-g720"}
	if sel, err := Select(t.Context(), all, []string{"mali"}, false); err != nil || !slices.Equal(sel.Names(), []string{"kbase"}) {
		t.Errorf("%+v, %v", sel, err)
	}
	kbase.status, panfrost.status = Status{Reason: "no /dev/mali0"}, Status{Reason: "no panfrost"}
	if _, err := Select(t.Context(), all, []string{"mali"}, false); err == nil || !strings.Contains(err.Error(), "source mali cannot be used here: kbase: no /dev/mali0; panfrost: no panfrost") {
		t.Errorf("err = %v", err)
	}
	if got := Names(all); !slices.Equal(got, []string{"kbase", "panfrost", "procfs", "mali", "cpu"}) {
		t.Errorf("names %q", got)
	}
	if _, err := Select(t.Context(), nil, []string{"mali"}, false); err == nil || !strings.Contains(err.Error(), "needs Linux") {
		t.Errorf("err = %v", err)
	}
}

func TestCombinedSourceLeavesOutWhatDoesNotWork(t *testing.T) {
	perf := &fakeSource{name: "perfevent", groups: inCPU, status: Status{Usable: true, ProcessOnly: true, Reason: "only your own processes", Fix: "type this"}}
	proc := &fakeSource{name: "procfs", groups: inCPU, status: Status{Usable: true, GPU: "cpu"}}
	all := []Source{perf, proc}

	sel, err := Select(t.Context(), all, []string{"cpu"}, false)
	if err != nil || !slices.Equal(sel.Names(), []string{"procfs"}) {
		t.Fatalf("selection = %+v, %v", sel, err)
	}
	if len(sel.Warnings) != 1 || !strings.Contains(sel.Warnings[0], "perfevent: only your own processes; type this") {
		t.Errorf("warnings = %q", sel.Warnings)
	}
	// For a command it can be used, and nothing is taken twice.
	sel, err = Select(t.Context(), all, []string{"cpu", "procfs", "PERFEVENT"}, true)
	if err != nil || !slices.Equal(sel.Names(), []string{"perfevent", "procfs"}) || len(sel.Warnings) != 0 {
		t.Errorf("selection = %+v, %v", sel, err)
	}
	// Named alone it is an error.
	if _, err := Select(t.Context(), all, []string{"perfevent"}, false); err == nil || !strings.Contains(err.Error(), "type this") {
		t.Errorf("err = %v", err)
	}
	proc.status = Status{Reason: "no proc"}
	if _, err := Select(t.Context(), all, []string{"cpu"}, false); err == nil || !strings.Contains(err.Error(), "no proc") {
		t.Errorf("err = %v", err)
	}
}

func TestUnknownSourcesAreNamedWithNearOnes(t *testing.T) {
	all := []Source{&fakeSource{name: "procfs", groups: inCPU}}
	for in, want := range map[string]string{"prcofs": "did you mean procfs?", "gpu0815": "there are procfs, cpu"} {
		if _, err := Select(t.Context(), all, []string{in}, false); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: err = %v", in, err)
		}
	}
	if _, err := Select(t.Context(), all, nil, false); err == nil {
		t.Error("no name is no error")
	}
}

func TestBestPrefersAUsableGPU(t *testing.T) {
	cpu := &fakeSource{name: "procfs", groups: inCPU, status: Status{Usable: true, GPU: "cpu"}}
	broken := &fakeSource{name: "i915", status: Status{GPU: "intel-kbl-gt2", Reason: "busy"}}
	gpu := &fakeSource{name: "kbase", status: Status{Usable: true, GPU: "mali-g615"}}
	if sel, err := Best(t.Context(), []Source{cpu, broken, gpu}); err != nil || !slices.Equal(sel.Names(), []string{"kbase"}) {
		t.Errorf("best = %v, %v", sel, err)
	}
	if sel, err := Best(t.Context(), []Source{cpu, broken}); err != nil || !slices.Equal(sel.Names(), []string{"procfs"}) {
		t.Errorf("best = %v, %v", sel, err)
	}
	if _, err := Best(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "needs Linux") {
		t.Errorf("err = %v", err)
	}
}

func TestDoctorWithoutSourcesSaysThatRecordingNeedsLinux(t *testing.T) {
	f := Doctor(t.Context(), t.TempDir(), nil)
	if len(f) != 1 || f[0].Usable || !strings.Contains(f[0].Reason, "needs Linux") || f[0].Fix == "" {
		t.Errorf("findings = %+v", f)
	}
}
