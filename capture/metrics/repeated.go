package metrics

import (
	"slices"
	"strings"

	"astrolabe/capture"
)

// Tables of other programs may lack a column of a metric set that others of theirs say as well. Of the requests of shaders to memory each moves
// a line, so what shaders and L3 exchange tells how many they are; on most GPUs that has what goes to shared local memory in it. Reports of VTune have the
// bytes only.
const (
	accesses, exchanged = "ShaderMemoryAccesses", "L3ShaderThroughput"
	accessesRole        = "count:shader_accesses"
	lineBytes           = "64"
)

var local = []string{"SlmBytesRead", "SlmBytesWritten"}

// repeated are the metrics of a set that a table has no column of and others tell, under their symbol and their role.
func (s *scope) repeated() []*Entry {
	return s.cap.Memo(repeatedKey{s.cap.GPU}, func() any { return s.findRepeated() }).([]*Entry)
}

// repeatedKey is the key of these metrics among what a capture remembers.
type repeatedKey struct{ gpu string }

func (s *scope) findRepeated() []*Entry {
	for _, cat := range s.cats {
		e, bytes := cat.Symbol(accesses), cat.Symbol(exchanged)
		if e == nil || bytes == nil || s.columnOf(e) || !s.columnOf(bytes) || s.cap.Counter("A32") != nil {
			continue
		}
		expr := "$" + exchanged
		if strings.Contains(bytes.Expr, "A 30 ") {
			for _, symbol := range local {
				part := cat.Symbol(symbol)
				if part == nil || !s.columnOf(part) {
					return nil
				}
				expr += " $" + symbol + " FSUB"
			}
		}
		var out []*Entry
		for _, name := range []string{accesses, accessesRole} {
			one := *e
			one.Name, one.Symbol, one.Set, one.expr, one.Inputs = name, "", nil, nil, nil
			one.Expr, one.Kind = expr+" "+lineBytes+" FDIV 0 FMAX", capture.Derived
			if one.parse() == nil {
				out = append(out, &one)
			}
		}
		return out
	}
	return nil
}

// columnOf reports whether the capture has a column of a metric by its symbol or title.
func (s *scope) columnOf(e *Entry) bool {
	names := []string{fold(e.Symbol), fold(e.Title)}
	return slices.ContainsFunc(s.cap.Counters, func(c *capture.Counter) bool { return c.Count() > 0 && slices.Contains(names, fold(c.Name)) })
}
