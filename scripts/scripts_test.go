package scripts

import (
	"io/fs"
	"os"
	"strings"
	"testing"
)

// TestTheLibraryHoldsAllScriptsAndTheTestsThatAreCopied: what is embedded is listed by name, so that a new script can be
// forgotten.
func TestTheLibraryHoldsAllScriptsAndTheTestsThatAreCopied(t *testing.T) {
	for _, folder := range []string{"lib", "tables", "triage"} {
		err := fs.WalkDir(os.DirFS("."), folder, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			_, missing := fs.Stat(Library, path)
			wanted := true
			if tested, isTest := strings.CutSuffix(path, "_test.star"); isTest {
				_, err := os.Stat(tested + ".star")
				wanted = folder == "triage" && err == nil
			}
			if wanted != (missing == nil) {
				t.Errorf("%s: wanted: %v; embedded: %v", path, wanted, missing == nil)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
