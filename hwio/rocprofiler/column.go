package rocprofiler

import (
	"fmt"
	"strings"

	"astrolabe/capture"
	"astrolabe/hwio/internal/vendorproc"
)

// column is one column of the recording: the values of the library that it is made of.
type column struct {
	how  combination
	from []int
	base string // hardware counter
}

// shortNames are how AMD's tools abbreviate dimensions.
var shortNames = map[string]string{
	"XCC": "XCC", "AID": "AID", "SHADER_ENGINE": "SE", "SHADER_ARRAY": "SA", "WGP": "WGP", "CU": "CU",
	"INSTANCE": "INST", "AGENT": "AGENT", "PMC_CHANNEL": "CH",
}

// instanceName says where an instance lies, such as SE0/SA1/WGP2. Dimensions of one position are left out.
func instanceName(c *vendorproc.Column) string {
	var parts []string
	for i, d := range c.Counter.Dimensions {
		if d.Size <= 1 || i >= len(c.Positions) {
			continue
		}
		name := strings.TrimPrefix(d.Name, "DIMENSION_")
		if short, ok := shortNames[name]; ok {
			name = short
		}
		parts = append(parts, fmt.Sprintf("%s%d", name, c.Positions[i]))
	}
	return strings.Join(parts, "/")
}

// layout makes the columns of the offers from what the library delivers.
func layout(a *vendorproc.Agent, offers []offer, delivered []vendorproc.Column) (columns []column,
	specs []capture.ColumnSpec) {
	of := map[string][]int{}
	for i := range delivered {
		name := delivered[i].Counter.Name
		of[name] = append(of[name], i)
	}
	for i := range offers {
		o := &offers[i]
		at := of[o.base.Name]
		if len(at) == 0 {
			continue
		}
		m := o.meta(a)
		if o.how == sumOf || o.how == meanOf {
			columns = append(columns, column{o.how, at, o.base.Name})
			specs = append(specs, capture.ColumnSpec{Meta: m, Integer: o.how == sumOf})
			continue
		}
		seen := map[string]int{}
		for _, k := range at {
			in := m
			if len(at) > 1 {
				in.Instance = instanceName(&delivered[k])
				// Positions that the library does not tell apart are numbered.
				n := seen[in.Instance]
				if seen[in.Instance]++; n > 0 || in.Instance == "" {
					in.Instance = strings.TrimPrefix(fmt.Sprintf("%s/%d", in.Instance, n), "/")
				}
			}
			columns = append(columns, column{o.how, []int{k}, o.base.Name})
			specs = append(specs, capture.ColumnSpec{Meta: in, Integer: true})
		}
	}
	return columns, specs
}
