package mapping

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"astrolabe/capture/memory"
)

// mapped counts the mappings of a file in this process.
func mapped(t *testing.T, path string) int {
	t.Helper()
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Count(string(maps), path)
}

// A session that opened the same file for hours had it mapped once for each time.
func TestAFileThatIsOpenedAgainIsMappedOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "big")
	if err := os.WriteFile(path, make([]byte, mapFrom), 0o666); err != nil {
		t.Fatal(err)
	}
	var frees []func()
	for range 50 {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		data, free, err := Load(f, mapFrom)
		f.Close()
		if err != nil || len(data) != mapFrom {
			t.Fatal(len(data), err)
		}
		frees = append(frees, free)
	}
	if n := mapped(t, path); n != 1 {
		t.Errorf("%d mappings, want 1", n)
	}
	for _, free := range frees[1:] {
		free()
	}
	if n := mapped(t, path); n != 1 {
		t.Errorf("%d mappings while one opening stands, want 1", n)
	}
	// Another file under the same name has a mapping of its own.
	if err := os.WriteFile(path+".new", make([]byte, mapFrom+4096), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	data, free, err := Load(f, mapFrom+4096)
	if err != nil || len(data) != mapFrom+4096 {
		t.Fatal(len(data), err)
	}
	free()
	frees[0]()
	if n := mapped(t, path); n != 0 {
		t.Errorf("%d mappings once every opening failed, want 0", n)
	}
}

func TestAFileThatIsCutOffWhileItIsReadIsAnError(t *testing.T) {
	path := filepath.Join(t.TempDir(), "big")
	if err := os.WriteFile(path, make([]byte, 2*mapFrom), 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	sum := 0
	err = With(f, 2*mapFrom, func(data []byte) error {
		if err := os.Truncate(path, 4096); err != nil {
			return err
		}
		for _, b := range data {
			sum += int(b)
		}
		return nil
	})
	if !errors.Is(err, memory.ErrFault) || !strings.Contains(err.Error(), path) {
		t.Errorf("%d, error %v", sum, err)
	}
	if n := mapped(t, path); n != 0 {
		t.Errorf("%d mappings are left", n)
	}
}
