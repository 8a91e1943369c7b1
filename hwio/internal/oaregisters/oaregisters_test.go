package oaregisters

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"

	"astrolabe/internal/testfiles"
)

// Another author's files of Kaby Lake's sets, write by write.
func TestRegistersOfKabyLakeEqualMesas(t *testing.T) {
	rows := testfiles.Rows(t, "reference", "intel_kbl_oa_registers.csv")
	want := map[key]*Lists{}
	for _, r := range rows {
		k := key{r["gpu"], r["metric_set"]}
		if want[k] == nil {
			want[k] = &Lists{}
		}
		a, err1 := strconv.ParseUint(r["address"], 0, 32)
		v, err2 := strconv.ParseUint(r["value"], 0, 32)
		if err1 != nil || err2 != nil {
			t.Fatal(r)
		}
		list := map[string]*[]Register{"NOA": &want[k].Mux, "OA": &want[k].Boolean, "FLEX": &want[k].Flex}[r["reg_type"]]
		*list = append(*list, Register{uint32(a), uint32(v)})
	}
	n := 0
	for k, w := range want {
		g, err := Of(k.platform, k.set, nil)
		if err != nil || !slices.Equal(g.Mux, w.Mux) || !slices.Equal(g.Boolean, w.Boolean) || !slices.Equal(g.Flex, w.Flex) {
			t.Errorf("%v differs: %v", k, err)
			continue
		}
		n += len(g.All())
	}
	if len(want) != 42 || n != len(rows) {
		t.Errorf("%d sets with %d writes, the reference has %d", len(want), n, len(rows))
	}
}

func TestPartsTakeTheLastBlockThatFits(t *testing.T) {
	both, err := Of("bdw", "RenderBasic", Variables{"SliceMask": 3})
	if err != nil {
		t.Fatal(err)
	}
	second, err := Of("bdw", "RenderBasic", Variables{"SliceMask": 2})
	if err != nil || !slices.Equal(both.Mux, second.Mux) || len(both.Mux) != 112 {
		t.Errorf("with both slices %d writes, with the second %d: %v", len(both.Mux), len(second.Mux), err)
	}
	first, err := Of("bdw", "RenderBasic", Variables{"SliceMask": 1})
	if err != nil || len(first.Mux) != 107 || slices.Equal(first.Mux, second.Mux) {
		t.Errorf("with the first %d: %v", len(first.Mux), err)
	}
	if _, err := Of("bdw", "RenderBasic", Variables{"SliceMask": 4}); !errors.Is(err, ErrPart) {
		t.Errorf("a part that no block fits: %v", err)
	}
	if _, err := Of("bdw", "RenderBasic", nil); err == nil || !strings.Contains(err.Error(), "SliceMask") {
		t.Errorf("a part that nothing is known of: %v", err)
	}
	if _, err := Of("lnl", "NoSuchSet", nil); err == nil {
		t.Error("an unknown set has registers")
	}
	// Every condition can be evaluated.
	all, err := load()
	if err != nil {
		t.Fatal(err)
	}
	sets := 0
	for k, blocks := range all {
		sets++
		if _, err := choose(blocks, Variables{"SliceMask": 3, "SubsliceMask": 63, "SkuRevisionId": 3}); err != nil {
			t.Errorf("%v: %v", k, err)
		}
	}
	if sets != 854 {
		t.Errorf("%d sets", sets)
	}
}

func TestDamagedTablesAreRefusedWithTheirLine(t *testing.T) {
	for rows, want := range map[string]string{
		"lnl,A,0,OA,,,2,1:2":         "line 2: 1 writes",
		"lnl,A,0,OA,,,1,1":           "line 2: \"1\" is no address",
		"lnl,A,0,OTHER,,,1,1:2":      "line 2: unknown list",
		"lnl,A,0,OA,,,1":             "wrong number of fields",
		"lnl,A,0,OA,,,1,123456789:2": "no address",
	} {
		if _, err := parse(strings.NewReader(columns + "\n" + rows + "\n")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", rows, err)
		}
	}
	if _, err := parse(strings.NewReader("")); err == nil {
		t.Error("an empty table is read")
	}
	for _, condition := range []string{"AND", "1 2", "1 2 NAND", "x"} {
		if _, err := (&block{condition: condition}).holds(nil); err == nil {
			t.Errorf("condition %q holds", condition)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(columns + "\nlnl bmg,A,0,OA,$SliceMask 0x01 AND,0,2,1:2 E458:50004\n")
	f.Fuzz(func(t *testing.T, text string) {
		sets, err := parse(strings.NewReader(text))
		if err != nil && sets != nil {
			t.Fatalf("%d sets and %v", len(sets), err)
		}
		for _, blocks := range sets {
			_, _ = choose(blocks, Variables{"SliceMask": 1})
		}
	})
}
