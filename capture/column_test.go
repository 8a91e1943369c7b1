package capture

import (
	"errors"
	"runtime"
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

func TestDroppedColumnsMakeRoom(t *testing.T) {
	const n, most = 4 << 20, 160 << 20
	memory.SetLimit(most)
	defer memory.SetLimit(0)
	var columns []*Column
	for k := range 20 { // 32 MiB each
		columns = append(columns, LazyColumn(n, func() (Data, error) {
			u := make([]uint64, n)
			u[n-1] = uint64(k)
			return Data{U: u}, nil
		}).Again())
	}
	for k, c := range columns {
		if got := c.Data().U[n-1]; got != uint64(k) {
			t.Errorf("column %d ends with %d", k, got)
		}
	}
	runtime.KeepAlive(columns)
}
