package metrics

import (
	"fmt"
	"math"

	"astrolabe/capture"
	"astrolabe/capture/units"
)

// converted is the counter with its values in the unit that its catalogue reads; c itself where they are, and where
// they measure something else, which misfit tells of.
func converted(c *capture.Counter, to string) *capture.Counter {
	conv, ok := units.Convert(c.Unit, to)
	if rate, is := units.PerSecond(c.Unit, to); is && !ok && c.Col != nil && (c.Guessed || c.Kind == capture.Gauge) {
		return integrated(c, rate, to)
	}
	instances := make([]*capture.Counter, len(c.Instances))
	changed := ok && c.Unit != "" && !conv.Identity()
	for i, in := range c.Instances {
		instances[i] = converted(in, to)
		changed = changed || instances[i] != in
	}
	if !changed {
		return c
	}
	out := c.Clone()
	copy(out.Instances, instances)
	out.Unit = to
	if c.Col != nil && ok {
		out.Col = convertedColumn(c.Col, conv)
		out.Integral = c.Integral && conv.Whole() != 0
	}
	return out
}

// integrated is a count of which the file has the rate: what was counted in a second, times the seconds of each sample.
func integrated(c *capture.Counter, conv units.Conversion, to string) *capture.Counter {
	out := c.OfKind(capture.Delta, false)
	out.Unit, out.Integral = to, false
	out.Col = capture.LazyColumn(c.Col.Len(), func() (capture.Data, error) {
		d := c.Col.Data()
		if err := c.Col.Err(); err != nil {
			return d, err
		}
		f := make([]float64, d.Len())
		for i := range f {
			f[i] = conv.Apply(d.Float(i)) * c.Interval(i) / 1e9
		}
		return capture.Data{F: f}, nil
	})
	for i, in := range c.Instances {
		out.Instances[i] = converted(in, to)
	}
	return out
}

func convertedColumn(col *capture.Column, conv units.Conversion) *capture.Column {
	return capture.LazyColumn(col.Len(), func() (capture.Data, error) {
		d := col.Data()
		if err := col.Err(); err != nil {
			return d, err
		}
		if u, ok := wholeMultiple(d, conv.Whole()); ok {
			return capture.Data{U: u, Valid: d.Valid}, nil
		}
		out := make([]float64, d.Len())
		for i := range out {
			out[i] = nearWhole(conv.Apply(d.Float(i)), conv)
		}
		return capture.Data{F: out}, nil
	})
}

// wholeMultiple multiplies integers exactly; ok is false where they are none, or do not fit.
func wholeMultiple(d capture.Data, factor uint64) (out []uint64, ok bool) {
	if d.U == nil || factor == 0 {
		return nil, false
	}
	out = make([]uint64, len(d.U))
	for i, u := range d.U {
		if u > math.MaxUint64/factor && d.Valid.Get(i) {
			return nil, false
		}
		out[i] = u * factor
	}
	return out, true
}

// nearWhole takes back what the double of a decimal such as 16.23 lacks of 16.23e6 after a multiplication by a whole
// number.
func nearWhole(v float64, conv units.Conversion) float64 {
	if r := math.Round(v); conv.Whole() != 0 && math.Abs(v-r) <= math.Abs(v)*0x1p-51 {
		return r
	}
	return v
}

// misfit says why the values of a measured counter are not those of an entry: they are in a unit that measures
// something else. nil where they may be.
func misfit(c *capture.Counter, e *Entry) *capture.Reason {
	if e == nil || e.PerDenom {
		return nil
	}
	if _, ok := units.Convert(c.Unit, e.Unit); ok {
		return nil
	}
	return &capture.Reason{Code: capture.Unsupported,
		Text: fmt.Sprintf("%s is in %s here, and the catalogue %s reads it in %s", c.Name, c.Unit, e.GPU, e.Unit)}
}
