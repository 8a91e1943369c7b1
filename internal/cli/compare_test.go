package cli

import (
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"astrolabe/capture"
	"astrolabe/capture/analysis"
	"astrolabe/capture/formats/all"
)

// TestRecordedRegions compares captures with regions, which no script can make.
func TestRecordedRegions(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:  "testdata/regions",
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){"exits": exits},
		Setup: func(env *testscript.Env) error {
			for name, length := range map[string]int{"before.arrow": 5, "after.arrow": 6} {
				if err := all.Registry().Save(t.Context(), filepath.Join(env.WorkDir, name), "",
					withRegions(t, length)); err != nil {
					return err
				}
			}
			return nil
		},
	})
}

// withRegions is a capture of 60 regions of that many samples of 10 ms, and half as many others.
func withRegions(t *testing.T, length int) *capture.Capture {
	rng := rand.New(rand.NewPCG(uint64(length), 1))
	axis := capture.NewUniformAxis(60*length, 10e6)
	v := make([]float64, axis.Len())
	for i := range v {
		v[i] = 100 + 5*rng.NormFloat64()
	}
	cfg := capture.Config{Name: "x", Axis: axis,
		Counters: []*capture.Counter{{Meta: capture.Meta{Name: "work"}, Axis: axis,
			Col: capture.NewColumn(capture.Data{F: v})}}}
	for k := range 60 {
		start := int64(k*length) * 10e6
		cfg.Regions = append(cfg.Regions,
			capture.Region{Name: "draw", Start: start, End: start + int64(length)*10e6 - rng.Int64N(1e5)})
		if k%2 == 0 {
			cfg.Regions = append(cfg.Regions,
				capture.Region{Name: "copy", Start: start, End: start + 20e6 - rng.Int64N(1e5)})
		}
	}
	c, err := capture.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func FuzzJoinLabelArgs(f *testing.F) {
	for _, s := range []string{"--by label kernel a b", "a b --by label", "--by=label x", "-- --by label x", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		args := strings.Split(line, " ")
		out := joinLabelArgs(slices.Clone(args))
		if len(out) > len(args) {
			t.Errorf("%q became longer: %q", args, out)
		}
		if i := slices.Index(args, "--"); i >= 0 && !slices.Contains(args[:i], "label") && !slices.Equal(args, out) {
			t.Errorf("%q changed behind --: %q", args, out)
		}
		if !strings.Contains(line, "--by") && !slices.Equal(args, out) {
			t.Errorf("%q became %q", args, out)
		}
	})
}

func TestLongNamesOfKernelsAreCutAsFarAsTheyStayDifferent(t *testing.T) {
	long := func(tail string) string { return "void f<" + strings.Repeat("at::native::functor<float>, ", 60) + tail }
	inside := func(op string) string { return long(op + long(">(int, bool, std::array<char*, 3ul>) [clone .kd]")) }
	res := &analysis.Result{Rows: []analysis.Row{{Part: long("1>")}, {Part: long("2>")}, {Part: "copy"},
		{Part: inside("Add")}, {Part: inside("Mul")}, {Part: long("3>")},
		{Part: inside("Add" + strings.Repeat("x", 300) + "y")},
		{Part: inside("Add" + strings.Repeat("x", 300) + "z")}}}
	short := shortParts(res, func(r *analysis.Row) bool { return r != &res.Rows[5] })
	seen := map[string]bool{}
	for part, s := range short {
		if seen[s] = true; len([]rune(s)) > 100 {
			t.Errorf("%d characters of %d: %s", len([]rune(s)), len(part), s)
		}
	}
	if len(short) != 7 || len(seen) != 7 || short["copy"] != "copy" {
		t.Errorf("names are no longer told apart: %q", short)
	}
	res.Rows = []analysis.Row{{Part: inside("é")}, {Part: inside("è")}, {Part: long("\xc3") + long("")},
		{Part: long("\xff") + long("")}}
	if s := shortParts(res, func(*analysis.Row) bool { return true }); !strings.Contains(s[inside("é")], " …é") {
		t.Errorf("a character is cut: %q", s)
	}
	if s := short[inside("Mul")]; !strings.HasPrefix(s, "void f<") || !strings.Contains(s, " …Mul") {
		t.Errorf("%s does not show what is different in it", s)
	}
}
