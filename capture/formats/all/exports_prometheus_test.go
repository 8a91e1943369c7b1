package all

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"astrolabe/capture"
	"astrolabe/capture/export"
	"astrolabe/capture/formats/internal/exposition"
)

// promtool is the program, that of ASTROLABE_PROMTOOL or of this system.
func promtool(t *testing.T) string {
	t.Helper()
	exe := os.Getenv("ASTROLABE_PROMTOOL")
	if exe == "" {
		exe = "promtool"
	}
	if exec.Command(exe, "--version").Run() != nil {
		t.Skip("SKIPPED: promtool is not installed for this system (.ci/extra lake installs it)")
	}
	return exe
}

// dated are the cases, begun at a moment that is no whole millisecond.
func dated(t *testing.T) []exportCase {
	t.Helper()
	cases := exportCases(t)
	for i := range cases {
		x := &cases[i]
		from, err := x.from.With(func(cfg *capture.Config) { cfg.StartTime = time.Unix(1795466400, 123_456_789) })
		if err != nil {
			t.Fatal(err)
		}
		x.from = from
	}
	return cases
}

var dumped = regexp.MustCompile(`^\{__name__="([^"]*)"(.*)\} (\S+) (\d+)$`)

// A Prometheus holds what a script computes, to the last bit, at the millisecond in which each sample ends.
func TestEnginesPromtoolMakesBlocks(t *testing.T) {
	exe := promtool(t)
	for _, x := range dated(t)[:1] {
		dir := t.TempDir()
		path := filepath.Join(dir, "x.openmetrics")
		writeExport(t, &x, path)
		blocks := filepath.Join(dir, "blocks")
		if out, err := exec.Command(exe, "tsdb", "create-blocks-from", "openmetrics", path, blocks).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if err := os.Mkdir(filepath.Join(blocks, "wal"), 0o777); err != nil { // dump wants one
			t.Fatal(err)
		}
		out, err := exec.Command(exe, "tsdb", "dump", blocks).Output()
		if err != nil {
			t.Fatal(err)
		}
		got, infos, zeros := map[string]float64{}, 0, 0
		begin := x.from.StartTime.Add(time.Duration(x.seen.Axis.Start[0])).Round(time.Millisecond).UnixMilli()
		for line := range strings.Lines(string(out)) {
			m := dumped.FindStringSubmatch(strings.TrimSpace(line))
			if m == nil {
				t.Fatalf("promtool says %q", line)
			}
			v, err := strconv.ParseFloat(m[3], 64)
			if err != nil {
				t.Fatal(err)
			}
			switch {
			case strings.HasSuffix(m[1], "_info"):
				infos++
				continue
			case v == 0 && m[4] == fmt.Sprint(begin):
				zeros++
				continue
			}
			id := regexp.MustCompile(`[ ,]id="([^"]*)"`).FindStringSubmatch(m[2])
			if id == nil {
				id = []string{"", ""}
			}
			got[m[1]+"|"+id[1]+"|"+m[4]] = v
		}
		values, differ := 0, 0
		seen, err := export.View(t.Context(), x.from, x.opt)
		if err != nil {
			t.Fatal(err)
		}
		wanted := x.wanted(t)
		var names exposition.Names
		names.Family("capture", "")
		for _, c := range seen.Counters {
			unit, power := exposition.Unit(c.Unit)
			family := names.Family(c.Name, unit)
			adds := c.Kind == capture.Delta
			for _, p := range exposition.Parts(c) { // what falls somewhere, such as a difference, is no counter
				for _, want := range wanted[p.Name] {
					adds = adds && (want == nil || bitsOf(t, want) >= 0)
				}
			}
			for _, p := range exposition.Parts(c) {
				sum := 0.0
				for i, want := range wanted[p.Name] {
					at := x.from.StartTime.Add(time.Duration(x.seen.Axis.End[i])).Round(time.Millisecond).UnixMilli()
					if want == nil {
						continue
					}
					key := fmt.Sprintf("%s|%s|%d", family, p.Meta.Instance, at)
					v := bitsOf(t, want)
					if adds {
						sum += v
						v, key = sum, fmt.Sprintf("%s_total|%s|%d", family, p.Meta.Instance, at)
					}
					values++
					if have, ok := got[key]; !ok || have != v/math.Pow10(power) {
						if differ++; differ < 5 {
							t.Errorf("%s is %v (there: %t), want %v", key, have, ok, v)
						}
					}
					delete(got, key)
				}
			}
		}
		if values == 0 || infos == 0 || zeros == 0 || len(got) > 0 {
			t.Errorf("%d values, %d infos, %d zeros at the start, and %d that are not wanted, such as %v", values, infos, zeros,
				len(got), first(got))
		}
		t.Logf("ENGINE | export: %s.openmetrics | promtool: %d values, %d differ | %d", x.name, values, differ, len(seen.Counters))
	}
}

func first(m map[string]float64) string {
	for k := range m {
		return k
	}
	return ""
}

func bitsOf(t *testing.T, v any) float64 {
	t.Helper()
	text := fmt.Sprint(v)
	if bits, ok := strings.CutPrefix(text, "0x"); ok {
		u, err := strconv.ParseUint(bits, 16, 64)
		if err != nil {
			t.Fatal(err)
		}
		return math.Float64frombits(u)
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// What is to be scraped is understood, whatever the capture is: promtool ends with 3 where it would have chosen other
// names, and with 1 where it reads nothing.
func TestEnginesPromtoolReadsSummaries(t *testing.T) {
	exe := promtool(t)
	for _, x := range dated(t) {
		x.opt.Resample = 0
		for _, metrics := range [][]string{nil, {export.All}} {
			x.opt.Metrics, x.opt.Select, x.opt.Instances = metrics, nil, false
			c, err := Registry().View(t.Context(), "x.prom", "", x.from, x.opt)
			if err != nil {
				t.Fatal(err)
			}
			var text bytes.Buffer
			if err := Registry().Encode(t.Context(), &text, "x.prom", "", c); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(exe, "check", "metrics")
			cmd.Stdin = bytes.NewReader(text.Bytes())
			out, err := cmd.CombinedOutput()
			if err != nil && cmd.ProcessState.ExitCode() != 3 {
				t.Errorf("%s %v: %v\n%s", x.name, metrics, err, out)
			}
			t.Logf("ENGINE | export: %s.prom | promtool: %d bytes understood, %d remarks on names | %d", x.name, text.Len(),
				bytes.Count(out, []byte("\n")), len(c.Counters))
		}
	}
}

// A parser that is not ours finds each total in the file for scrapes, and each sample in that with times.
func TestEnginesReadPrometheusForms(t *testing.T) {
	exe := os.Getenv("ASTROLABE_LAKE_PYTHON")
	if exe == "" {
		exe = "python3"
	}
	if exec.Command(exe, "-c", "import prometheus_client").Run() != nil {
		t.Skipf("SKIPPED: prometheus_client is not installed for %s (.ci/extra lake installs it)", filepath.Base(exe))
	}
	for _, x := range dated(t) {
		for _, ext := range []string{".prom", ".openmetrics"} {
			opt := x.opt
			if ext == ".prom" {
				opt.Resample = 0
			}
			path := filepath.Join(t.TempDir(), "x"+ext)
			c, err := Registry().View(t.Context(), path, "", x.from, opt)
			if err != nil {
				t.Fatal(err)
			}
			if x.name == "dispatches" && ext == ".openmetrics" {
				c, err = Registry().View(t.Context(), path, "", x.from, export.Options{Metrics: opt.Metrics, Resample: 1e9})
				if err != nil {
					t.Fatal(err)
				}
			}
			if err := Registry().Save(t.Context(), path, "", c); err != nil {
				t.Fatal(err)
			}
			out, err := exec.Command(exe, "testdata/exposition.py", path).Output()
			if err != nil {
				t.Fatalf("%s%s: %v", x.name, ext, err)
			}
			var got struct {
				Samples int
				Text    int
			}
			if err := json.Unmarshal(out, &got); err != nil {
				t.Fatal(err)
			}
			if got.Samples == 0 || got.Samples != got.Text {
				t.Errorf("%s%s: %d of %d lines are what they say", x.name, ext, got.Samples, got.Text)
			}
			t.Logf("ENGINE | export: %s%s | prometheus_client: %d samples | %d", x.name, ext, got.Samples, len(c.Counters))
		}
	}
}
