package fleet

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func journal(t *testing.T, path, key string, resume bool) (*Store, map[string]Saved, int64) {
	t.Helper()
	s, saved, dropped, err := OpenJournal(path, key, resume)
	if err != nil {
		t.Fatal(err)
	}
	return s, saved, dropped
}

// Wherever a run is killed while it writes, the next one has all outcomes that were whole, and no other.
func TestAJournalThatWasCutOffAnywhereKeepsWhatIsWhole(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.journal")
	s, _, _ := journal(t, path, "k", false)
	var ends []int64
	for i := range 3 {
		o := Outcome{Capture: fmt.Sprint("c", i), Hash: "h", Status: OK, Rows: []Row{{{"a", Int, fmt.Sprint(i)}}}}
		if _, err := s.Add(&o); err != nil {
			t.Fatal(err)
		}
		ends = append(ends, s.size)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for cut := range len(whole) + 1 {
		if err := os.WriteFile(path, whole[:cut], 0o666); err != nil {
			t.Fatal(err)
		}
		s, saved, _ := journal(t, path, "k", true)
		want := 0
		for _, end := range ends {
			if int64(cut) >= end {
				want++
			}
		}
		if len(saved) != want {
			t.Fatalf("cut at %d: %d outcomes, want %d", cut, len(saved), want)
		}
		at, err := s.Add(&Outcome{Capture: "new", Status: Failed, Error: "é"})
		if err != nil {
			t.Fatal(err)
		}
		if o, err := s.Read(at); err != nil || o.Capture != "new" || o.Error != "é" {
			t.Fatalf("cut at %d: read %+v, %v", cut, o, err)
		}
		for capture, sv := range saved {
			if o, err := s.Read(sv.At); err != nil || o.Capture != capture || len(o.Rows) != 1 || o.Hash != sv.Hash {
				t.Fatalf("cut at %d: read %+v, %v", cut, o, err)
			}
		}
		s.Close()
		s, saved, dropped := journal(t, path, "k", true)
		if len(saved) != want+1 || dropped != 0 {
			t.Fatalf("cut at %d: after another run %d outcomes, %d bytes dropped", cut, len(saved), dropped)
		}
		s.Close()
	}
}

func TestAJournalOfSomethingElseIsNotTakenOver(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.journal")
	s, _, _ := journal(t, path, "k", false)
	if _, err := s.Add(&Outcome{Capture: "c", Status: OK}); err != nil {
		t.Fatal(err)
	}
	if _, _, _, err := OpenJournal(path, "k", false); !errors.Is(err, ErrJournal) {
		t.Errorf("it was begun anew: %v", err)
	}
	s.Close()
	s, saved, _ := journal(t, path, "other script", true)
	if len(saved) != 0 {
		t.Error("the outcomes of another script were taken over")
	}
	s.Close()
	for name, text := range map[string]string{"foreign": "my notes\nof today\n", "later": `{"astrolabe_map":9,"key":"k"}` + "\n"} {
		file := filepath.Join(t.TempDir(), name)
		os.WriteFile(file, []byte(text), 0o666)
		if _, _, _, err := OpenJournal(file, "k", true); err == nil {
			t.Errorf("%s was taken for a journal", name)
		}
		if now, _ := os.ReadFile(file); string(now) != text {
			t.Errorf("%s was changed", name)
		}
	}
}

func TestAStoreThatNobodySeesIsGoneAfterwards(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	s, err := NewStore()
	if err != nil {
		t.Fatal(err)
	}
	if at, err := s.Add(&Outcome{Capture: "c", Status: OK}); err != nil || at == 0 {
		t.Errorf("at %d, %v", at, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(s.f.Name()); err == nil {
		t.Error("it is still there")
	}
}

func FuzzJournal(f *testing.F) {
	f.Add([]byte("{\"astrolabe_map\":1,\"key\":\"k\"}\n{\"capture\":\"a\",\"status\":\"ok\",\"rows\":[[[\"x\",\"i\",\"1\"]]]}\n"))
	f.Add([]byte("{\"astrolabe_map\":1,\"key\":\"k\"}\n{\"capture\":\"a\",\"sta"))
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "j")
		os.WriteFile(path, data, 0o666)
		s, saved, _, err := OpenJournal(path, "k", true)
		if err != nil {
			return
		}
		defer s.Close()
		for capture, sv := range saved {
			o, err := s.Read(sv.At)
			if err != nil || o.Capture != capture {
				t.Fatalf("%s: %+v, %v", capture, o, err)
			}
			var cols Columns
			cols.Add(0, o.Rows)
			for _, form := range []Form{CSVForm, JSONLinesForm, ParquetForm} {
				keys := make([]string, 0)
				for _, l := range Labels(o.Capture) {
					keys = append(keys, l.Key)
				}
				if Taken(o.Rows, Fixed(keys)) != "" {
					return
				}
				table, err := NewTable(&bytes.Buffer{}, form, keys, &cols)
				if err != nil {
					continue
				}
				if err := errors.Join(table.Add(o), table.Close()); err != nil {
					t.Fatalf("%s of %+v: %v", form, o, err)
				}
			}
		}
	})
}

func FuzzFrame(f *testing.F) {
	var frame bytes.Buffer
	if err := writeFrame(&frame, frameTalk, "hello"); err != nil {
		f.Fatal(err)
	}
	f.Add(frame.Bytes())
	f.Add([]byte("O\xff\xff\xff\xff{}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		r := bytes.NewReader(data)
		for {
			kind, body, err := readFrame(r)
			if err != nil {
				return
			}
			var o Outcome
			var again bytes.Buffer
			if kind != frameOutcome || decode(body, &o) != nil {
				continue
			}
			if err := writeFrame(&again, kind, o); err != nil {
				t.Fatal(err)
			}
			_, body, err = readFrame(&again)
			var second Outcome
			if err = errors.Join(err, decode(body, &second)); err != nil || len(second.Rows) != len(o.Rows) {
				t.Fatalf("%+v became %+v: %v", o, second, err)
			}
		}
	})
}

func TestColumnsDoNotDependOnTheOrderInWhichCapturesCome(t *testing.T) {
	rows := [][]Row{
		{{{"a", Int, "1"}, {"n", Null, ""}}, {{"b", Float, "1.5"}}},
		{{{"c", Bool, "true"}, {"a", Int, "9223372036854775808"}}},
		{{{"b", Int, "3"}, {"d", JSON, "[1]"}, {"a", Int, "-5"}, {"e", Float, ""}}},
		{{{"f", Int, "100000000000000000000"}, {"c", Text, "x"}}},
	}
	const want = "[{a 3} {n 0} {b 4} {c 0} {d 0} {e 4} {f 0}]"
	for _, order := range [][]int{{0, 1, 2, 3}, {3, 2, 1, 0}, {2, 0, 3, 1}} {
		var c Columns
		for _, i := range order {
			c.Add(i, rows[i])
		}
		if got := fmt.Sprint(c.List()); got != want {
			t.Errorf("in the order %v: %s, want %s", order, got, want)
		}
	}
}

func TestInputs(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, file := range []string{"a.csv", "b.csv", "[x].csv", "set/build=1/device=m/c.arrow", "set/build=2/c.arrow",
		"set/build=2/_SUCCESS", "set/build=2/.c.arrow.tmp-1", "set/build=2/notes", "set/work/one/pmc.csv", "deep/x/y/z.CSV"} {
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		args, want string
		left       int
	}{
		{"b.csv a.csv b.csv", "b.csv a.csv", 0},
		{"*.csv", "[x].csv a.csv b.csv", 0},
		{"[x].csv", "[x].csv", 0},
		{"[ab].csv", "a.csv b.csv", 0},
		{"{b,a}.csv absent.csv", "a.csv b.csv absent.csv", 0},
		{"**/*.arrow", "set/build=1/device=m/c.arrow set/build=2/c.arrow", 0},
		{"deep/**", "deep/x/y/z.CSV", 0},
		{"set", "set/build=1/device=m/c.arrow set/build=2/c.arrow set/work/one", 1},
		{"set/work/one", "set/work/one", 0},
		{"deep a.csv", "deep/x/y/z.CSV a.csv", 0},
	} {
		in := Inputs{Endings: []string{"csv", "arrow"}, Claimed: func(dir string) bool { return filepath.Base(dir) == "one" }}
		got, err := in.Expand(strings.Fields(c.args))
		if text := filepath.ToSlash(strings.Join(got, " ")); err != nil || text != c.want || in.LeftOut != c.left {
			t.Errorf("%s: %s (%d left out), %v; want %s", c.args, text, in.LeftOut, err, c.want)
		}
	}
	for _, bad := range []string{"*.none", "[a"} {
		if got, err := (&Inputs{}).Expand([]string{bad}); err == nil {
			t.Errorf("%s gives %v", bad, got)
		}
	}
}

func TestLists(t *testing.T) {
	for text, want := range map[string]string{"a b\r\nc\n\n": "a b|c", "a\nb\x00c\x00": "a\nb|c", "": "", "x": "x", "x\nx\n": "x"} {
		if got := strings.Join(ParseList([]byte(text)), "|"); got != want {
			t.Errorf("%q gives %q, want %q", text, got, want)
		}
	}
}

func TestLabelsOfFolders(t *testing.T) {
	for path, want := range map[string]string{
		"a=1.csv": "[]", "x/build=a%2Fb/device=m 1/f.arrow": "[{build a/b false} {device m 1 false}]",
		"k=" + noValue + "/f": "[{k " + noValue + " true}]", "k=1/k=2/f": "[{k 2 false}]", "=1/.k=2/-k=3/k k=4/f": "[]",
		"k=/k2=%zz/f": "[{k  false} {k2 %zz false}]",
	} {
		if got := fmt.Sprint(Labels(path)); got != want {
			t.Errorf("%s gives %s, want %s", path, got, want)
		}
	}
}

func TestEveryCaptureIsInOneShard(t *testing.T) {
	var paths []string
	for i := range 1000 {
		paths = append(paths, fmt.Sprintf("farm/%d.arrow", i))
	}
	var all []string
	for i := range 7 {
		part := Shard{i + 1, 7}.Keep(paths)
		if len(part) < 100 || len(part) > 190 {
			t.Errorf("part %d has %d of 1000 captures", i+1, len(part))
		}
		// A capture stays in its part whatever the others are.
		if again := (Shard{i + 1, 7}).Keep(part[:10]); !slices.Equal(again, part[:10]) {
			t.Errorf("part %d depends on the other captures", i+1)
		}
		all = append(all, part...)
	}
	slices.Sort(all)
	slices.Sort(paths)
	if !slices.Equal(all, paths) {
		t.Error("the parts are not the whole")
	}
	for _, bad := range []string{"", "1", "0/4", "5/4", "a/4", "1/0", "-1/4", "1/4/2"} {
		if s, err := ParseShard(bad); err == nil {
			t.Errorf("%q is %v", bad, s)
		}
	}
	if s, err := ParseShard("2/8"); err != nil || s != (Shard{2, 8}) {
		t.Errorf("2/8 is %v, %v", s, err)
	}
}

func FuzzInputs(f *testing.F) {
	f.Add("a=1/b\n[x")
	f.Fuzz(func(t *testing.T, text string) {
		t.Chdir(t.TempDir())
		for _, p := range ParseList([]byte(text)) {
			Labels(p)
		}
		ParseShard(text)
		if !strings.ContainsAny(text, "/\\.") { // nothing above the folder
			(&Inputs{Claimed: func(string) bool { return false }}).Expand([]string{text})
		}
	})
}
