package amd

import (
	"context"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"astrolabe/capture/metrics"
	"astrolabe/capture/simulate"
)

func TestDump(t *testing.T) {
	kind := os.Getenv("DUMP")
	if kind == "" {
		t.Skip()
	}
	n, _ := strconv.Atoi(os.Getenv("N"))
	for seed := range uint64(n) {
		c, err := New(Names[0], kind, seed)
		if err != nil {
			t.Fatal(err)
		}
		cap, err := c.Record(simulate.Options{Host: simulate.Yes})
		if err != nil {
			t.Fatal(err)
		}
		list, err := metrics.Metrics(cap)
		if err != nil {
			t.Fatal(err)
		}
		values, err := metrics.Floats(context.Background(), list)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Printf("%d %s [%s] %d samples:", seed, c.Text, c.Plant, cap.Len())
		for i, m := range list {
			if m.Total().Missing() {
				continue
			}
			for _, v := range values[i] {
				if m.Unit == "percent" && (v < 0 || v > 100.001) || math.IsInf(v, 0) {
					fmt.Printf(" BAD %s %v", m.Name, v)
					break
				}
			}
			fmt.Printf(" %s=%.4g", strings.TrimSuffix(strings.TrimPrefix(m.Name, "busy_"), "_sampled"), m.Total().Float())
		}
		fmt.Println()
	}
}
