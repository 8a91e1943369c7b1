// Package version knows which astrolabe this is.
package version

import (
	"runtime/debug"
	"sync"
)

// release is the version that the next release will have.
const release = "0.1.0-dev"

// String is the version for people and for the provenance of reports. It names the commit where the build knows one.
var String = sync.OnceValue(func() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return release
	}
	var commit, dirty string
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			commit = s.Value
		case "vcs.modified":
			if s.Value == "true" {
				dirty = "+changes"
			}
		}
	}
	if commit == "" {
		return release
	}
	return release + " (" + commit[:min(len(commit), 12)] + dirty + ")"
})
