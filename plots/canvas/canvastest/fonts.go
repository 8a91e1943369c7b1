package canvastest

import (
	"astrolabe/plots/canvas"
	"astrolabe/plots/typeset"
	"astrolabe/plots/typeset/fonttest"
	"os"
	"path/filepath"
	"testing"
)

// WithFonts draws with the fonts of a file or folder until the test ends. Tests that use it must not run in parallel.
func WithFonts(t testing.TB, places ...string) {
	t.Helper()
	before := canvas.Setter.Load()
	canvas.Setter.Store(canvas.NewSetter(func() []string { return places }))
	t.Cleanup(func() { canvas.Setter.Store(before) })
}

// WithSystemFonts draws with the fonts of this system, and skips the test where none has the characters of a text.
func WithSystemFonts(t testing.TB, text string) {
	t.Helper()
	before := canvas.Setter.Load()
	s := canvas.NewSetter(typeset.Places)
	if missing := s.Line(int(canvas.Regular), text).Missing; len(missing) > 0 {
		t.Skipf("no font of this system has %s of %q", canvas.CodePoints(missing), text)
	}
	canvas.Setter.Store(s)
	t.Cleanup(func() { canvas.Setter.Store(before) })
}

// ForeignText is what tests of foreign text are made of.
const ForeignText = "温度日本語のタイトル表値段階"

// ForeignFont writes a font of triangles with the characters of a text into a folder of the test.
func ForeignFont(t testing.TB, family, text string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "Test-Regular.ttf"), fonttest.Make(family, 1000, []rune(text)...),
		0o666); err != nil {
		t.Fatal(err)
	}
	return dir
}

// WithoutFonts runs the tests of a package without fonts of the system, which would make pictures differ between
// machines.
func WithoutFonts(m *testing.M) int {
	canvas.Setter.Store(canvas.NewSetter(func() []string { return nil }))
	return m.Run()
}
