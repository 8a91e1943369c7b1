package memory

import (
	"runtime"
	"testing"
)

func TestSparesAreDroppedOnceAndForgottenWithTheirOwners(t *testing.T) {
	Shed()
	dropped := 0
	v := new([64]int)
	Spare(v, func(*[64]int) { dropped++ })
	Shed()
	Shed()
	if dropped != 1 {
		t.Errorf("dropped %d times", dropped)
	}
	for range 10_000 {
		Spare(new([64]int), func(*[64]int) { dropped++ })
		if len(spares.list) == 900 {
			runtime.GC()
		}
	}
	if n := len(spares.list); n > 9_500 {
		t.Errorf("%d are remembered, most of which are no more", n)
	}
	runtime.KeepAlive(v)
}
