package repl

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"

	"astrolabe/builtins"
	"astrolabe/builtins/binding"
	"astrolabe/capture/formats/all"
	"astrolabe/hwio"
)

// realSession is a session over astrolabe's own values.
func realSession(t *testing.T) *Session {
	t.Helper()
	env := &binding.Env{Registry: all.Registry(), Sources: func() []hwio.Source { return nil }}
	var out, talk strings.Builder
	s := NewSession(Config{Predeclared: builtins.Predeclared(env), Env: env, Out: &out, Talk: &talk})
	code :=
		`cap = capture.from_columns({"GL2C_HIT": [1, 2], "GL2C_MISS": [0, 1]}, period="1ms", gpu="gfx1151", labels={"kernel": ["a", "b"]})
t = table.new({"bytes": [1], "time": [2]})
p = plot.bar({"a": 1})
r = report.new("x")
`
	if err := s.RunText(context.Background(), "<stdin>", code); err != nil {
		t.Fatalf("%v\n%s", err, &talk)
	}
	return s
}

func TestCompletionInsideArgumentsKnowsTheirValues(t *testing.T) {
	s := realSession(t)
	t.Chdir(t.TempDir())
	if err := os.WriteFile("frame.arrow", nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		line string
		want []string // must be among the words
		not  string   // must not
	}{
		{`cap["GL2C_`, []string{"GL2C_HIT", "GL2C_MISS"}, ""},
		{`cap["tcp_hit`, []string{"tcp_hit_rate"}, ""},
		{`cap["TCP Cache P`, []string{"TCP Cache Performance/Hit Rate"}, ""},
		{`cap.total("GL2C_M`, []string{"GL2C_MISS"}, "GL2C_HIT"},
		{`cap.group_by("k`, []string{"kernel"}, ""},
		{`cap.save("fr`, []string{"frame.arrow"}, ""},
		{`p.save("fr`, []string{"frame.arrow"}, ""},
		{`r.save("fr`, []string{"frame.arrow"}, ""},
		{`capture.open("fr`, []string{"frame.arrow"}, ""},
		{`capture.open("x", gpu="mali-g6`, []string{"mali-g615"}, "gfx1151"},
		{`capture.open("x", format="ar`, []string{"arrow"}, ""},
		{`capture.open("x", denom="per_k`, []string{"per_kernel"}, ""},
		{`capture.open("x", duration="m`, []string{"median"}, ""},
		{`capture.open("x", zero="`, []string{"missing", "vendor"}, ""},
		{`capture.open("x", den`, []string{"denom="}, ""},
		{`metrics.get("mali-g615", "gpu_a`, []string{"gpu_active_cycles"}, ""},
		{`metrics.list("gfx1`, []string{"gfx1151"}, ""},
		{`t.sort("b`, []string{"bytes"}, "time"},
		{`t.select("bytes", "t`, []string{"time"}, "bytes"},
		{`r.finding("id", "w`, []string{"warning"}, ""},
		{`stats.correlation(cap["GL2C_HIT"], cap["GL2C_MISS"], method="sp`, []string{"spearman"}, ""},
		{`cap["hit rate tcp`, []string{"tcp_hit_rate"}, "clk"},
		{`cap["803`, []string{"tcp_hit_rate"}, "clk"},
		{`cap["l2c_hi`, []string{"GL2C_HIT"}, "clk"},
		{`cap.total("TCP cache performance/hit`, []string{"TCP Cache Performance/Hit Rate"}, "clk"},
		{`metrics.get("mali-g615", "3.2.2`, []string{"vertex_queue_utilization"}, "gpu_active_cycles"},
		{`metrics.get("intel-kbl-gt2", "EuAc`, []string{"EuActive"}, "render_basic_gpu_time"},
		{`cap.summary(met`, []string{"metrics="}, ""},
	} {
		found := s.complete(c.line, len(c.line))
		got, n := found.words, found.replaced
		for _, want := range c.want {
			if !slices.Contains(got, want) {
				t.Errorf("%s: %q is not among %.300q", c.line, want, got)
			}
		}
		if c.not != "" && slices.Contains(got, c.not) {
			t.Errorf("%s: %q is among %.300q", c.line, c.not, got)
		}
		if n > len(c.line) {
			t.Errorf("%s: replaces %d bytes", c.line, n)
		}
	}
}

// FuzzComplete checks that completion survives whatever stands before the cursor.
func FuzzComplete(f *testing.F) {
	f.Add(`x["a"].b("c", d=["`)
	f.Add(`metrics.get("gfx1151", "`)
	var out, talk strings.Builder
	env := &binding.Env{}
	s := NewSession(Config{Predeclared: builtins.Predeclared(env), Env: env, Out: &out, Talk: &talk})
	f.Fuzz(func(t *testing.T, line string) {
		if strings.ContainsAny(line, "/~") { // stays out of other folders
			return
		}
		if n := s.complete(line, len(line)).replaced; n > len(line) {
			t.Fatalf("%q: replaces %d bytes", line, n)
		}
	})
}
