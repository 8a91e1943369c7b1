package memory

import (
	"context"
	"errors"
	"testing"
)

func TestWhatIsBeingReadIsStoppedAndNamed(t *testing.T) {
	if path := StopReading(&LimitError{Limit: 1}); path != "" {
		t.Fatalf("%q is being read", path)
	}
	outer, outerDone := Reading(t.Context(), "folder")
	inner, innerDone := Reading(outer, "folder/file")
	if Stopped(outer) != nil || Stopped(inner) != nil {
		t.Fatal("stopped before anyone did")
	}
	if path := StopReading(&LimitError{Limit: 1}); path != "folder/file" {
		t.Errorf("got %q", path)
	}
	for _, ctx := range []context.Context{outer, inner} {
		if !errors.Is(Stopped(ctx), ErrLimit) || ctx.Err() == nil {
			t.Errorf("got %v, %v", Stopped(ctx), ctx.Err())
		}
	}
	innerDone()
	outerDone()
	if path := StopReading(&LimitError{Limit: 1}); path != "" {
		t.Errorf("%q is still being read", path)
	}
}

func TestAReadingThatEndsIsNotStopped(t *testing.T) {
	ctx, done := Reading(t.Context(), "file")
	done()
	if ctx.Err() == nil || Stopped(ctx) != nil {
		t.Errorf("got %v, %v", ctx.Err(), Stopped(ctx))
	}
}
