package plots

import (
	"os"
	"testing"

	"astrolabe/plots/canvas"
	"astrolabe/plots/typeset"
)

// Fonts of the system would make pictures differ between machines: tests have none, unless they say which.
func TestMain(m *testing.M) {
	canvas.Setter.Store(canvas.NewSetter(func() []string { return nil }))
	os.Exit(m.Run())
}

// withFonts draws with the fonts of a file or folder until the test ends. Tests that use it must not run in parallel.
func withFonts(t *testing.T, places ...string) {
	t.Helper()
	before := canvas.Setter.Load()
	canvas.Setter.Store(canvas.NewSetter(func() []string { return places }))
	t.Cleanup(func() { canvas.Setter.Store(before) })
}

// withSystemFonts draws with the fonts of this system, and skips the test where none has the characters of a text.
func withSystemFonts(t *testing.T, text string) {
	t.Helper()
	before := canvas.Setter.Load()
	s := canvas.NewSetter(typeset.Places)
	if missing := s.Line(int(canvas.Regular), text).Missing; len(missing) > 0 {
		t.Skipf("no font of this system has %s of %q", canvas.CodePoints(missing), text)
	}
	canvas.Setter.Store(s)
	t.Cleanup(func() { canvas.Setter.Store(before) })
}
