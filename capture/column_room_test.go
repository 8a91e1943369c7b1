//go:build !race

package capture

import (
	"runtime"
	"testing"

	"astrolabe/capture/memory"
)

// Not for the race detector: its shadow of arrays that were dropped stays resident, and counts.
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
