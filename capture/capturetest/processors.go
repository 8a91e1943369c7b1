package capturetest

import (
	"fmt"
	"math"

	"astrolabe/capture"
)

// WithProcessors adds the times of some processors to a capture, as the kernel counts them; load is the share of a
// sample in which each works.
func WithProcessors(cap *capture.Capture, cpus int, load func(sample, cpu int) float64) (*capture.Capture, error) {
	a := cap.Axis
	column := func(name string, share func(load float64) float64) *capture.Counter {
		meta := capture.Meta{Name: name, Kind: capture.Delta, Unit: "ns", GPU: "cpu", Source: "procfs"}
		whole := &capture.Counter{Meta: meta, Axis: a}
		sums := make([]uint64, a.Len())
		for c := range cpus {
			v := make([]uint64, a.Len())
			for i := range v {
				v[i] = uint64(math.Round(share(load(i, c)) * float64(a.End[i]-a.Start[i])))
				sums[i] += v[i]
			}
			m := meta
			m.Instance = fmt.Sprint(c)
			m.Name = fmt.Sprintf("%s[%d]", name, c)
			whole.Instances = append(whole.Instances,
				&capture.Counter{Meta: m, Axis: a, Col: capture.NewColumn(capture.Data{U: v})})
		}
		whole.Col = capture.NewColumn(capture.Data{U: sums})
		return whole
	}
	none := func(float64) float64 { return 0 }
	return cap.With(func(cfg *capture.Config) {
		cfg.Properties = append(cfg.Properties, capture.Property{Name: "cpus_online", Number: float64(cpus)})
		cfg.Counters = append(append([]*capture.Counter{}, cfg.Counters...),
			column("cpu_user", func(x float64) float64 { return 0.8 * x }),
			column("cpu_system", func(x float64) float64 { return 0.2 * x }),
			column("cpu_idle", func(x float64) float64 { return 1 - x }),
			column("cpu_nice", none), column("cpu_irq", none), column("cpu_softirq", none), column("cpu_steal", none),
			column("cpu_iowait", none))
	})
}
