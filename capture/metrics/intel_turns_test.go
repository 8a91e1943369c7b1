package metrics

import (
	"math"
	"strings"
	"testing"

	"astrolabe/capture"
)

// inTurns is a capture of 6 samples; sets are the metric sets of its samples, nil for one without a label and with a property instead.
func inTurns(t *testing.T, sets []string, rows []int) *capture.Capture {
	t.Helper()
	axis := &capture.Axis{}
	for i := range rows {
		axis.Start, axis.End = append(axis.Start, int64(i)*1e6), append(axis.End, int64(i+1)*1e6)
	}
	cfg := capture.Config{GPU: "intel-kbl-gt2", Axis: axis, Properties: []capture.Property{{Name: "EuCoresTotalCount", Number: 24}, {Name: "SliceMask", Number: 1},
		{Name: "SubsliceMask", Number: 7}, {Name: "EuSubslicesTotalCount", Number: 3}, {Name: "EuSlicesTotalCount", Number: 1}, {Name: "GpuMaxFrequency", Number: 1.15e9}}}
	cat, err := Get("intel-kbl-gt2")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range cat.Entries() {
		if e.IsMetric() || e.Kind == capture.Constant {
			continue
		}
		d := capture.Data{}
		for _, r := range rows {
			d.U = append(d.U, uint64(len(e.Name)*1000+r*17+int(e.Name[len(e.Name)-1])*10))
		}
		cfg.Counters = append(cfg.Counters, &capture.Counter{Meta: capture.Meta{Name: e.Name, Kind: e.Kind}, Axis: axis, Col: capture.NewColumn(d)})
	}
	if len(sets) == 1 {
		cfg.Properties = append(cfg.Properties, capture.Property{Name: "metric_set", Text: sets[0], IsText: true})
	} else {
		l := &capture.Label{Name: "metric_set", Dict: []string{"RenderBasic", "ComputeBasic"}}
		for i := range rows {
			l.Codes = append(l.Codes, int32(i%2))
		}
		cfg.Labels = []*capture.Label{l}
	}
	c, err := capture.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestMetricSetsThatTookTurnsAreEvaluatedOnTheirOwnSamples(t *testing.T) {
	both := inTurns(t, []string{"RenderBasic", "ComputeBasic"}, []int{0, 1, 2, 3, 4, 5})
	alone := map[string]*capture.Capture{
		"RenderBasic":  inTurns(t, []string{"RenderBasic"}, []int{0, 2, 4}),
		"ComputeBasic": inTurns(t, []string{"ComputeBasic"}, []int{1, 3, 5}),
	}
	cat, _ := Get("intel-kbl-gt2")
	own, shared := 0, 0
	for set, one := range alone {
		other := "ComputeBasic"
		if set == other {
			other = "RenderBasic"
		}
		s, _ := cat.Set(set)
		o, _ := cat.Set(other)
		for symbol, e := range s.bySymbol {
			got, err := Resolve(both, set+"/"+symbol)
			if err != nil {
				t.Fatal(err)
			}
			if x := o.bySymbol[symbol]; x != nil && x.meaning(0) == e.meaning(0) {
				shared++
				if got.Value(0).Missing() != got.Value(1).Missing() {
					t.Errorf("%s/%s means the same in both sets, but has a value in one sample only", set, symbol)
				}
				continue
			}
			own++
			want, err := Resolve(one, symbol)
			if err != nil {
				t.Fatal(err)
			}
			a, b := got.Total().Float(), want.Total().Float()
			if a != b && !(math.IsNaN(a) && math.IsNaN(b)) {
				t.Errorf("%s/%s: total %v in turns, %v alone", set, symbol, a, b)
			}
			foreign := 1
			if set == "ComputeBasic" {
				foreign = 0
			}
			if !got.Value(foreign).Missing() {
				t.Errorf("%s/%s has the value %v in a sample of %s", set, symbol, got.Value(foreign), other)
			} else if why, _ := got.Why(foreign); !strings.Contains(why.Text, "another metric set") && got.Value(1-foreign).Missing() == false {
				t.Errorf("%s/%s: reason is %q", set, symbol, why.Text)
			}
		}
	}
	if own < 10 || shared < 3 {
		t.Errorf("only %d metrics of one set and %d of both were compared", own, shared)
	}
}

func TestListOfMetricsIsThatOfTheSetsThatTookTurns(t *testing.T) {
	both := inTurns(t, []string{"RenderBasic", "ComputeBasic"}, []int{0, 1, 2, 3})
	list, err := Metrics(both)
	if err != nil {
		t.Fatal(err)
	}
	render, compute := 0, 0
	for _, c := range list {
		switch {
		case strings.HasPrefix(c.Name, "render_basic_"):
			render++
		case strings.HasPrefix(c.Name, "compute_basic_"):
			compute++
		default:
			t.Errorf("%s is listed, of a set that was not measured", c.Name)
		}
	}
	if render < 40 || compute < 5 {
		t.Errorf("%d metrics of RenderBasic and %d of ComputeBasic are listed", render, compute)
	}
	if _, err := Resolve(both, "Sampler/SamplerBottleneck"); err == nil {
		c, _ := Resolve(both, "Sampler/SamplerBottleneck")
		if why, _ := c.Why(-1); c.Count() > 0 || !strings.Contains(why.Text, "RenderBasic and ComputeBasic") {
			t.Errorf("a metric of a set that was not measured has %d values, reason %q", c.Count(), why.Text)
		}
	}
}
