package scripts

import (
	"io/fs"
	"os"
	"strings"
	"testing"
)

// TestTheLibraryHoldsAllScriptsAndNoTests: what is embedded is listed by name, so that a new script can be forgotten.
func TestTheLibraryHoldsAllScriptsAndNoTests(t *testing.T) {
	for _, folder := range []string{"lib", "tables", "triage"} {
		err := fs.WalkDir(os.DirFS("."), folder, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			_, missing := fs.Stat(Library, path)
			if test := strings.HasSuffix(path, "_test.star"); test != (missing != nil) {
				t.Errorf("%s: a test: %v; embedded: %v", path, test, missing == nil)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
