package cpu

import (
	"fmt"
	"math"
	"reflect"
	"testing"

	"astrolabe/capture/simulate"
)

func TestRates(t *testing.T) {
	for _, kind := range Kinds("cpu-third") {
		clear, named, plants := 0, 0, 0
		const seeds = 44
		for seed := range uint64(seeds) {
			c, err := New("cpu-third", kind, seed)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := c.Record(simulate.Options{}); err != nil {
				t.Fatal(kind, seed, err)
			}
			truth, err := c.Judge()
			if err != nil {
				t.Fatal(err)
			}
			lim, ok := truth.Limiter()
			clear += btoi(ok)
			if c.Plant != "" {
				plants++
				if ok && lim.String() == c.Plant {
					named++
				}
			}
			if testing.Verbose() {
				fmt.Println(kind, seed, c.Text, "|", c.Plant, "|", lim, ok, truth.Healthy, truth.Missed, truth.Frames,
					float64(truth.End)/1e9, truth.Leaves[:3], truth.Shares[:3])
			}
		}
		t.Logf("%s: %d of %d clear, %d of %d plants", kind, clear, seeds, named, plants)
	}
}

var _ = math.Abs
var _ = reflect.DeepEqual
