package rocprofiler

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"astrolabe/hwio"
	"astrolabe/hwio/internal/sysroot"
	"astrolabe/hwio/internal/vendorproc"
)

// machine is a tree with an AMD card at a performance level.
func machine(t *testing.T, level string) *Source {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"sys/class/drm/card1/device/vendor":                            "0x1002\n",
		"sys/class/drm/card1/device/drm/renderD129/dev":                "226:129\n",
		"sys/class/drm/card1/device/power_dpm_force_performance_level": level + "\n",
		"proc/self/status": "Name:\tastrolabe\nCapEff:\t0000000000000000\n",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return &Source{root: sysroot.At(dir)}
}

func TestZerosAreDoubtedAtLevelAutoAndBelievedAtAFixedOne(t *testing.T) {
	for level, doubted := range map[string]bool{"auto": true, "profile_standard": false} {
		s := machine(t, level)
		a := vendorproc.Agent{RenderMinor: 129}
		st := &stream{src: s, rows: 3, total: map[string]float64{"TCP_REQ": 0, "TCP_GL1_REQ_READ": 5}}
		st.level, st.file = s.powerLevel(&a)
		if st.level != level || st.file != "/sys/class/drm/card1/device/power_dpm_force_performance_level" {
			t.Errorf("level %q in %s", st.level, st.file)
		}
		text := st.gated()
		if got := strings.Contains(text, "performance level is auto") && strings.Contains(text, "echo profile_standard | sudo tee "+st.file); got != doubted {
			t.Errorf("%s: %q", level, text)
		}
	}
	idle := &stream{rows: 3, level: "auto", total: map[string]float64{"TCP_REQ": 0, "GRBM_COUNT": 9}}
	if text := idle.gated(); text != "" {
		t.Errorf("an idle GPU: %q", text)
	}
}

func TestAGPUThatCannotBeReachedIsExplainedByItsNode(t *testing.T) {
	s := machine(t, "auto")
	p := hwio.ProblemOf(s.explain(&vendorproc.Error{Kind: vendorproc.NoDevice, Text: "no GPU"}))
	if !strings.Contains(p.Reason, "/dev/kfd does not exist") || !strings.Contains(p.Fix, "amdgpu") {
		t.Errorf("without the node: %q, %q", p.Reason, p.Fix)
	}
	path := s.root.Path("/dev/kfd")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	p = hwio.ProblemOf(s.explain(&vendorproc.Error{Kind: vendorproc.NotPermitted, Text: "permission denied"}))
	if !strings.Contains(p.Fix, "cap_perfmon") {
		t.Errorf("with a node that can be opened: %q", p.Fix)
	}
	if s.privileged() {
		t.Error("no capability is taken for one")
	}
	if os.Geteuid() == 0 {
		return // root may open everything
	}
	if err := os.Chmod(path, 0); err != nil {
		t.Fatal(err)
	}
	p = hwio.ProblemOf(s.explain(&vendorproc.Error{Kind: vendorproc.NoDevice, Text: "no GPU"}))
	if !strings.Contains(p.Reason, "may not open /dev/kfd") || !strings.Contains(p.Fix, "usermod -aG render") {
		t.Errorf("with a node that may not be opened: %q, %q", p.Reason, p.Fix)
	}
}
