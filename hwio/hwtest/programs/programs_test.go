package programs

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// inStore makes dir the user's folder of caches, for this process and those that it starts.
func inStore(t *testing.T) (dir string) {
	t.Helper()
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		t.Skip("the folder of caches of this system cannot be named by the environment")
	}
	dir = t.TempDir()
	t.Setenv("XDG_CACHE_HOME", dir)
	return filepath.Join(dir, "astrolabe-test-programs")
}

// TestMain is also the program that asks for a file at the same time as others.
func TestMain(m *testing.M) {
	if count := os.Getenv("PROGRAMS_TEST_COUNT"); count != "" {
		path, err := Made("thing", []string{"a key"}, func(to string) error {
			f, err := os.OpenFile(count, os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o600)
			if err != nil {
				return err
			}
			if _, err := f.WriteString("made\n"); err != nil {
				return err
			}
			return errors.Join(f.Close(), os.WriteFile(to, []byte("whole"), 0o700))
		})
		text, rerr := os.ReadFile(path)
		if err != nil || rerr != nil || string(text) != "whole" {
			fmt.Println(err, rerr, string(text))
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestManyProcessesMakeAFileOnce(t *testing.T) {
	inStore(t)
	count := filepath.Join(t.TempDir(), "count")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), "PROGRAMS_TEST_COUNT="+count)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	all.Wait()
	if text, err := os.ReadFile(count); err != nil || string(text) != "made\n" {
		t.Errorf("%v: made as often as there are lines:\n%s", err, text)
	}
}

func TestWhatFailsIsMadeAgainAndNeverFound(t *testing.T) {
	s := &store{t.TempDir(), 0}
	broken := errors.New("broken")
	_, err := s.get("id", "thing", func(to string) error { return errors.Join(os.WriteFile(to, []byte("half"), 0o600), broken) })
	if !errors.Is(err, broken) {
		t.Errorf("the error is %v", err)
	}
	path, err := s.get("id", "thing", func(to string) error { return os.WriteFile(to, []byte("whole"), 0o600) })
	if err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "whole" {
		t.Errorf("%q, %v", text, err)
	}
}

func TestOldFilesGoUnlessSomebodyUsesThem(t *testing.T) {
	s := &store{t.TempDir(), 250}
	put := func(id string) string {
		path, err := s.get(id, "thing", func(to string) error { return os.WriteFile(to, bytes.Repeat([]byte("x"), 100), 0o600) })
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	there := func() (ids string) {
		for _, id := range []string{"a", "b", "c", "d", "e"} {
			if _, err := os.Stat(filepath.Join(s.dir, id, "thing")); err == nil {
				ids += id
			}
		}
		return ids
	}
	released := func() {
		heldMu.Lock()
		defer heldMu.Unlock()
		for _, f := range held {
			if strings.HasPrefix(f.Name(), s.dir) {
				f.Close()
			}
		}
		held = nil
	}
	for _, id := range []string{"a", "b", "c", "d"} {
		put(id)
	}
	if got := there(); got != "abcd" {
		t.Errorf("of what this process uses %q stayed", got)
	}
	released()
	put("e")
	if got := there(); len(got) != 2 || !strings.HasSuffix(got, "e") {
		t.Errorf("%q stayed, want e and one of the others", got)
	}
	released()
}

func TestTheKeyFollowsTheSourcesAndNothingElse(t *testing.T) {
	root := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	key := func() string {
		treesMu.Lock()
		clear(trees)
		treesMu.Unlock()
		k, err := treeKey(root)
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	t.Cleanup(func() {
		treesMu.Lock()
		defer treesMu.Unlock()
		clear(trees)
	})
	for _, name := range []string{"go.mod", "main.go", "a/a.go", "a/data.csv"} {
		write(name, "1")
	}
	before := key()
	for _, name := range []string{"a/a_test.go", "a/testdata/x", "docs/page.md", "README.md", ".git/HEAD", "astrolabe"} {
		write(name, "2")
		if key() != before {
			t.Errorf("%s changes the key", name)
		}
	}
	for _, name := range []string{"go.mod", "main.go", "a/a.go", "a/data.csv", "a/new.go"} {
		write(name, "2")
		after := key()
		if after == before {
			t.Errorf("%s does not change the key", name)
		}
		before = after
	}
}

func TestAProgramIsBuiltAndRuns(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds a program")
	}
	path := Path(t, "astrolabe/hwio/hwtest/cmd/emulate")
	if out, err := exec.Command(path, "--list").CombinedOutput(); err != nil || !bytes.Contains(out, []byte("gfx9")) {
		t.Errorf("%v: %s", err, out)
	}
	if again := Path(t, "astrolabe/hwio/hwtest/cmd/emulate"); again != path {
		t.Errorf("%s, then %s", path, again)
	}
	if _, err := Program("astrolabe/no/such/program"); err == nil {
		t.Error("what does not exist was built")
	}
}
