package intel

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"astrolabe/capture/formats/arrow"
	"astrolabe/capture/simulate"
)

func TestArrow(t *testing.T) {
	kind := os.Getenv("AKIND")
	if kind == "" {
		t.Skip()
	}
	var seed uint64
	fmt.Sscan(os.Getenv("SEED"), &seed)
	name := Names[0]
	if f := os.Getenv("FAMILY"); f != "" {
		name = f
	}
	c, err := New(name, kind, seed)
	if err != nil {
		t.Fatal(err)
	}
	o := simulate.Options{}
	if s := os.Getenv("SETS"); s != "" {
		o.Sets = strings.Split(s, ",")
	}
	cap, err := c.Record(o)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := (arrow.Format{}).Encode(context.Background(), &b, cap); err != nil {
		t.Fatal(err)
	}
	os.WriteFile(os.Getenv("OUT"), b.Bytes(), 0o644)
}

func TestSummary(t *testing.T) {
	n := 0
	fmt.Sscan(os.Getenv("NSUM"), &n)
	if n == 0 {
		t.Skip()
	}
	for _, name := range Names {
		for _, kind := range Kinds(name) {
			clear := 0
			parts, partClear := 0, 0
			by := map[string]int{}
			for seed := range uint64(n) {
				c, _ := New(name, kind, seed)
				tr, _ := c.Judge()
				for i := range tr.Phases {
					parts++
					if _, ok := tr.Phases[i].Limiter(); ok {
						partClear++
					}
				}
				l, ok := tr.Limiter()
				if ok {
					clear++
					by[l.String()]++
				} else {
					by["?"]++
				}
			}
			fmt.Println(name, kind, clear, "of", n, by, "phases", partClear, "of", parts)
		}
	}
}
