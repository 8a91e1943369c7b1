package memory

import (
	"errors"
	"testing"
)

func TestAGroupHandsPanicsOfItsGoroutinesOn(t *testing.T) {
	var g Group
	done := make(chan struct{})
	g.Go(func() { panic(&LimitError{Limit: 1}) })
	g.Go(func() { close(done) })
	defer func() {
		if err := Caught(recover()); !errors.Is(err, ErrLimit) {
			t.Errorf("got %v", err)
		}
		<-done
	}()
	g.Wait()
}

func TestOtherPanicsStayPanics(t *testing.T) {
	if err := Caught("oops"); err != nil {
		t.Error(err)
	}
	if err := Caught(errors.New("of someone else")); err != nil {
		t.Error(err)
	}
}
