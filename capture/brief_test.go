package capture

import "testing"

func TestOnlyFewValuesAtHandAreBrief(t *testing.T) {
	of := func(n int, col *Column) *Counter { return &Counter{Axis: NewUniformAxis(n, 1000), Col: col} }
	values := func(n int) *Column { return NewColumn(Data{U: make([]uint64, n)}) }
	lazy := func() *Column { return LazyColumn(5, func() (Data, error) { return Data{U: make([]uint64, 5)}, nil }) }
	read := lazy()
	read.Data()
	many := &Counter{Axis: NewUniformAxis(5, 1000)}
	for range 4000 {
		many.AddInstance(of(5, values(5)))
	}
	waiting := &Counter{Axis: NewUniformAxis(5, 1000)}
	waiting.AddInstance(of(5, values(5)))
	waiting.AddInstance(of(5, lazy()))
	passed := of(5, values(5))
	passed.Pass = &Pass{Duration: lazy()}
	for name, c := range map[string]struct {
		of   *Counter
		want bool
	}{
		"in memory":                       {of(5, values(5)), true},
		"as many as a screen has pixels":  {of(1<<20, values(1<<20)), false},
		"yet to be read":                  {of(5, lazy()), false},
		"read":                            {of(5, read), true},
		"in a file of this machine":       {of(5, lazy().Near()), true},
		"a part of one yet to be read":    {of(2, lazy().Slice(1, 3)), false},
		"a part of one of this machine":   {of(2, lazy().Near().Slice(1, 3)), true},
		"thousands of instances":          {many, false},
		"an instance that is yet to come": {waiting, false},
		"a pass that is yet to come":      {passed, false},
		"a formula on few":                {&Counter{Axis: NewUniformAxis(5, 1000), Der: &identity{of(5, values(5))}}, true},
	} {
		if got := c.of.Brief(); got != c.want {
			t.Errorf("%s: brief is %v", name, got)
		}
	}
}
