package version

import (
	"runtime/debug"
	"testing"
)

func TestTheVersionIsThatOfTheTag(t *testing.T) {
	const commit = "897116c0a1b2c3d4e5f60718293a4b5c6d7e8f90"
	for _, c := range []struct{ main, revision, modified, want string }{
		{"v0.3.0", commit, "false", "0.3.0"},
		{"v1.0.0-rc.1", commit, "false", "1.0.0-rc.1"},
		{"v0.3.0", "", "", "0.3.0"}, // go install of a released version knows no commit
		{"v0.3.1-0.20261123020000-897116c0a1b2", commit, "false", "0.3.1-dev (897116c0a1b2)"},
		{"v0.3.1-0.20261123020000-897116c0a1b2+dirty", commit, "true", "0.3.1-dev (897116c0a1b2+changes)"},
		{"v1.0.0-rc.1.0.20261123020000-897116c0a1b2", commit, "false", "1.0.0-dev (897116c0a1b2)"},
		{"v0.0.0-20261123020000-897116c0a1b2", commit, "false", "0.1.0-dev (897116c0a1b2)"},
		{"(devel)", commit, "true", "0.1.0-dev (897116c0a1b2+changes)"},
		{"", "", "", "0.1.0-dev"},
	} {
		info := &debug.BuildInfo{Main: debug.Module{Version: c.main}}
		if c.revision != "" {
			info.Settings = []debug.BuildSetting{{Key: "vcs.revision", Value: c.revision},
				{Key: "vcs.modified", Value: c.modified}}
		}
		if got := of(info); got != c.want {
			t.Errorf("%s: got %s, want %s", c.main, got, c.want)
		}
	}
}
