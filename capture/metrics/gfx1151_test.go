package metrics_test

import (
	"context"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/formats"
	"astrolabe/capture/formats/rocprofcompute"
	"astrolabe/capture/metrics"
	"astrolabe/internal/testfiles"
)

func openVcopy(t testing.TB, opt formats.Options) *capture.Capture {
	t.Helper()
	path := testfiles.Path(t, "captures", "gfx1151-vcopy")
	cap, err := formats.NewRegistry(rocprofcompute.Format{}).Open(context.Background(), path, opt)
	if err != nil {
		t.Fatal(err)
	}
	return cap
}

type expectedRow struct {
	TableID  string `json:"table_id"`
	Section  string
	Metric   string
	Unit     string
	PerUnit  bool     `json:"depends_on_normal_unit"`
	Value    *float64 `json:"avg_or_value"`
	Min, Max *float64
}

func expectedRows(t testing.TB) (rows []expectedRow, raw map[string]map[string]any) {
	t.Helper()
	text := testfiles.Read(t, "vectors", "gfx1151_expected_sample.json")
	var doc struct{ Rows []expectedRow }
	var loose struct{ Rows []map[string]any }
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &loose); err != nil {
		t.Fatal(err)
	}
	raw = map[string]map[string]any{}
	for _, r := range loose.Rows {
		raw[r["section"].(string)+"/"+r["metric"].(string)] = r
	}
	return doc.Rows, raw
}

func agrees(v capture.Value, want *float64) bool {
	if want == nil {
		return v.Missing()
	}
	return math.Abs(v.Float()-*want) <= 1e-9*math.Abs(*want)
}

func TestEveryGfx1151MetricEqualsTheVendorsValue(t *testing.T) {
	cap := openVcopy(t, formats.Options{Duration: "median", Denom: "per_kernel"})
	rows, raw := expectedRows(t)
	if len(rows) != 77 {
		t.Fatalf("%d rows", len(rows))
	}
	for _, r := range rows {
		address := r.Section + "/" + r.Metric
		c, err := metrics.Resolve(cap, address)
		if err != nil {
			t.Errorf("%s: %v", address, err)
			continue
		}
		if c.Title != r.Metric || c.Refs[0] != r.TableID {
			t.Errorf("%s: title %q, refs %v", address, c.Title, c.Refs)
		}
		if got := c.Total(); !agrees(got, r.Value) {
			t.Errorf("%s: total %v, want %v", address, got.Float(), deref(r.Value))
		}
		if _, has := raw[address]["min"]; has && !(agrees(c.Min(), r.Min) && agrees(c.Max(), r.Max)) {
			t.Errorf("%s: min %v max %v, want %v and %v", address, c.Min().Float(), c.Max().Float(), deref(r.Min), deref(r.Max))
		}
		if r.PerUnit != strings.HasSuffix(c.Unit, " per kernel") {
			t.Errorf("%s: unit %q", address, c.Unit)
		}
		if r.Value == nil {
			why, ok := c.Why(-1)
			text := metrics.Explain(c, -1).String()
			if !ok || why.Code != capture.ZeroDenominator || !strings.Contains(text, why.Text) {
				t.Errorf("%s: missing because %v %q; explained as\n%s", address, why.Code, why, text)
			}
		}
	}
	all, err := metrics.Metrics(cap)
	if err != nil || len(all) != 91 { // 77 of the panels, 14 of rocprofiler's definitions
		t.Errorf("the capture has %d metrics (%v), want 91", len(all), err)
	}
}

func TestEveryGfx1151CellEqualsTheVendorsValue(t *testing.T) {
	cap := openVcopy(t, formats.Options{Duration: "median", Denom: "per_kernel"})
	rows, raw := expectedRows(t)
	peaks := map[string]float64{} // by the table's note, of the constants of the capture
	for name, x := range map[string]float64{"VALU FLOPs (FP32)": 2799 * 32 * 128 / 1000., "VALU FLOPs (FP16)": 2799 * 32 * 256 / 1000., "IPC": 5,
		"Wavefront Occupancy": 32 * 32, "Wave Dependency Wait": 100, "Wave Issue Wait": 100} {
		peaks["System Speed-of-Light/"+name] = x
	}
	compared := 0
	for _, r := range rows {
		address := r.Section + "/" + r.Metric
		cells, err := metrics.Cells(cap, nil, address)
		if err != nil {
			t.Errorf("%s: %v", address, err)
			continue
		}
		_, table := raw[address]["min"]
		want := map[string]*float64{"Value": r.Value}
		if table || r.TableID == "201" {
			want = map[string]*float64{"Avg": r.Value}
		}
		if table {
			want["Min"], want["Max"] = r.Min, r.Max
		}
		if peak, ok := peaks[address]; ok {
			share := 100 * *r.Value / peak
			if r.Metric == "IPC" { // of all instructions, where the value leaves out the internal ones
				share = 100 * cap.Counter("SQ_INSTS_ALL_sum").Total().Float() / cap.Counter("SQ_BUSY_CYCLES_sum").Total().Float() / 5
			}
			want["Peak"], want["Pct of Peak"] = &peak, &share
		}
		for _, c := range cells {
			if x, ok := want[c.Heading]; !ok || !agrees(c.Value, x) {
				t.Errorf("%s, %s: %v, want %v", address, c.Heading, c.Value.Float(), deref(x))
			}
			compared++
			delete(want, c.Heading)
		}
		for heading := range want {
			t.Errorf("%s has no column %s", address, heading)
		}
	}
	if compared != 113 {
		t.Errorf("%d cells, want 113: 101 of the tables, and the peaks of six with the shares of them", compared)
	}
}

func deref(p *float64) any {
	if p == nil {
		return "missing"
	}
	return *p
}

func TestDurationRulesGiveTheThreeKnownBandwidths(t *testing.T) {
	for rule, want := range map[string]float64{"median": 177.6e9, "first": 344.5e9, "": 166.3e9, "pass": 166.3e9} {
		cap := openVcopy(t, formats.Options{Duration: rule})
		c, err := metrics.Resolve(cap, "tcp_gl1_read_bandwidth")
		if err != nil {
			t.Fatal(err)
		}
		if got := c.Total().Float(); math.Abs(got-want) > 0.0005*want {
			t.Errorf("duration=%q gives %.4g, want %.4g", rule, got, want)
		}
	}
}
