package charts

import (
	"os"
	"testing"

	"astrolabe/plots/canvas/canvastest"
)

func TestMain(m *testing.M) { os.Exit(canvastest.WithoutFonts(m)) }
