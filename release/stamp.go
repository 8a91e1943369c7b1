package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/Masterminds/semver/v3"
)

// stamp is what a release says of itself: nothing in it depends on when and where it is made.
type stamp struct {
	version    *semver.Version
	when       time.Time // of the commit, or SOURCE_DATE_EPOCH
	maintainer string
}

// stampOf takes the version, the time and the maintainer from what was asked for, from SOURCE_DATE_EPOCH, and from the commit,
// in this order.
func stampOf(r request) (stamp, error) {
	s := stamp{maintainer: r.packager}
	epoch := os.Getenv("SOURCE_DATE_EPOCH")
	commit, err := git(r.source, "log", "-1", "--format=%ct\n%an <%ae>")
	if err != nil && (r.wanted == "" || epoch == "" || r.packager == "") {
		return s, fmt.Errorf("no commit to take the version from: without one name VERSION, SOURCE_DATE_EPOCH and --maintainer: %w", err)
	}
	seconds, author, _ := strings.Cut(commit, "\n")
	if epoch != "" {
		seconds = epoch
	}
	if s.maintainer == "" {
		s.maintainer = author
	}
	n, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil || n < 0 {
		return s, fmt.Errorf("SOURCE_DATE_EPOCH is %q, want seconds since 1970", seconds)
	}
	s.when = time.Unix(n, 0).UTC()
	text := strings.TrimPrefix(r.wanted, "v")
	if text == "" {
		if text, err = described(r.source); err != nil {
			return s, err
		}
	}
	if s.version, err = semver.StrictNewVersion(text); err != nil {
		return s, fmt.Errorf("version %q: %w: want one such as 1.2.0 or 1.2.0-rc.1", text, err)
	}
	return s, nil
}

// lastTag is what git describe says of a commit: the last version, and how many commits are behind it.
var lastTag = regexp.MustCompile(`^v(\d+\.\d+\.\d+)(-[0-9A-Za-z.-]+)?-(\d+)-g[0-9a-f]+$`)

// described is the version of the commit: its tag, or that of a development version, which sorts by the time of its commit and
// before the version that follows.
func described(source string) (string, error) {
	dirty, err := git(source, "status", "--porcelain")
	if err != nil {
		return "", err
	}
	last, _ := git(source, "describe", "--tags", "--long", "--match", "v[0-9]*") // fails where there is no tag
	m := lastTag.FindStringSubmatch(last)
	if m != nil && m[3] == "0" && dirty == "" {
		return m[1] + m[2], nil
	}
	next, err := untagged(source)
	if err != nil {
		return "", err
	}
	if m != nil {
		v, err := semver.StrictNewVersion(m[1])
		if err != nil {
			return "", err
		}
		if m[2] == "" { // a candidate's own version is still to come
			*v = v.IncPatch()
		}
		next = v.String()
	}
	at, err := git(source, "log", "-1", "--format=%cd.%h", "--date=format-local:%Y%m%d%H%M%S", "--abbrev=12")
	if err != nil {
		return "", err
	}
	// With a letter before it a hash of digits alone is no number, which may not begin with a zero.
	next += "-dev." + strings.Replace(at, ".", ".g", 1)
	if dirty != "" {
		next += "+changes"
	}
	return next, nil
}

var untaggedLine = regexp.MustCompile(`(?m)^const untagged = "(\d+\.\d+\.\d+)-dev"$`)

// untagged is the version that builds without any tag call themselves.
func untagged(source string) (string, error) {
	file := filepath.Join(source, "internal", "version", "version.go")
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	m := untaggedLine.FindSubmatch(text)
	if m == nil {
		return "", fmt.Errorf("%s says no version of untagged builds", file)
	}
	return string(m[1]), nil
}

func git(dir string, args ...string) (string, error) {
	cmd := exec.Command("git", append([]string{"-C", dir}, args...)...)
	cmd.Env = append(os.Environ(), "TZ=UTC", "LC_ALL=C")
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w: %s", args[0], err, bytes.TrimSpace(said.Bytes()))
	}
	return strings.TrimSpace(string(out)), nil
}

// nameBefore is what comes before a version in Alpine's order, by the first word of what follows the minus of ours. A word that
// Alpine has not stands for a commit.
var nameBefore = map[string]string{"alpha": "alpha", "beta": "beta", "pre": "pre", "rc": "rc"}

// alpine is the version in Alpine's words, which know numbers only: 1.2.0_rc1, and 0.1.0_pre20261123231622 for a development
// version, whose commit is left out.
func alpine(v *semver.Version) string {
	out := fmt.Sprintf("%d.%d.%d", v.Major(), v.Minor(), v.Patch())
	if v.Prerelease() == "" {
		return out
	}
	parts := strings.Split(v.Prerelease(), ".")
	word := nameBefore[parts[0]]
	if word == "" {
		word = "pre"
	}
	out += "_" + word
	for _, p := range parts {
		if n, err := strconv.ParseUint(p, 10, 64); err == nil {
			return out + strconv.FormatUint(n, 10)
		}
	}
	return out
}
