package builtins_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestChartsRefuseWhatTheyCannotDraw(t *testing.T) {
	for src, want := range map[string]string{
		`plot.scatter([1, 2], [1])`:                                        "2 values of x and 1 of y",
		`plot.scatter(clk, hits, color="frame")`:                           `no label "frame": it has kernel`,
		`plot.scatter([1, 2], [1, 2], color="kernel")`:                     "come from no capture",
		`plot.scatter(clk, hits, log="z")`:                                 "unknown axis",
		`plot.box(clk, hits)`:                                              "unlike units",
		`plot.box(clk, clk, by="kernel")`:                                  "one Counter",
		`plot.heatmap([clk, hits])`:                                        "one unit",
		`plot.heatmap(clk, pick="sum")`:                                    "max, min or mean",
		`plot.roofline({"a": 3}, bandwidth=1, compute=2)`:                  "operations per byte",
		`plot.roofline({}, bandwidth=0, compute=2)`:                        "above zero",
		`plot.roofline({}, bandwidth="12 apples", compute=2)`:              "bandwidth",
		`plot.correlation(clk, [1, 2])`:                                    "resample",
		`plot.correlation(clk, hits, method="kendall")`:                    "pearson or spearman",
		`plot.overlay(clk, [clk, hits])`:                                   "1 counters before and 2 after",
		`plot.overlay(clk, hits)`:                                          "before",
		`plot.timeline(clk, stacked=True, log=True)`:                       "stack",
		`plot.timeline(clk, hits, twin=clk)`:                               "two axes",
		`plot.timeline(clk).save("a.png", theme="blue")`:                   "light or dark",
		`plot.timeline(clk).save("a.png", size="poster")`:                  "ticket",
		`plot.timeline(clk, hits, spread=True, log=True).save("a.png")`:    "",
		`plot.timeline(clk, twin=[hits]).save("a.svg", size="ticket")`:     "",
		`plot.box({"first": clk, "second": [1, None]}, log=True)`:          "",
		`plot.heatmap(clk, marks=[(1, "start")]).save("a.pdf")`:            "",
		`plot.latency({"a": clk, "b": [1, 2, None]}, percentiles=[50])`:    "",
		`plot.scatter(clk, hits, color=["a", "b", "a", "b", "a", "b"])`:    "",
		`plot.scatter(clk, hits, color=cap["TCP_REQ_sum"], log=True)`:      "",
		`plot.area(clk, hits, stacked=False)`:                              "",
		`plot.correlation([clk, hits])`:                                    "",
		`plot.overlay([clk, hits], [clk, hits], names=["a", "b"])`:         "",
		`plot.histogram(clk, log=True).save("h.png")`:                      "",
		`plot.roofline({"a": None}, bandwidth={"L2": "2TB/s"}, compute=2)`: "",
	} {
		err := exampleRun(t).exec("chart", src)
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: %v", src, trace(err))
		case want != "" && (err == nil || !strings.Contains(trace(err), want)):
			t.Errorf("%s: error %v, want %q in it", src, err, want)
		}
	}
}

func TestThemesAndSizesReachTheFile(t *testing.T) {
	r := exampleRun(t)
	if err := r.exec("save", `
p = plot.timeline(clk)
p.save("light.svg", size="ticket")
p.save("dark.svg", size="ticket", theme="dark", height=300)
`); err != nil {
		t.Fatal(trace(err))
	}
	read := func(name string) string {
		data, err := os.ReadFile(filepath.Join(string(r.env.Files.(folder)), name))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	light, dark := read("light.svg"), read("dark.svg")
	if !strings.Contains(light, `width="720pt" height="405pt"`) || !strings.Contains(light, "#FFFFFF") {
		t.Errorf("light.svg starts with %.400s", light)
	}
	if !strings.Contains(dark, `width="720pt" height="225pt"`) || !strings.Contains(dark, "#14181F") {
		t.Errorf("dark.svg starts with %.400s", dark)
	}
}
