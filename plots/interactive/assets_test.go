package interactive

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"
)

// What others made is as they published it, in version 1.6.32 of the package uplot.
func TestTheLibraryIsUnchanged(t *testing.T) {
	for name, want := range map[string]string{
		"uPlot.iife.min.js": "19c8d4c6ad88929a79f4ae49d6f7161566dfd0ba3d15cc495e974f787eb78f1f",
		"uPlot.min.css":     "df630c6a8d6f8eeaff264b50f73ce5b114f646ffd9a0bb74f049b0a00135fa04",
	} {
		sum := sha256.Sum256([]byte(asset(name)))
		if got := hex.EncodeToString(sum[:]); got != want {
			t.Errorf("%s has the sum %s, want %s", name, got, want)
		}
	}
}

// The policy of a page forbids to make code of text, and the page is to ask nobody for anything.
func TestTheScriptMakesNoCodeAndAsksNobody(t *testing.T) {
	script := Script(true)
	for _, word := range []string{"eval(", "new Function", "innerHTML", "outerHTML =", "insertAdjacentHTML", "document.write",
		"fetch(", "XMLHttpRequest", "WebSocket", "EventSource", "import(", "</script", "localStorage"} {
		if strings.Contains(script, word) {
			t.Errorf("the script says %s", word)
		}
	}
	if strings.Contains(Style(), "url(") || strings.Contains(Style(), "@import") {
		t.Error("the style refers to something")
	}
	if strings.Contains(Script(false), "uPlot=") || len(Script(false)) >= len(script) {
		t.Error("a page without lanes has the library")
	}
}
