package interactive

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"strings"
)

//go:embed assets
var assets embed.FS

// scripts are the files of the page's script, in the order in which they run; each is a function that knows what those
// before it gave to their common object.
var scripts = []string{"units.js", "data.js", "statistics.js", "lane.js", "timeline.js", "gestures.js", "bands.js",
	"range.js", "feed.js", "print.js", "tables.js", "main.js"}

// Script is the script of the page. uPlot is first: a page without lanes does without it.
func Script(lanes bool) string {
	var out strings.Builder
	if lanes {
		out.WriteString(asset("uPlot.iife.min.js"))
	}
	out.WriteString("(function(A){\"use strict\";\n")
	for _, name := range scripts {
		out.WriteString(asset(name))
	}
	out.WriteString("})({});\n")
	return out.String()
}

// Style is the style of what the script makes.
func Style() string { return asset("uPlot.min.css") + asset("page.css") }

func asset(name string) string {
	data, err := assets.ReadFile("assets/" + name)
	if err != nil {
		panic(err) // they are part of the program
	}
	return string(data)
}

// Policy is the policy of a page: nothing loads, and nothing runs or is styled but what is given here.
func Policy(scripts, styles []string) string {
	hashes := func(texts []string) string {
		if len(texts) == 0 {
			return " 'none'"
		}
		out := ""
		for _, text := range texts {
			sum := sha256.Sum256([]byte(text))
			out += " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
		}
		return out
	}
	return "default-src 'none'; img-src data:; script-src" + hashes(scripts) + "; style-src" + hashes(styles) +
		"; base-uri 'none'; form-action 'none'"
}
