// Package formatstest holds captures against what the documentation says that formats keep of them. Only tests import
// it.
package formatstest

import (
	"math"
	"slices"

	"astrolabe/capture"
)

// Kept lists what a format may keep of a capture, in the order of the table in docs/formats.md.
var Kept = []struct {
	Name string
	// Same reports whether b, which went through a format, has it as a has it.
	Same func(a, b *capture.Capture) bool
}{
	{"times", func(a, b *capture.Capture) bool {
		return slices.Equal(a.Axis.Start, b.Axis.Start) && slices.Equal(a.Axis.End, b.Axis.End)
	}},
	{"values", func(a, b *capture.Capture) bool { return eachCounter(a, b, sameValues) }},
	{"totals", func(a, b *capture.Capture) bool {
		return eachCounter(a, b, func(x, y *capture.Counter) bool {
			u, v := x.Total(), y.Total()
			return u.Missing() == v.Missing() &&
				(u.Missing() || math.Abs(u.Float()-v.Float()) <= 1e-12*math.Abs(u.Float()))
		})
	}},
	{"kinds", func(a, b *capture.Capture) bool {
		return eachCounter(a, b, func(x, y *capture.Counter) bool {
			return x.Kind == y.Kind && (len(x.Instances) == 0 || x.Combine == y.Combine)
		})
	}},
	{"units", func(a, b *capture.Capture) bool {
		return eachCounter(a, b, func(x, y *capture.Counter) bool { return x.Unit == y.Unit })
	}},
	{"instances", func(a, b *capture.Capture) bool {
		return eachCounter(a, b, func(x, y *capture.Counter) bool { return len(x.Instances) == len(y.Instances) })
	}},
	{"labels", sameLabels},
	{"missing values", func(a, b *capture.Capture) bool {
		return eachCounter(a, b, func(x, y *capture.Counter) bool {
			for i := range x.Len() {
				if i >= y.Len() || x.Value(i).Missing() != y.Value(i).Missing() {
					return false
				}
			}
			return true
		})
	}},
	{"their reasons", func(a, b *capture.Capture) bool {
		return eachCounter(a, b, func(x, y *capture.Counter) bool {
			for i := range min(x.Len(), y.Len()) {
				u, _ := x.Why(i)
				if v, _ := y.Why(i); u != v {
					return false
				}
			}
			return true
		})
	}},
	{"GPU", func(a, b *capture.Capture) bool { return a.GPU == b.GPU && a.Device.Name == b.Device.Name }},
	{"properties", func(a, b *capture.Capture) bool {
		return !slices.ContainsFunc(a.Properties, func(p capture.Property) bool {
			q, ok := b.Property(p.Name)
			return !ok || p != q
		})
	}},
	{"start", func(a, b *capture.Capture) bool { return a.StartTime.Equal(b.StartTime) }},
	{"gaps", func(a, b *capture.Capture) bool { return slices.Equal(a.Gaps, b.Gaps) }},
	{"late spans", func(a, b *capture.Capture) bool { return slices.Equal(a.Late, b.Late) }},
	{"regions", func(a, b *capture.Capture) bool { return slices.Equal(a.Regions, b.Regions) }},
	{"passes", func(a, b *capture.Capture) bool {
		return eachCounter(a, b, func(x, y *capture.Counter) bool {
			return x.PassID() == y.PassID() && (x.Pass == nil || y.Pass != nil && y.Pass.Duration != nil &&
				x.Interval(0) == y.Interval(0))
		})
	}},
	{"warnings", func(a, b *capture.Capture) bool {
		return !slices.ContainsFunc(a.Warnings, func(w string) bool { return !slices.Contains(b.Warnings, w) })
	}},
}

// eachCounter reports whether every counter and instance of a has its like in b.
func eachCounter(a, b *capture.Capture, same func(x, y *capture.Counter) bool) bool {
	for _, x := range a.Counters {
		y := b.Counter(x.Name)
		if y == nil || y.Len() == 0 && x.Len() > 0 || !same(x, y) && !forgotOff(x, y) {
			return false
		}
		for _, in := range x.Instances {
			if other := y.Instance(in.Meta.Instance); other == nil || !same(in, other) {
				return false
			}
		}
	}
	return true
}

// forgotOff reports whether instances were powered off, so that the others are the whole of x, and y has no reasons: there a
// missing instance makes the whole missing, as the documentation says.
func forgotOff(x, y *capture.Counter) bool {
	for _, in := range x.Instances {
		other := y.Instance(in.Meta.Instance)
		for i := range in.Len() {
			if why, _ := in.Why(i); why.Code != capture.PowerGated || other == nil || i >= other.Len() {
				continue
			}
			if why, _ := other.Why(i); why.Code != capture.PowerGated && other.Value(i).Missing() {
				return true
			}
		}
	}
	return false
}

func sameValues(x, y *capture.Counter) bool {
	for i := range x.Len() {
		if i >= y.Len() {
			return false
		}
		u, v := x.Value(i), y.Value(i)
		if n, ok := u.Uint64(); ok {
			// A level that is a mean in one sample makes its column one of doubles, which hold the others exactly up to
			// 2^53.
			if m, ok := v.Uint64(); ok && n != m || !ok && (v.Missing() || n > 1<<53 || v.Float() != float64(n)) {
				return false
			}
		} else if !u.Missing() && math.Float64bits(u.Float()) != math.Float64bits(v.Float()) {
			return false
		}
	}
	return true
}

func sameLabels(a, b *capture.Capture) bool {
	for _, l := range a.Labels {
		m := b.Label(l.Name)
		if m == nil || len(m.Codes) != len(l.Codes) {
			return false
		}
		for i := range l.Codes {
			v, ok := l.Value(i)
			if w, also := m.Value(i); v != w || ok != also {
				return false
			}
		}
	}
	return true
}
