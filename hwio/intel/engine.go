package intel

import (
	"fmt"
	"strconv"
	"strings"
)

// Engine is an engine of a GPU, as both drivers number it.
type Engine struct{ Class, Instance, GT uint16 }

// Classes of engines.
const (
	ClassRender, ClassCopy, ClassVideoDecode, ClassVideoEnhance, ClassCompute = 0, 1, 2, 3, 4
)

var classes = []string{"render", "copy", "video decode", "video enhance", "compute"}

func (e Engine) String() string {
	if int(e.Class) < len(classes) {
		return fmt.Sprintf("%s %d", classes[e.Class], e.Instance)
	}
	return fmt.Sprintf("class %d %d", e.Class, e.Instance)
}

// Engines names engines for people.
func Engines(engines []Engine) string {
	if len(engines) == 0 {
		return "no engines"
	}
	var out []string
	for _, e := range engines {
		out = append(out, e.String())
	}
	return strings.Join(out, ", ")
}

// EngineDoc is what the readers say of their option engine.
const EngineDoc = "which of the OA unit's engines the stream is opened for, by its name as doctor lists it, such as compute0 or video-decode1, or by its place among them"

// ChooseEngine finds the engine that a text names among those of an OA unit: by class and number, such as
// "video-decode0", or by its place. "" takes the first. unit names it for people.
func ChooseEngine(text, unit string, engines []Engine) (int, error) {
	fold := strings.NewReplacer(" ", "", "-", "", "_", "").Replace
	if text == "" {
		return 0, nil
	}
	if n, err := strconv.Atoi(text); err == nil {
		if n >= 0 && n < len(engines) {
			return n, nil
		}
		return 0, fmt.Errorf("%s has %d engines, and engine %d was asked for: %s", unit, len(engines), n, Engines(engines))
	}
	for i, e := range engines {
		if strings.EqualFold(fold(text), fold(e.String())) {
			return i, nil
		}
	}
	return 0, fmt.Errorf("engine %q is none of %s, which has %s", text, unit, Engines(engines))
}
