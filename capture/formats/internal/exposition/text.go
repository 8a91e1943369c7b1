// Package exposition is what the text forms for Prometheus share: how families, labels and values are spelled.
package exposition

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"astrolabe/capture"
)

// Label is one of a sample.
type Label struct{ Name, Value string }

// Labels writes those of a sample. One without a value is none.
func Labels(list ...Label) string {
	var b strings.Builder
	for _, l := range list {
		if l.Value == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		b.WriteString(l.Name + `="` + Escape(l.Value) + `"`)
	}
	if b.Len() == 0 {
		return ""
	}
	return "{" + b.String() + "}"
}

// Rows are the labels that name the samples of a capture, nil where none does.
func Rows(c *capture.Capture) (out []Label) {
	for _, l := range c.Labels {
		if !l.Unique || out != nil {
			continue
		}
		name := Word(l.Name)
		switch name {
		case "capture", "device", "block", "id":
			name = "by_" + name
		}
		var once Once
		for i := range c.Len() {
			text, _ := l.Value(i)
			out = append(out, Label{name, once.Name(text)})
		}
	}
	return out
}

// About are the labels that say what was measured, each name once.
func About(c *capture.Capture) []Label {
	out := []Label{{"gpu", c.GPU}, {"device", c.Device.Name}, {"vendor", c.Device.Vendor}, {"driver", c.Device.Driver},
		{"device_id", c.Device.ID}}
	seen := map[string]bool{}
	for _, p := range c.Properties {
		name := "property_" + Word(p.Name)
		if seen[name] {
			continue
		}
		seen[name] = true
		value := p.Text
		if !p.IsText {
			value = strconv.FormatFloat(p.Number, 'g', -1, 64)
		}
		out = append(out, Label{name, value})
	}
	return out
}

// Parts are the counters that have samples of their own: the instances of one that has any, so that nothing counts
// twice, else the counter.
func Parts(c *capture.Counter) []*capture.Counter {
	if len(c.Instances) == 0 {
		return []*capture.Counter{c}
	}
	return c.Instances
}

// Places are the labels by which the parts of a counter differ. Ids that are there twice are numbered.
func Places(c *capture.Counter, parts []*capture.Counter) [][]Label {
	var ids Once
	out := make([][]Label, len(parts))
	for i, p := range parts {
		out[i] = []Label{{"device", either(p.Device, c.Device)}, {"block", either(p.Block, c.Block)},
			{"id", ids.Name(p.Meta.Instance)}}
	}
	return out
}

func either(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// Once tells equal names apart by numbers from 2. Its zero value is ready for use.
type Once struct{ seen map[string]int }

// Name is a name that was not given out before.
func (o *Once) Name(name string) string {
	if o.seen == nil {
		o.seen = map[string]int{}
	}
	if o.seen[name]++; o.seen[name] > 1 {
		return fmt.Sprintf("%s#%d", name, o.seen[name])
	}
	return name
}

// Help describes a counter. why is why some values are missing, if any are.
func Help(c *capture.Counter, why string) string {
	help := c.Doc
	if help == "" {
		help = c.Title
	}
	if why != "" {
		help = strings.TrimSpace(help + " (missing here: " + why + ")")
	}
	if help == "" {
		help = c.Name
	}
	return help
}

// Number writes a value, divided by a power of ten.
func Number(v capture.Value, power int) string {
	if v.IsInt() {
		return Whole(v.Big(), power)
	}
	return Float(v.Float(), power)
}

// Float writes a double, divided by a power of ten, so that it reads back the same.
func Float(f float64, power int) string {
	switch {
	case math.IsInf(f, 1):
		return "+Inf"
	case math.IsInf(f, -1):
		return "-Inf"
	case power == 0:
		return strconv.FormatFloat(f, 'g', -1, 64)
	}
	return strconv.FormatFloat(f/math.Pow10(power), 'g', -1, 64)
}

// Whole puts a point into a whole number, so that nothing is rounded.
func Whole(v *big.Int, power int) string {
	sign, digits := "", v.String()
	if strings.HasPrefix(digits, "-") {
		sign, digits = "-", digits[1:]
	}
	if power == 0 {
		return sign + digits
	}
	if len(digits) <= power {
		digits = strings.Repeat("0", power-len(digits)+1) + digits
	}
	at := len(digits) - power
	fraction := strings.TrimRight(digits[at:], "0")
	if fraction == "" {
		return sign + digits[:at]
	}
	return sign + digits[:at] + "." + fraction
}
