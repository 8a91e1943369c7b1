package standin

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	"astrolabe/hwio/hwtest/programs"
)

// Library is the path of a stand-in, which all tests share. The test is skipped, saying so, where there is no compiler.
func Library(t testing.TB, source string, defines ...string) string {
	t.Helper()
	key := append([]string{"stand-in", source}, defines...)
	for _, name := range []string{"c/" + source, "c/rocprofiler_abi.h"} {
		text, err := sources.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		key = append(key, string(text))
	}
	for _, name := range compilers {
		if at, err := exec.LookPath(name); err == nil {
			key = append(key, at)
			if info, err := os.Stat(at); err == nil {
				key = append(key, info.ModTime().String())
			}
			break
		}
	}
	path, err := programs.Made(strings.TrimSuffix(source, ".c")+".so", key,
		func(to string) error { return Build(to, source, defines...) })
	if errors.Is(err, ErrNoCompiler) {
		t.Skip("SKIPPED:", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}
