package capture

import (
	"slices"
	"testing"
)

// What was gathered from two batches is what one batch of both rows gives that is taken over without a copy.
func TestACollectorGivesTheSameOfOneBatchAndOfTwo(t *testing.T) {
	s := &Schema{Labels: []string{"context"}, Columns: []ColumnSpec{
		{Meta: Meta{Name: "n"}, Integer: true}, {Meta: Meta{Name: "f", Instance: "0"}},
		{Meta: Meta{Name: "f", Instance: "1"}},
	}}
	why := Reason{Code: NotCollected, Text: "off"}
	fill := func(b *Batch, from, to int64) *Batch {
		for i := from; i < to; i++ {
			b.Start, b.End = append(b.Start, i*10), append(b.End, i*10+10)
			b.Cols[0].U = append(b.Cols[0].U, uint64(i))
			b.AppendFloat(1, float64(i))
			b.AppendFloat(2, -float64(i))
			b.Labels[0] = append(b.Labels[0], []string{"", "a"}[i%2])
		}
		b.Reasons = append(b.Reasons, ColumnReason{Col: 1, From: 0, To: int(to - from), Reason: why})
		b.Gaps = append(b.Gaps, Gap{Start: from * 10, End: from*10 + 1})
		return b
	}
	two, one := NewCollector(s), NewCollector(s)
	b := fill(NewBatch(s, 2), 0, 2)
	two.Add(b)
	b.Reset()
	two.Add(fill(b, 2, 5))
	whole := fill(NewBatch(s, 5), 0, 5)
	whole.Gaps = append(whole.Gaps, Gap{Start: 20, End: 21})
	one.Take(whole)
	for name, c := range map[string]*Collector{"two": two, "one": one} {
		got, err := New(c.Config("clock"))
		if err != nil {
			t.Fatal(err)
		}
		if got.Axis.Clock != "clock" || got.Len() != 5 || len(got.Gaps) != 2 || len(got.Counters) != 2 ||
			len(got.Counters[1].Instances) != 2 {
			t.Fatalf("%s: %+v", name, got)
		}
		first := got.Counters[1].Instances[0]
		if len(first.Reasons) != 1 || first.Reasons[0] != (ReasonRun{From: 0, To: 5, Reason: why}) {
			t.Errorf("%s: reasons %+v", name, first.Reasons)
		}
		if v := got.Counters[0].Value(4); v.Float() != 4 {
			t.Errorf("%s: %v", name, v)
		}
		if l := got.Label("context"); !slices.Equal(l.Codes, []int32{-1, 0, -1, 0, -1}) ||
			!slices.Equal(l.Dict, []string{"a"}) {
			t.Errorf("%s: labels %+v", name, l)
		}
	}
}
