package hwio

import "context"

// DeepTester is a Source that can prove that its counters count: it measures something whose values are known
// beforehand. The test uses the hardware for a moment, as a recording does, and leaves nothing changed.
type DeepTester interface {
	DeepTest(ctx context.Context) []Finding
}

// DeepTest runs the tests of all sources that have one. A source that does not work here has no finding: Doctor tells
// why.
func DeepTest(ctx context.Context, sources []Source) []Finding {
	var out []Finding
	for _, s := range sources {
		if d, ok := s.(DeepTester); ok && s.Probe(ctx).Usable {
			out = append(out, d.DeepTest(ctx)...)
		}
	}
	return out
}
