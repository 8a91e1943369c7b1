package metrics

import (
	"testing"

	"astrolabe/capture"
)

// A table that a script wrote without ShaderMemoryAccesses, as reports of VTune are, tells it by bytes.
func TestRequestsOfShadersFollowFromWhatTheyExchangeWithL3(t *testing.T) {
	table := func(gpu string, columns map[string]float64) *capture.Capture {
		axis := capture.NewUniformAxis(1, 1e6)
		cfg := capture.Config{GPU: gpu, Axis: axis}
		for name, v := range columns {
			col := capture.NewColumn(capture.Data{F: []float64{v}})
			cfg.Counters = append(cfg.Counters, &capture.Counter{Meta: capture.Meta{Name: name, Kind: capture.Delta, GPU: gpu}, Axis: axis, Col: col})
		}
		c, err := capture.New(cfg)
		if err == nil {
			c, err = Describe(c)
		}
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	for name, one := range map[string]struct {
		gpu     string
		columns map[string]float64
		want    float64 // requests, -1 where nothing tells
	}{
		"symbols":               {"intel-cfl-gt2", map[string]float64{"GpuCoreClocks": 1e6, "EuActive": 50, "L3ShaderThroughput": 6400, "SlmBytesRead": 640, "SlmBytesWritten": 1280}, 70},
		"titles":                {"intel-cfl-gt2", map[string]float64{"GPU Core Clocks": 1e6, "EU Active": 50, "L3 Shader Throughput": 6400, "SLM Bytes Read": 640, "SLM Bytes Written": 1280}, 70},
		"what may be local":     {"intel-cfl-gt2", map[string]float64{"GpuCoreClocks": 1e6, "EuActive": 50, "L3ShaderThroughput": 6400}, -1},
		"no local memory in it": {"intel-tgl-gt2", map[string]float64{"GpuCoreClocks": 1e6, "EuActive": 50, "L3ShaderThroughput": 6400}, 100},
		"counted itself":        {"intel-cfl-gt2", map[string]float64{"ShaderMemoryAccesses": 9, "L3ShaderThroughput": 6400, "SlmBytesRead": 640, "SlmBytesWritten": 1280}, 9},
	} {
		for _, metric := range []string{accesses, accessesRole} {
			c, err := Resolve(table(one.gpu, one.columns), metric)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if got := c.Total(); got.Float() != one.want && (one.want >= 0 || c.Count() > 0) {
				t.Errorf("%s: %s is %v, want %v", name, metric, got, one.want)
			}
		}
	}
}
