// Package version knows which astrolabe this is.
package version

import (
	"regexp"
	"runtime/debug"
	"strings"
	"sync"
)

// untagged is the version of a build that knows no tag: of a checkout without any, or of `go run`.
const untagged = "0.1.0-dev"

// released is the version that a release was made as: the linker sets it (-X), since packages are to be the same wherever
// they are built, also from sources without git. It is empty in all other builds.
var released string

// String is the version for people and for the provenance of reports: that of the tag that was built, or the one after
// the last tag with the commit where the build knows one.
var String = sync.OnceValue(func() string {
	if released != "" {
		return released
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return untagged
	}
	return of(info)
})

// pseudo is what Go calls a commit without a tag: v0.0.0-DATE-COMMIT where no commit before it has one, else
// vX.Y.(Z+1)-0.DATE-COMMIT, where Z is that of the last tag.
var pseudo = regexp.MustCompile(`^v(\d+\.\d+\.\d+)-(0\.|[^+]*\.0\.)?\d{14}-[0-9a-f]{12}(\+.*)?$`)

func of(info *debug.BuildInfo) string {
	var commit, dirty string
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			commit = s.Value[:min(len(s.Value), 12)]
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = "+changes"
		}
	}
	release := untagged
	if m := pseudo.FindStringSubmatch(info.Main.Version); m != nil {
		if m[2] != "" {
			release = m[1] + "-dev"
		}
	} else if tag, ok := strings.CutPrefix(info.Main.Version, "v"); ok && dirty == "" {
		return tag
	}
	if commit == "" {
		return release
	}
	return release + " (" + commit + dirty + ")"
}
