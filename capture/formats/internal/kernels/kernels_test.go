package kernels

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestKernelsAreNamedAndGroupedByShape(t *testing.T) {
	type label struct {
		Name   string
		Values []string
	}
	labels := func(names, grids, groups []string) (out []label) {
		for _, l := range Labels(names, grids, groups) {
			v := make([]string, len(l.Codes))
			for i := range v {
				v[i], _ = l.Value(i)
			}
			out = append(out, label{l.Name, v})
		}
		return out
	}
	for what, c := range map[string]struct {
		got, want []label
	}{
		"mangled": {
			labels([]string{"_Z4copyPfi.kd", "_Z4copyPfi.kd", "fill.kd"}, []string{"64", "128", ""}, []string{"64", "64", ""}),
			[]label{
				{"kernel", []string{"copy(float*, int)", "copy(float*, int)", "fill"}},
				{"kernel_symbol", []string{"_Z4copyPfi.kd", "_Z4copyPfi.kd", "fill.kd"}},
				{"kernel_shape", []string{"copy(float*, int) grid 64 workgroup 64", "copy(float*, int) grid 128 workgroup 64", ""}},
			},
		},
		"demangled": {
			labels([]string{"copy(float*, int) [clone .kd]", ""}, []string{"64", "64"}, []string{"", ""}),
			[]label{{"kernel", []string{"copy(float*, int)", ""}}, {"kernel_shape", []string{"copy(float*, int) grid 64", ""}}},
		},
		"nothing known": {labels([]string{"", ""}, []string{"", ""}, []string{"", ""}), nil},
	} {
		if d := cmp.Diff(c.want, c.got); d != "" {
			t.Errorf("%s (-want +got):\n%s", what, d)
		}
	}
}
