package progress

import (
	"context"
	"io"
	"strings"
	"testing"
)

func TestWorkReportsToTheMeterOfItsContext(t *testing.T) {
	m := &Meter{}
	ctx := With(context.Background(), m)
	From(ctx).Begin(10, Bytes)
	if _, err := io.ReadAll(Reader(ctx, strings.NewReader("0123456"))); err != nil {
		t.Fatal(err)
	}
	if s := m.State(); s.Done != 7 || s.Total != 10 || s.Unit != Bytes || s.Begun.IsZero() {
		t.Errorf("after 7 of 10 bytes: %+v", s)
	}
	From(ctx).Begin(-1, Samples)
	From(ctx).Set(5)
	if s := m.State(); s.Done != 5 || s.Total != 0 || s.Unit != Samples {
		t.Errorf("a stage of unknown length: %+v", s)
	}
}

func TestWhereNobodyListensNothingHappens(t *testing.T) {
	ctx := context.Background()
	m := From(ctx)
	m.Begin(1, Bytes)
	m.Add(1)
	m.Set(1)
	if m != nil || m.State() != (State{}) {
		t.Error("there is a meter")
	}
	r := strings.NewReader("x")
	if Reader(ctx, r) != io.Reader(r) {
		t.Error("the reader was wrapped")
	}
}
