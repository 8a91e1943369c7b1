package values

import "testing"

func TestAWarningNamesItsObjectOnce(t *testing.T) {
	for _, c := range [][3]string{
		{"run", "two ticks were missed", "run: two ticks were missed"},
		{"amdgpu", "amdgpu: card0: it was reset", "amdgpu: card0: it was reset"},
		{"amdgpu+perfevent", "perfevent: no hardware events", "perfevent: no hardware events"},
		{"amdgpu+perfevent", "two ticks were missed", "amdgpu+perfevent: two ticks were missed"},
		{"perf", "perfevent: no hardware events", "perf: perfevent: no hardware events"},
		{"", "two ticks were missed", "two ticks were missed"},
	} {
		if got := named(c[0], c[1]); got != c[2] {
			t.Errorf("%q of %q is shown as %q, want %q", c[1], c[0], got, c[2])
		}
	}
}
