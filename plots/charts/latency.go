package charts

// LatencyOptions say how latencies are drawn.
type LatencyOptions struct {
	Title       string
	XLabel      string
	Unit        string
	Bins        int       // 0 chooses by the data
	Percentiles []float64 // marked where there is one sample; nil marks 50, 90, 99, 99.9 and the largest
	X           Range
}

// Latency counts latencies in bins of equal ratio, both axes logarithmic: the tail shows beside the bulk, a single slow
// one included.
func Latency(o LatencyOptions, samples ...Sample) (*Plot, error) {
	p, err := Histogram(HistogramOptions{Title: o.Title, XLabel: o.XLabel, Unit: o.Unit, Bins: o.Bins,
		Percentiles: o.Percentiles,
		X:           o.X, LogX: true, LogY: true}, samples...)
	if err != nil {
		return nil, err
	}
	p.Kind = "latency"
	return p, nil
}
