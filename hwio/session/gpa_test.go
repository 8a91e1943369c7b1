package session

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/capture/formats"
	"astrolabe/capture/formats/csv"
	"astrolabe/internal/testfiles"
)

// rawCapture writes a file of hardware results and opens it.
func rawCapture(t testing.TB, names []string, rows [][]string) *capture.Capture {
	t.Helper()
	path := filepath.Join(t.TempDir(), "raw.csv")
	var b strings.Builder
	b.WriteString("time (s)," + strings.Join(names, ",") + "\n")
	for i, r := range rows {
		b.WriteString(strconv.Itoa(i) + "," + strings.Join(r, ",") + "\n")
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	c, err := formats.NewRegistry(csv.Format{}).Open(t.Context(), path, formats.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestRawResultsOfAFileGiveAMDsOwnResultsExactly(t *testing.T) {
	ctx := t.Context()
	operands := map[string][]string{}
	for _, r := range testfiles.Rows(t, "reference", "gpa_counters.csv") {
		var names []string
		for word := range strings.FieldsSeq(r["hardware_counters"]) {
			names = append(names, expand(word)...)
		}
		for api := range strings.FieldsSeq(r["apis"]) {
			operands[r["counter"]+" "+r["generation"]+" "+api] = names
		}
	}
	compared, inexact := 0, 0
	rows := testfiles.Rows(t, "vectors", "gpa_sample.csv")
	for from := 0; from < len(rows); {
		// The rows of one counter are the samples of one session.
		to := from
		for to < len(rows) && rows[to]["table"] == rows[from]["table"] && rows[to]["counter"] == rows[from]["counter"] {
			to++
		}
		group := rows[from:to]
		from = to
		r := group[0]
		names := operands[r["counter"]+" "+r["generation"]+" "+r["api"]]
		unique := with(nil, names)
		var cells [][]string
		for _, g := range group {
			raw := strings.Fields(g["raw"])
			line := make([]string, len(unique))
			for i, n := range unique {
				for k, m := range names {
					if m == n {
						line[i] = raw[k]
					}
				}
			}
			cells = append(cells, line)
		}
		opt := ResultOptions{Generation: r["generation"], API: r["api"]}
		for _, p := range []string{"num_shader_engines", "num_simds", "su_clocks_prim", "num_prim_pipes", "ts_freq"} {
			v, err := strconv.ParseFloat(r[p], 64)
			if err != nil {
				t.Fatal(err)
			}
			opt.Properties = append(opt.Properties, capture.Property{Name: p, Number: v})
		}
		s := opened(t, OverResults(rawCapture(t, unique, cells), opt))
		name := r["counter"]
		must(t, s.Enable(ByName(name)))
		session, err := s.Run(ctx, &Run{})
		must(t, err)
		index, err := s.Number(ByName(name))
		must(t, err)
		for k, g := range group {
			want, _ := strconv.ParseFloat(g["result"], 64)
			v, err := s.Result(ctx, session, uint32(k), index, "")
			if err != nil {
				t.Errorf("%s %s: %v", g["table"], name, err)
				continue
			}
			compared++
			if v.Float() != want {
				inexact++
				if math.Abs(v.Float()-want) > 1e-12*math.Abs(want) {
					t.Errorf("%s %s (%s): %v, AMD has %v", g["table"], name, g["case"], v.Float(), want)
				}
			}
		}
	}
	t.Logf("%d results, %d of them differ in the last bits", compared, inexact)
	if compared < 1000 || inexact > 0 {
		t.Errorf("compared %d results, %d differ", compared, inexact)
	}
}

func TestWhatResultsLackIsAnErrorWithTheReason(t *testing.T) {
	ctx := t.Context()
	raw := rawCapture(t, []string{"GPUTime_Bottom_To_Bottom"}, [][]string{{"27000"}})
	for _, c := range []struct {
		o    ResultOptions
		want Status
	}{
		{ResultOptions{API: "gl"}, HardwareNotSupported},
		{ResultOptions{Generation: "gfx10", API: "gl"}, HardwareNotSupported},
		{ResultOptions{Generation: "gfx8"}, APINotSupported},
		{ResultOptions{Generation: "gfx8", API: "metal"}, APINotSupported},
		{ResultOptions{Generation: "gfx9", API: "gl", ASIC: "tonga"}, HardwareNotSupported},
		{ResultOptions{API: "gl", ASIC: "nothing"}, HardwareNotSupported},
	} {
		if err := New(new(Log), OverResults(raw, c.o)).Open(ctx); !errors.Is(err, c.want) {
			t.Errorf("%+v: %v, want %s", c.o, err, c.want)
		}
	}
	s := opened(t, OverResults(raw, ResultOptions{API: "gl", ASIC: "tonga"}))
	gpuTime, busy := "gputime", "TexUnitBusy"
	must(t, s.Enable(ByName(gpuTime)), s.Enable(ByName(busy)))
	id, err := s.Run(ctx, &Run{})
	must(t, err)
	i, err := s.Number(ByName(gpuTime))
	must(t, err)
	if _, err := s.Result(ctx, id, 0, i, ""); !errors.Is(err, ReadingCounterResult) || !strings.Contains(err.Error(), "ts_freq") {
		t.Errorf("without TS_FREQ: %v", err)
	}
	i, err = s.Number(ByName(busy))
	must(t, err)
	if _, err := s.Result(ctx, id, 0, i, ""); !errors.Is(err, ReadingCounterResult) || !strings.Contains(err.Error(), "have no") {
		t.Errorf("without the hardware counters: %v", err)
	}
	if _, err := s.Run(ctx, &Run{Args: []string{"true"}}); !errors.Is(err, Failed) {
		t.Errorf("a command over stored results: %v", err)
	}
}
