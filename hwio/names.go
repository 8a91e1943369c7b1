package hwio

import "context"

// Matcher is a Stream that records what more names stand for than those of its columns, such as the metrics that are
// computed from them.
type Matcher interface {
	// Matches says whether the pattern names something that the stream records.
	Matches(pattern string) bool
}

// Namer is a Source that takes more names than those of its counters. They are for suggestions where the user mistyped
// one.
type Namer interface {
	Names(ctx context.Context) []string
}
