package metrics

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"astrolabe/capture/metrics/formula"
)

func mustGet(t testing.TB, id string) *Catalogue {
	t.Helper()
	c, err := Get(id)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestEveryEntryIsDescribedAndParses(t *testing.T) {
	for _, id := range IDs() {
		c := mustGet(t, id)
		if c.ID() != id || c.Title() == "" || len(c.Version()) != 12 {
			t.Errorf("catalogue %s: id %q, title %q, version %q", id, c.ID(), c.Title(), c.Version())
		}
		names := map[string]bool{}
		addresses := map[string]bool{}
		for _, e := range c.Entries() {
			if names[e.Name] {
				t.Errorf("%s: name %s stands twice", id, e.Name)
			}
			names[e.Name] = true
			if e.IsMetric() {
				if addresses[e.Address()] && e.Set == nil { // some of Intel's sets have two counters of one title
					t.Errorf("%s: address %s stands twice", id, e.Address())
				}
				addresses[e.Address()] = true
				if e.Name != slug(e.Name) && e.Group != "rocprofiler" { // which keep the names that its users type
					t.Errorf("%s: metric name %s is no slug", id, e.Name)
				}
			}
			for field, text := range map[string]string{"doc": e.Doc, "high": e.High, "low": e.Low, "source": e.Source, "title": e.Title, "group": e.Group} {
				if text == "" {
					t.Errorf("%s: %s has no %s", id, e.Name, field)
				}
				if (field == "doc" || field == "high" || field == "low") && !strings.HasSuffix(text, ".") {
					t.Errorf("%s: %s: %s is no sentence: %q", id, e.Name, field, text)
				}
			}
			if e.GPU != id {
				t.Errorf("%s: %s belongs to %q", id, e.Name, e.GPU)
			}
			if e.expr != nil {
				again, err := formula.Parse(e.Dialect, e.expr.String())
				if err != nil || !again.Root.Equal(e.expr.Root) {
					t.Errorf("%s: %s does not survive printing: %v", id, e.Name, err)
				}
			}
			if e.Peak != "" {
				if _, err := formula.Parse(e.Dialect, e.Peak); err != nil {
					t.Errorf("%s: peak of %s: %v", id, e.Name, err)
				}
			}
		}
	}
}

// slug is the rule by which names are made of titles.
func slug(s string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(s) {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			b.WriteRune(r)
		} else if n := b.Len(); n > 0 && b.String()[n-1] != '_' {
			b.WriteByte('_')
		}
	}
	return strings.TrimRight(b.String(), "_")
}

func TestEveryOperandOfACatalogueFormulaIsACounterOfIt(t *testing.T) {
	builtin := []string{"denom", "Start_Timestamp", "End_Timestamp", sampleTime, "cu_per_gpu", "cpus_online", "cpu_max_freq"}
	for _, id := range IDs() {
		c := mustGet(t, id)
		for _, e := range c.Entries() {
			for _, name := range e.Inputs {
				for _, in := range operandsOf(e, name) {
					if slices.Contains(builtin, in) || e.sibling(in) != nil {
						continue
					}
					if raw, err := c.Find(in); err != nil || raw.Name != in && (e.Set == nil || raw.IsMetric()) {
						t.Errorf("%s: %s reads %s, which the catalogue does not have", id, e.Name, in)
					}
				}
			}
		}
	}
}

func TestEveryAddressOfAMetricFindsIt(t *testing.T) {
	c := mustGet(t, "gfx1151")
	for addr, want := range map[string]string{
		"tcp_hit_rate":                          "tcp_hit_rate",
		"TCP Cache Performance/Hit Rate":        "tcp_hit_rate",
		"tcp cache performance/hit rate":        "tcp_hit_rate",
		"Hit Rate":                              "tcp_hit_rate",
		"803":                                   "tcp_hit_rate",
		"803.1":                                 "tcp_hit_rate",
		"Memory Chart - TCP Cache/TCP Hit Rate": "memory_chart_tcp_hit_rate",
		"TCP Hit Rate":                          "memory_chart_tcp_hit_rate",
		"301.3":                                 "icache_hit_rate",
		"VALU FLOPs (FP32)":                     "valu_flops_fp32",
		"System Speed-of-Light/L2-Fabric Read BW": "l2_fabric_read_bw",
		"$TCP_REQ_sum": "TCP_REQ_sum",
		"tcp_req_SUM":  "TCP_REQ_sum",
		"GL1CHitRate":  "gl1c_hit_rate",
		"Memory Chart - GL1C-GL2 Interface/GL1-GL2 Read Latency": "gl1_gl2_read_latency",
	} {
		e, err := c.Find(addr)
		if err != nil || e.Name != want {
			t.Errorf("Find(%q) = %v, %v; want %s", addr, e, err, want)
		}
	}
	for _, e := range c.Entries() {
		for _, addr := range []string{e.Name, "$" + e.Name, e.Address(), strings.ToUpper(e.Address())} {
			if got, err := c.Find(addr); err != nil || got != e {
				t.Errorf("Find(%q) = %v, %v", addr, got, err)
			}
		}
	}
	if e, err := mustGet(t, "cpu").Find("$CPUActivityUser"); err != nil || e.Name != "cpu_activity_user" {
		t.Errorf("CPUActivityUser: %v, %v", e, err)
	}
}

func TestUnknownAndAmbiguousNamesAreHelped(t *testing.T) {
	c := mustGet(t, "gfx1151")
	for name, near := range map[string]string{
		"tcp_hit_rat": "tcp_hit_rate", "TCP_REG_sum": "TCP_REQ_sum", "gl1c hit rtae": "gl1c_hit_rate", "wavefront occupancy x": "wavefront_occupancy",
	} {
		_, err := c.Find(name)
		var unknown *UnknownError
		if !errors.As(err, &unknown) || len(unknown.Near) == 0 || unknown.Near[0] != near {
			t.Errorf("Find(%q): %v, want %s first", name, err, near)
		}
	}
	_, err := c.Find("301")
	var ambiguous *AmbiguousError
	if !errors.As(err, &ambiguous) || len(ambiguous.Among) != 6 {
		t.Errorf("Find(301): %v", err)
	}
	if _, err := c.Find("zzzzzz"); err == nil || !strings.Contains(err.Error(), `no counter or metric "zzzzzz"`) {
		t.Errorf("Find(zzzzzz): %v", err)
	}
	if _, err := Get("gfx1115"); err == nil || !strings.Contains(err.Error(), "did you mean gfx1151?") {
		t.Errorf("Get(gfx1115): %v", err)
	}
	if _, err := Get("voodoo"); err == nil || !strings.Contains(err.Error(), "there are "+joinAnd(IDs())) {
		t.Errorf("Get(voodoo): %v", err)
	}
}

func TestMatchTakesWordsAndGlobs(t *testing.T) {
	c := mustGet(t, "gfx1151")
	names := func(pattern string) []string {
		var out []string
		for _, e := range c.Match(pattern) {
			out = append(out, e.Name)
		}
		return out
	}
	got := names("hit rate")
	for _, want := range []string{"tcp_hit_rate", "icache_hit_rate", "dcache_hit_rate", "gl1c_hit_rate", "gl2c_hit_rate", "memory_chart_tcp_hit_rate"} {
		if !slices.Contains(got, want) {
			t.Errorf("hit rate does not match %s: %v", want, got)
		}
	}
	if i, j := slices.Index(got, "gl2c_hit_rate"), slices.Index(got, "tcp_total_requests"); j >= 0 && j < i {
		t.Error("a match in the meaning comes before one in the name")
	}
	if got := names("gl1c_*_rate"); !slices.Equal(got, []string{"gl1c_hit_rate", "gl1c_starve_rate"}) {
		t.Errorf("gl1c_*_rate: %v", got)
	}
	if got := names(""); len(got) != len(c.Entries()) {
		t.Errorf("the empty pattern matches %d of %d", len(got), len(c.Entries()))
	}
	if got := names("tcp nosuchword"); got != nil {
		t.Errorf("all words must match: %v", got)
	}
}

func TestGlob(t *testing.T) {
	for _, c := range []struct {
		pattern, s string
		want       bool
	}{
		{"*", "", true}, {"a*c", "abc", true}, {"a*c", "abd", false}, {"a?c", "abc", true}, {"a?c", "ac", false},
		{"*hit*", "tcp_hit_rate", true}, {"**x", "yx", true}, {"a", "a", true}, {"a", "ab", false}, {"*a*b", "aab", true},
	} {
		if got := Glob(c.pattern, c.s); got != c.want {
			t.Errorf("Glob(%q, %q) = %v", c.pattern, c.s, got)
		}
	}
}

func TestUnitsTravel(t *testing.T) {
	for _, c := range [][3]string{
		{"bytes", "s", "bytes/s"}, {"bytes/s", "s", "bytes/(s*s)"}, {"cycles", "cycles", ""}, {"", "s", "1/s"},
		{"Bytes/s", "bytes", "1/s"}, {"requests per kernel", "requests", "1/kernel"}, {"percent", "", "percent"},
	} {
		if got := UnitDiv(c[0], c[1]); got != c[2] {
			t.Errorf("%q / %q = %q, want %q", c[0], c[1], got, c[2])
		}
	}
	for _, c := range [][3]string{{"bytes/s", "s", "bytes"}, {"", "s", "s"}, {"s", "", "s"}, {"bytes", "cycles", "bytes*cycles"}} {
		if got := UnitMul(c[0], c[1]); got != c[2] {
			t.Errorf("%q * %q = %q, want %q", c[0], c[1], got, c[2])
		}
	}
	for _, c := range []struct {
		a, b, want string
		ok         bool
	}{{"bytes", "bytes", "bytes", true}, {"bytes", "cycles", "bytes", false}, {"", "cycles", "cycles", true}, {"%", "percent", "%", true}, {"s", "", "s", true}} {
		if got, ok := UnitAdd(c.a, c.b); got != c.want || ok != c.ok {
			t.Errorf("%q + %q = %q, %v", c.a, c.b, got, ok)
		}
	}
}

func TestDamagedCatalogueFilesAreRefusedWithTheLine(t *testing.T) {
	for text, want := range map[string]string{
		"title x\n":                                                                             "no catalogue line",
		"catalogue a\n  doc x\n":                                                                "line 2: field \"doc\" before the first entry",
		"catalogue a\nmetric m\n  expr $a +\n":                                                  "line 2: metric m: streamline formula",
		"catalogue a\nmetric m\n  colour red\n":                                                 "line 3: unknown field \"colour\"",
		"catalogue a\nmetric m\n":                                                               "a metric has a formula",
		"catalogue a\ncounter c\n expr $x\n":                                                    "a counter has none",
		"catalogue a\ncounter c\n kind odd\n":                                                   "unknown kind",
		"catalogue a\nnonsense\n":                                                               "line 2: unknown key",
		"catalogue a\nzero sometimes\n":                                                         "want always or vendor",
		"catalogue a\nmetric m\n variant gfx6\n":                                                "line 3: variant \"gfx6\", want generations",
		"catalogue a\nmetric m\n variant gfx6 gl\n":                                             "a metric has a formula",
		"catalogue a\nmetric m\n variant gfx6 gl 0 of A\n expr 1\n":                             "a formula beside its variants",
		"catalogue a\ndialect klingon\n":                                                        "unknown dialect",
		"catalogue a\ncounter c\n better maybe\n":                                               "want more or less",
		"catalogue a\ncounter\n":                                                                "without a name",
		"family f\nproduct a\ncounter c\n":                                                      "has no word",
		"family f\nproduct a x\nproduct b y\ncounter c\n only z\n":                              `"z" stands for no product`,
		"family f\nproduct a x\ncounter c\n x,z unit s\n":                                       `"z" stands for no product`,
		"catalogue a\nwithout c\ncounter c\n":                                                   "no c to be without",
		"catalogue a\norder names\n":                                                            "want refs",
		"catalogue a\ncounter c\n role colour red\n":                                            `test line 3: unknown kind of role "colour", want queue, phase`,
		"catalogue a\ncounter c\n role queue\n":                                                 "line 3: the name of role",
		"catalogue a\ncounter c\n role queue Main Phase\n":                                      "line 3: the name of role",
		"catalogue a\ncounter c\n role queue q\n role queue q\n":                                "line 4: role queue:q stands twice",
		"catalogue a\ncounter c\n role queue q\ncounter d\n unit s\n role queue q\ncounter e\n": "test line 6: role queue:q is played by c and by d",
	} {
		if _, err := parseFile(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func TestACatalogueThatIsLikeNoneIsAnError(t *testing.T) {
	var kabyLake *product
	for _, p := range products() {
		if p.id == "intel-kbl-gt2" {
			kabyLake = p
		}
	}
	for want, p := range map[string]*product{
		"which there is not":    {id: "a", file: "data/cpu.metrics", like: "nowhere"},
		"which has metric sets": {id: "a", file: "data/cpu.metrics", like: kabyLake.id, base: kabyLake},
	} {
		if _, err := p.read(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// parseFile reads the first product of a file.
func parseFile(text string) (*Catalogue, error) {
	heads, err := readHead("test", strings.NewReader(text))
	if err != nil {
		return nil, err
	}
	c := &Catalogue{product: heads[0]}
	return c, c.parse(text)
}

func FuzzParseFile(f *testing.F) {
	f.Add("catalogue a\ndialect rocm\ndefault doc x\nmetric m\n\texpr SUM(A) / SUM($denom)\n\tref 1.2\ncounter A\n\tkind gauge\n")
	f.Add("family f\nproduct a x\nproduct b y\ndialect rocm\nmetric m\n\tx role queue q\n\texpr C\ncounter C\n\ty role queue q\n\trole unit u_1\n")
	f.Add("catalogue a\ndialect gpa\nzero always\nmetric m\n\tvariant gfx6,gfx7 gl 0,1,+ of CB*_X[0,1]\n\tusage items\ncounter CB_X\n")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := parseFile(text)
		if err != nil {
			return
		}
		c.readHardware()
		_, _ = c.Find("CB0_X")
		for _, e := range c.entries {
			for _, name := range append([]string{e.Name}, e.Roles...) {
				if _, err := c.Find(name); err != nil {
					var ambiguous *AmbiguousError
					var unknown *UnknownError
					if !errors.As(err, &ambiguous) && !errors.As(err, &unknown) {
						t.Fatal(err)
					}
				}
			}
		}
	})
}

func BenchmarkLoadCatalogue(b *testing.B) {
	raw, err := fs.ReadFile(files(), "data/gfx1151.metrics")
	if err != nil {
		b.Fatal(err)
	}
	text := string(raw)
	for b.Loop() {
		c, err := parseFile(text)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := c.Find("tcp_hit_rate"); err != nil {
			b.Fatal(err)
		}
	}
}

// The files are edited, and the archive is what the program holds.
func TestTheArchiveHoldsTheDataFiles(t *testing.T) {
	names, err := filepath.Glob("data/*.metrics")
	if err != nil || len(names) != len(files().File) {
		t.Fatalf("%d files, %d in the archive, %v: run go generate", len(names), len(files().File), err)
	}
	for _, name := range names {
		want, err := os.ReadFile(name)
		got, err2 := fs.ReadFile(files(), filepath.ToSlash(name))
		if err != nil || err2 != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is another in the archive, %v, %v: run go generate", name, err, err2)
		}
	}
}
