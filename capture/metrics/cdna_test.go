package metrics_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/formats"
	"astrolabe/capture/formats/rocprofcompute"
	"astrolabe/capture/metrics"
	"astrolabe/internal/testfiles"
)

// shownCapture is what AMD's own engine shows of a capture, see testdata/README.md.
type shownCapture struct {
	Data, Arch  string
	NormalUnits []string `json:"normal_units"`
	Tables      []struct {
		TableID int `json:"table_id"`
		Table   string
		Rows    []shownRow
	}
}

type shownRow struct {
	Metric string
	Values map[string]map[string]any // by normalization unit, or "any", and by column
	Alias  map[string]map[string]any `json:"values_ea0_alias"`
}

// perChannel are the tables with a row for each channel of L2. Their columns are metrics of their own where they are no quartiles.
func perChannel(table int) bool { return table >= 1802 && table <= 1812 }

// missesOf28 is AMD's hit rate over 32 channels, which reads the misses of channel 28 twice and those of 29 never.
const missesOf28 = "(100 * TCC_HIT[0..31] / (TCC_HIT[0..31] + TCC_MISS[0..31] - TCC_MISS[29] + TCC_MISS[28]))"

// vendorsErrors are cells in which AMD's panels are wrong, by table, metric and column, with the formula that gives AMD's number. docs/amd.md tells them.
var vendorsErrors = map[string]string{
	"1801/L2 Cache Hit Rate/Avg":     "AVG" + missesOf28,
	"1801/L2 Cache Hit Rate/Std Dev": "STD" + missesOf28,
	"1801/L2 Cache Hit Rate/Min":     "MIN" + missesOf28,
	"1801/L2 Cache Hit Rate/Max":     "MAX" + missesOf28,

	"1502/Spill/Stack Atomic Instructions/Max": "MIN(TA_BUFFER_ATOMIC_WAVEFRONTS_sum / $denom)",
}

// isVendorsError reports whether a formula that is known to be wrong gives the number that the vendor shows.
func isVendorsError(cap *capture.Capture, cell string, want any) bool {
	expr, ok := vendorsErrors[cell]
	if !ok {
		return false
	}
	c, err := metrics.Eval(cap, "rocm: "+expr, capture.Meta{})
	return err == nil && same(c.Total(), want)
}

// entryOfRow is the metric of a row of AMD's table.
func entryOfRow(cat *metrics.Catalogue, table int, title, metric, column string) (*metrics.Entry, error) {
	if !perChannel(table) {
		return cat.Find(title + "/" + metric)
	}
	for _, e := range cat.Entries() {
		if slices.Contains(e.Refs, fmt.Sprint(table)) && (e.Title == column || strings.HasPrefix(title, e.Title)) {
			return e, nil
		}
	}
	return nil, fmt.Errorf("no metric for column %s of table %d", column, table)
}

// levelUnmeasured reports whether the vendor shows nothing because a channel's level was not measured, where we show 0 because it counted no atomics.
func levelUnmeasured(table int, got capture.Value, want any) bool {
	return table == 1808 && want == nil && !got.Missing() && got.Float() == 0
}

// TestEveryCellOfAnMI350EqualsTheVendorsEngine compares every cell of a workload whose runs did not measure all channels. The vendor divides by the mean
// time of all runs, which is all that remains when the files of the single runs are away.
func TestEveryCellOfAnMI350EqualsTheVendorsEngine(t *testing.T) {
	var captures []shownCapture
	testfiles.JSON(t, &captures, "vectors", "amd_mi350_sample.json")
	shown := captures[0]
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(testfiles.Path(t, "workloads", shown.Data))); err != nil {
		t.Fatal(err)
	}
	runs, err := filepath.Glob(filepath.Join(dir, "pmc_perf_*.csv"))
	if err != nil || len(runs) == 0 {
		t.Fatalf("%d runs, %v", len(runs), err)
	}
	for _, run := range runs {
		if err := os.Remove(run); err != nil {
			t.Fatal(err)
		}
	}
	cap, err := formats.NewRegistry(rocprofcompute.Format{}).Open(context.Background(), dir, formats.Options{Duration: "first"})
	if err != nil {
		t.Fatal(err)
	}
	cat, err := metrics.Get(shown.Arch)
	if err != nil {
		t.Fatal(err)
	}
	cells, equal, told := 0, 0, 0
	for _, table := range shown.Tables {
		for _, row := range table.Rows {
			for column, want := range row.Values["per_kernel"] {
				cells++
				got, err := cellOf(cap, cat, table.TableID, table.Table, row.Metric, column)
				switch {
				case err == nil && same(got, want):
					equal++
				case err == nil && levelUnmeasured(table.TableID, got, want):
					told++
				default:
					t.Errorf("%d %s/%s %s: %v, want %v, %v", table.TableID, table.Table, row.Metric, column, got.Float(), want, err)
				}
			}
		}
	}
	if t.Logf("%d of %d cells equal, %d explained", equal, cells, told); cells != 6665 || told != 45 {
		t.Errorf("%d cells, %d of them explained, want 6665 and 45", cells, told)
	}
}

// TestEveryCellOfCDNAEqualsTheVendorsEngine compares every cell of every panel, in all four normalizations. A cell in which AMD shows infinity may be
// missing here.
func TestEveryCellOfCDNAEqualsTheVendorsEngine(t *testing.T) {
	var captures []shownCapture
	testfiles.JSON(t, &captures, "vectors", "amd_families_sample.json")
	if len(captures) != 3 {
		t.Fatalf("%d captures", len(captures))
	}
	for _, shown := range captures {
		t.Run(shown.Arch, func(t *testing.T) {
			name := shown.Data[strings.LastIndexByte(shown.Data, '/')+1:]
			cat, err := metrics.Get(shown.Arch)
			if err != nil {
				t.Fatal(err)
			}
			cells, equal, told := 0, 0, 0
			for _, unit := range shown.NormalUnits {
				opt := formats.Options{Duration: "median", Denom: unit}
				cap, err := formats.NewRegistry(rocprofcompute.Format{}).Open(context.Background(), testfiles.Path(t, "captures", name), opt)
				if err != nil {
					t.Fatal(err)
				}
				for _, table := range shown.Tables {
					for _, row := range table.Rows {
						for _, key := range []string{unit, "any"} {
							if key == "any" && unit != shown.NormalUnits[0] {
								continue
							}
							for column, want := range row.Values[key] {
								cells++
								got, err := cellOf(cap, cat, table.TableID, table.Table, row.Metric, column)
								switch {
								case err == nil && (same(got, want) || row.Alias[key] != nil && same(got, row.Alias[key][column])):
									equal++
								case isVendorsError(cap, fmt.Sprintf("%d/%s/%s", table.TableID, row.Metric, column), want):
									told++
								case cells-equal-told < 60:
									t.Errorf("%s %d %s/%s %s: %v, want %v (alias %v), %v", unit, table.TableID, table.Table, row.Metric, column, got.Float(), want, row.Alias[key][column], err)
								}
							}
						}
					}
				}
			}
			t.Logf("%d of %d cells equal, %d explained", equal, cells, told)
			if equal+told != cells {
				t.Fail()
			}
		})
	}
}

func cellOf(cap *capture.Capture, cat *metrics.Catalogue, table int, title, metric, column string) (capture.Value, error) {
	e, err := entryOfRow(cat, table, title, metric, column)
	if err != nil {
		return capture.Value{}, err
	}
	name := e.Name
	if perChannel(table) {
		if _, err := strconv.Atoi(metric); err != nil {
			return capture.Value{}, err
		}
		name += "[" + metric + "]"
	}
	if e.Title == column {
		column = "Avg"
	}
	cells, err := shownCells(cap, name)
	if err != nil {
		return capture.Value{}, err
	}
	for _, c := range cells {
		if c.Heading == column {
			return c.Value, nil
		}
	}
	return capture.Value{}, nil
}

func same(got capture.Value, want any) bool {
	switch want := want.(type) {
	case nil:
		return got.Missing()
	case string: // inf
		return got.Missing()
	case json.Number:
		x, _ := want.Float64()
		return math.Abs(got.Float()-x) <= 1e-9*math.Abs(x)
	case float64:
		return math.Abs(got.Float()-want) <= 1e-9*math.Abs(want)
	}
	return false
}

var shownMemo = map[string][]metrics.Cell{}

func shownCells(cap *capture.Capture, name string) ([]metrics.Cell, error) {
	key := cap.GPU + cap.Path + cap.Options.Denom + name
	if c, ok := shownMemo[key]; ok {
		return c, nil
	}
	c, err := metrics.Cells(cap, nil, name)
	if err == nil {
		shownMemo[key] = c
	}
	return c, err
}

// valuesByHeading are cells by their headings.
type valuesByHeading map[string]capture.Value

// cellsOf are the cells of a metric of one of the captures, by heading.
func cellsOf(t *testing.T, folder, name string, opt formats.Options) valuesByHeading {
	t.Helper()
	cap, err := formats.NewRegistry(rocprofcompute.Format{}).Open(context.Background(), testfiles.Path(t, "captures", folder), opt)
	if err != nil {
		t.Fatal(err)
	}
	cells, err := metrics.Cells(cap, nil, name)
	if err != nil {
		t.Fatal(err)
	}
	out := valuesByHeading{}
	for _, c := range cells {
		out[c.Heading] = c.Value
	}
	return out
}

func TestMeasuredPeaksStandBesideThoseOfTheDataSheet(t *testing.T) {
	got := cellsOf(t, "mi200-vcopy", "l2_bandwidth", formats.Options{})
	if sheet, measured := got["Peak"].Float(), got["Peak (Empirical)"].Float(); math.Abs(sheet-3481.6) > 1e-9 || math.Abs(measured-(5029.6997+5033.541)/2) > 1e-9 {
		t.Errorf("the peaks of L2 are %v by the data sheet and %v as measured", sheet, measured)
	}
	if got := cellsOf(t, "mi100-vcopy", "l2_bandwidth", formats.Options{})["Peak (Empirical)"]; !got.Missing() {
		t.Errorf("a folder without a benchmark has the measured peak %v", got.Float())
	}
}

func TestALevelReadsTheCyclesOfItsOwnRun(t *testing.T) {
	cap, err := formats.NewRegistry(rocprofcompute.Format{}).Open(context.Background(), testfiles.Path(t, "captures", "mi200-vcopy"), formats.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if cap, err = metrics.Describe(cap); err != nil {
		t.Fatal(err)
	}
	other := cap.Counter("SQ_INSTS_LDS@SQ_INST_LEVEL_LDS")
	if other == nil || other.Unit != "instructions" || other.Title != "SQ_INSTS_LDS in the run SQ_INST_LEVEL_LDS" {
		t.Fatalf("the counter of the run is %+v", other)
	}
	c, err := metrics.Resolve(cap, "lds_latency")
	if err != nil {
		t.Fatal(err)
	}
	if text := metrics.Explain(c, -1).String(); !strings.Contains(text, "SQ_INSTS_LDS = 0 instructions  [delta, from rocprofcompute, block SQ, pass SQ_INST_LEVEL_LDS]") {
		t.Errorf("the explanation does not say whose instructions were counted:\n%s", text)
	}
}
