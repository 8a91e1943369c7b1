package parquet

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"astrolabe/capture"
	"astrolabe/capture/formats"
)

func partitioned(t *testing.T, c *capture.Capture, spec string) (dir string, paths []string) {
	t.Helper()
	parts, err := ParsePartitions(spec)
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	paths, err = WritePartitioned(background, dir, c, parts)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range paths {
		rel, err := filepath.Rel(dir, p)
		if err != nil {
			t.Fatal(err)
		}
		paths[i] = filepath.ToSlash(rel)
	}
	return dir, paths
}

// twoDevices has two cards, a build that is a label, and a column that is called like a partition.
func twoDevices(t *testing.T) *capture.Capture {
	axis := capture.NewUniformAxis(4, 10)
	busy := &capture.Counter{Axis: axis, Meta: capture.Meta{Name: "busy"}}
	for _, dev := range []string{"card0", "card/1"} {
		busy.Instances = append(busy.Instances, &capture.Counter{Axis: axis, Col: ints(1, 2, 3, 4),
			Meta: capture.Meta{Name: "busy[" + dev + "]", Instance: dev, Device: dev}})
	}
	return mustNew(t, capture.Config{Name: "run:1", Axis: axis,
		Properties: []capture.Property{{Name: "cores", Number: 6}},
		Counters:   []*capture.Counter{busy, {Axis: axis, Col: ints(5, 6, 7, 8), Meta: capture.Meta{Name: "build"}}},
		Labels:     []*capture.Label{{Name: "kernel", Codes: []int32{0, 1, 0, -1}, Dict: []string{"a=b", "c"}}}})
}

func TestPartitionsBecomeHiveFolders(t *testing.T) {
	for spec, want := range map[string][]string{
		"device,build=12": {"device=card0/build=12/run%3A1.parquet", "device=card%2F1/build=12/run%3A1.parquet",
			"device=__HIVE_DEFAULT_PARTITION__/build=12/run%3A1.parquet"},
		"kernel": {"kernel=__HIVE_DEFAULT_PARTITION__/run%3A1.parquet", "kernel=a%3Db/run%3A1.parquet",
			"kernel=c/run%3A1.parquet"},
		"cores,name":          {"cores=6/name=run%3A1/run%3A1.parquet"},
		"gpu":                 {"gpu=__HIVE_DEFAULT_PARTITION__/run%3A1.parquet"},
		"build=..,cores=1 GB": {"build=%2E%2E/cores=1 GB/run%3A1.parquet"},
	} {
		_, got := partitioned(t, twoDevices(t), spec)
		if !slices.Equal(got, want) {
			t.Errorf("%s: files %q, want %q", spec, got, want)
		}
	}
}

func TestPartsAddUpToTheWhole(t *testing.T) {
	dir, paths := partitioned(t, twoDevices(t), "kernel,build=12")
	var sum, rows uint64
	for _, p := range paths {
		c, err := formats.NewRegistry(Format{}).Open(background, filepath.Join(dir, p), formats.Options{})
		if err != nil {
			t.Fatal(err)
		}
		rows += uint64(c.Len())
		v, ok := c.Counter("build").Sum().Uint64()
		if !ok {
			t.Fatalf("%s: no sum", p)
		}
		sum += v
		if prop, ok := c.Property("build"); !ok || prop.Text != "12" {
			t.Errorf("%s: the build is %+v", p, prop)
		}
		f, err := openFile(sourceOf(encodedFile(t, filepath.Join(dir, p))))
		if err != nil {
			t.Fatal(err)
		}
		for _, col := range f.Root().Columns() {
			if name := strings.ToLower(col.Name()); name == "build" || name == "kernel" {
				t.Errorf("%s: column %s hides the partition of that name", p, col.Name())
			}
		}
	}
	if rows != 4 || sum != 26 {
		t.Errorf("%d rows with a sum of %d, want 4 and 26", rows, sum)
	}
}

// convert --partition wrote folders that nothing here opened again as one capture.
func TestWhatPartitionTookApartOpensAsOneCapture(t *testing.T) {
	whole := twoDevices(t)
	for _, spec := range []string{"kernel", "device", "device,build=12", "kernel,device", "cores,name", "gpu"} {
		dir, paths := partitioned(t, whole, spec)
		c, err := formats.NewRegistry(Format{}).Open(background, dir, formats.Options{})
		if err != nil {
			t.Errorf("%s: %v", spec, err)
			continue
		}
		if c.Len() != 4 || !slices.Equal(c.Axis.Start, whole.Axis.Start) || c.Name != whole.Name ||
			len(c.Label("kernel").Codes) != 4 {
			t.Errorf("%s: %d samples at %v of %q from %d files", spec, c.Len(), c.Axis.Start, c.Name, len(paths))
		}
		for i := range 4 {
			w, wok := whole.Label("kernel").Value(i)
			if g, ok := c.Label("kernel").Value(i); g != w || ok != wok {
				t.Errorf("%s: kernel[%d] = %q, want %q", spec, i, g, w)
			}
		}
		for _, ctr := range whole.Counters {
			have := c.Counter(ctr.Name)
			if have == nil || have.Total().Float() != ctr.Total().Float() || len(have.Instances) != len(ctr.Instances) {
				t.Errorf("%s: %s is %+v", spec, ctr.Name, have)
				continue
			}
			for i := range 4 {
				if have.Value(i).Float() != ctr.Value(i).Float() {
					t.Errorf("%s: %s[%d] = %v, want %v", spec, ctr.Name, i, have.Value(i).Float(), ctr.Value(i).Float())
				}
			}
		}
		if p, ok := c.Property("build"); strings.Contains(spec, "build") && (!ok || p.Text != "12") {
			t.Errorf("%s: the build is %+v", spec, p)
		}
	}
}

func TestSeveralCapturesOfADataSetFollowEachOther(t *testing.T) {
	dir := t.TempDir()
	for i, name := range []string{"a.arrow", "b.arrow"} {
		c := mustNew(t, capture.Config{Name: "run", Path: name, Axis: capture.NewUniformAxis(3, 10),
			StartTime: time.Unix(int64(1000-i), 0)})
		c, err := c.With(func(cfg *capture.Config) {
			cfg.Counters = []*capture.Counter{{Axis: cfg.Axis, Meta: capture.Meta{Name: "n"},
				Col: ints(uint64(i), 2, 3)}}
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := WritePartitioned(background, dir, c, []Partition{{Key: "build", Value: "7", Fixed: true}}); err !=
			nil {
			t.Fatal(err)
		}
	}
	c, err := formats.NewRegistry(Format{}).Open(background, dir, formats.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if c.Len() != 6 || c.Label("capture") == nil || c.Counter("n").Value(0).Float() != 1 ||
		c.Counter("n").Total().Float() != 11 {
		t.Errorf("%d samples, n = %v", c.Len(), c.Counter("n").Floats())
	}
}

// Spark, DuckDB and pandas write tables in folders KEY=VALUE too.
func TestAForeignDataSetIsOneTable(t *testing.T) {
	type row struct {
		Time int64 `parquet:"time,timestamp(microsecond)"`
		N    int64 `parquet:"n"`
	}
	dir := t.TempDir()
	for name, rows := range map[string][]row{
		"host=a%2Fb/part-0.parquet":   {{1_700_000_000_000_000, 1}, {1_700_000_000_200_000, 3}},
		"host=c/part-0.parquet":       {{1_700_000_000_100_000, 2}, {1_700_000_000_300_000, 4}},
		"host=c/_temporary/x.parquet": {{1, 1}},
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, foreign(t, rows), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c, err := formats.NewRegistry(Format{}).Open(background, dir, formats.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var hosts []string
	for i := range c.Len() {
		h, _ := c.Label("host").Value(i)
		hosts = append(hosts, h)
	}
	if got := fmt.Sprint(c.Counter("n").Floats(), c.Axis.Start, c.Axis.End[0], c.Axis.End[3],
		hosts); got != "[1 2 3 4] [0 100000000 200000000 300000000] 100000000 400000000 [a/b c a/b c]" {
		t.Errorf("rows %s", got)
	}
	if !c.StartTime.Equal(time.Unix(1_700_000_000, 0)) {
		t.Errorf("starts at %v", c.StartTime)
	}
}

func encodedFile(t *testing.T, path string) []byte {
	t.Helper()
	s, err := newSource(path)
	if err != nil {
		t.Fatal(err)
	}
	return s.data
}

func TestPartitionsThatMeanNothingAreErrors(t *testing.T) {
	for _, spec := range []string{"", "a,,b", "x y", "a/b=1", "device,Device"} {
		if _, err := ParsePartitions(spec); err == nil {
			t.Errorf("%q is taken", spec)
		}
	}
	parts, err := ParsePartitions("build_id")
	if err != nil {
		t.Fatal(err)
	}
	_, err = WritePartitioned(background, t.TempDir(), twoDevices(t), parts)
	if err == nil || !strings.Contains(err.Error(), "build_id=VALUE") {
		t.Errorf("error %v does not say what to do", err)
	}
}

func TestFilesOfOneNameNeverReplaceEachOther(t *testing.T) {
	parts, err := ParsePartitions("build=1")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	of := func(folder string, first uint64) *capture.Capture {
		axis := capture.NewUniformAxis(2, 10)
		c := mustNew(t, capture.Config{Name: "run", Axis: axis,
			Counters: []*capture.Counter{{Axis: axis, Col: ints(first, 2), Meta: capture.Meta{Name: "n"}}}})
		c.Path = filepath.Join(folder, "run.arrow")
		return c
	}
	names := map[string]bool{}
	for round := range 2 {
		for i := range 4 {
			paths, err := WritePartitioned(background, dir, of(string(rune('a'+i)), uint64(i)), parts)
			if err != nil || len(paths) != 1 {
				t.Fatalf("round %d, capture %d: %q, %v", round, i, paths, err)
			}
			names[paths[0]] = true
			plain := filepath.Join(dir, "build=1", "run.parquet")
			if i == 0 {
				plain = ""
			}
			if got := Beside(paths[0], of("x", 0)); got != plain {
				t.Errorf("round %d, capture %d: beside %q, want %q", round, i, got, plain)
			}
			c, err := formats.NewRegistry(Format{}).Open(background, paths[0], formats.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if got := c.Counter("n").Sum().Float(); got != float64(i+2) {
				t.Errorf("round %d: %s adds up to %v, want %d", round, paths[0], got, i+2)
			}
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, "build=1", "*"))
	if err != nil || len(files) != 4 || len(names) != 4 {
		t.Errorf("%d files, %d names, %v; want 4 after writing 4 captures twice", len(files), len(names), err)
	}
}

func TestATextThatLooksLikeNoValueHasAFolderOfItsOwn(t *testing.T) {
	c := twoDevices(t)
	c, err := c.With(func(cfg *capture.Config) {
		cfg.Labels = []*capture.Label{{Name: "kernel", Codes: []int32{0, 0, -1, -1}, Dict: []string{noValue}}}
	})
	if err != nil {
		t.Fatal(err)
	}
	_, paths := partitioned(t, c, "kernel")
	if len(paths) != 2 || filepath.Dir(paths[0]) == filepath.Dir(paths[1]) {
		t.Errorf("files %q, want two folders", paths)
	}
}

// Folders KEY=VALUE hold other things than captures too, and Parquet other tables than counters: what cannot be read is
// not recognised. One file that is damaged does not hide a capture.
func TestFoldersOfOtherThingsAreNotRecognised(t *testing.T) {
	var texts, good bytes.Buffer
	rows, err := NewRows(&texts, []Column{{"time", Double}, {"name", Text}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(rows.Add(1.0, "a"), rows.Add(2.0, "b"), rows.Close()); err != nil {
		t.Fatal(err)
	}
	if rows, err = NewRows(&good, []Column{{"time", Double}, {"n", Int}}, nil); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(rows.Add(1.0, int64(3)), rows.Add(2.0, int64(4)), rows.Close()); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		files map[string]string
		sure  int
		why   string
	}{
		"csv":       {map[string]string{"x=1/a.csv": "time,n\n0,1\n"}, 0, "no .parquet file"},
		"nothing":   {map[string]string{"x=1/y=2/.hidden": ""}, 0, "no .parquet file"},
		"garbage":   {map[string]string{"x=1/a.parquet": "PAR1 garbage"}, 0, "a.parquet: truncated"},
		"texts":     {map[string]string{"x=1/a.parquet": texts.String()}, 0, "no numeric column"},
		"plain":     {map[string]string{"a.parquet": texts.String()}, 0, "no numeric column"},
		"staged":    {map[string]string{"x=1/_tmp/a.parquet": good.String()}, 0, "no .parquet file"},
		"good":      {map[string]string{"x=1/y=2/a.parquet": good.String(), "x=1/y=2/_SUCCESS": ""}, 70, ""},
		"one is":    {map[string]string{"x=1/a.parquet": "PAR1", "x=2/a.parquet": good.String()}, 70, ""},
		"no folder": {map[string]string{"deep/x=1/a.parquet": good.String()}, 0, "no .parquet file"},
	} {
		dir := t.TempDir()
		for file, text := range c.files {
			path := filepath.Join(dir, filepath.FromSlash(file))
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		in, err := formats.Inspect(dir)
		if err != nil {
			t.Fatal(err)
		}
		if got := (Format{}).Sniff(in); got != c.sure || c.sure == 0 && !strings.Contains(Format{}.WhyNot(in), c.why) {
			t.Errorf("%s: %d, want %d: %s", name, got, c.sure, Format{}.WhyNot(in))
		}
	}
}
