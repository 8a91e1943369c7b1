package metrics_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"astrolabe/capture/formats"
	"astrolabe/capture/formats/rocprofcompute"
	"astrolabe/capture/metrics"
	"astrolabe/internal/testfiles"
)

// countedColumn is a column of a profile that holds counts.
var countedColumn = regexp.MustCompile(`^(SQ|SQC|TA|TD|TCP|TCC|GRBM|SPI|CPC|CPF)_`)

// makeUp copies a real folder with other counts: no two columns and rows have the same, so that a formula that reads
// the wrong one is told. testdata/README.md says what AMD's engine was given: the same. gfx908's panels ask for EA0.
func makeUp(t *testing.T, from, to, arch string) {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	for _, pattern := range []string{"pmc_perf*.csv", "SQ*.csv"} {
		files, err := filepath.Glob(filepath.Join(to, pattern))
		if err != nil || len(files) == 0 {
			t.Fatalf("%d files %s, %v", len(files), pattern, err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
			if err != nil {
				t.Fatal(err)
			}
			for i, row := range rows[1:] {
				for k, name := range rows[0] {
					if countedColumn.MatchString(name) {
						h := crc32.ChecksumIEEE(fmt.Appendf(nil, "%s/%s/%d", filepath.Base(file), name, i))
						row[k] = fmt.Sprint(1000 + h%900000)
					}
				}
			}
			if arch == "gfx908" {
				for k, name := range rows[0] {
					rows[0][k] = strings.Replace(name, "TCC_EA_", "TCC_EA0_", 1)
				}
			}
			var out bytes.Buffer
			if err := csv.NewWriter(&out).WriteAll(rows); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, out.Bytes(), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestEveryCellOfMadeUpFoldersEqualsTheVendorsEngine gives gfx90a and gfx908 counts that no kernel has.
func TestEveryCellOfMadeUpFoldersEqualsTheVendorsEngine(t *testing.T) {
	var captures []shownCapture
	testfiles.JSON(t, &captures, "vectors", "amd_made_sample.json")
	for _, shown := range captures {
		t.Run(shown.Arch, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "made")
			makeUp(t, testfiles.Path(t, "captures", shown.Data), dir, shown.Arch)
			cat, err := metrics.Get(shown.Arch)
			if err != nil {
				t.Fatal(err)
			}
			opt := formats.Options{Duration: "first", Denom: "per_wave"}
			cap, err := formats.NewRegistry(rocprofcompute.Format{}).Open(context.Background(), dir, opt)
			if err != nil {
				t.Fatal(err)
			}
			cells, equal, told, missing := 0, 0, 0, 0
			for _, table := range shown.Tables {
				for _, row := range table.Rows {
					for column, want := range row.Values["per_wave"] {
						cells++
						if want == nil {
							missing++
						}
						got, err := cellOf(cap, cat, table.TableID, table.Table, row.Metric, column)
						switch {
						case err == nil && same(got, want):
							equal++
						case err == nil && want == nil && table.TableID == 1702 && row.Metric == "Write and Atomic BW":
							told++ // gfx90a's panel asks for names that only newer GPUs have: docs/amd.md
						case isVendorsError(cap, fmt.Sprintf("%d/%s/%s", table.TableID, row.Metric, column), want):
							told++
						default:
							t.Errorf("%d %s/%s %s: %v, want %v, %v", table.TableID, table.Table, row.Metric, column, got.Float(), want, err)
						}
					}
				}
			}
			want := map[string][2]int{"gfx908": {2173, 4}, "gfx90a": {2311, 8}}[shown.Arch]
			if cells != want[0] || told != want[1] {
				t.Errorf("%d cells, %d of them explained, want %v", cells, told, want)
			}
			t.Logf("%d of %d cells equal, %d explained; AMD shows nothing in %d", equal, cells, told, missing)
		})
	}
}
