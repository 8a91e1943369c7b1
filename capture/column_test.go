package capture

import (
	"errors"
	"testing"

	"astrolabe/capture/memory"
)

func TestAColumnIsDroppedWhereMemoryIsShortAndReadAgain(t *testing.T) {
	var fails error
	loads := 0
	c := LazyColumn(3, func() (Data, error) {
		loads++
		return Data{U: []uint64{1, 2, 3}}, fails
	}).Again().Of("file.x")
	part := c.Slice(1, 3)
	for range 3 {
		if d := part.Data(); d.Len() != 2 || d.U[1] != 3 {
			t.Fatalf("got %v", d)
		}
	}
	if loads != 1 {
		t.Errorf("it was loaded %d times", loads)
	}
	memory.Shed()
	if d := part.Data(); d.U[1] != 3 || c.Data().U[0] != 1 || loads != 2 {
		t.Errorf("got %v after %d loads", d, loads)
	}
	memory.Shed()
	fails = errors.New("gone")
	func() {
		defer func() {
			err := memory.Caught(recover())
			if !errors.Is(err, memory.ErrAgain) || !errors.Is(err, fails) {
				t.Errorf("values that were seen are missing later: %v", err)
			}
		}()
		part.Data()
	}()
	fails = nil
	if d := part.Data(); d.U[1] != 3 || part.Err() != nil {
		t.Errorf("got %v, %v", d, part.Err())
	}
}

func TestAColumnThatNeverLoadedIsMissing(t *testing.T) {
	bad := errors.New("bad sector")
	c := LazyColumn(2, func() (Data, error) { return Data{}, bad }).Again()
	for range 2 {
		if !errors.Is(c.Err(), bad) || !c.Data().Missing(1) {
			t.Errorf("got %v, %v", c.Err(), c.Data())
		}
		memory.Shed()
	}
}
