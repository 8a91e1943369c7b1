package formats

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
)

// ErrAdministration is in the errors of CheckAdministration and of writers that were led into such a folder.
var ErrAdministration = errors.New("git keeps its own files there, which can name commands that it runs")

// CheckAdministration refuses to write to a path, absolute and without links, that is below a folder in which git keeps
// what it knows of a repository, or that could make a folder such a one. Git takes any folder with a HEAD, objects and
// refs for a repository and obeys the config in it, so a file HEAD is refused wherever it is: another program may be
// making meanwhile what belongs beside it.
//
// At and above the folder trusted, which is one that the user chose, a working tree of its own ends the search: some
// people keep working trees inside of bare repositories.
func CheckAdministration(trusted, path string) error {
	dir, name := filepath.Dir(path), filepath.Base(path)
	for last := true; ; last = false {
		makes := last || !there(dir, name)
		switch plain := FoldName(name); {
		case isGit(plain):
			return ErrAdministration
		case plain == "head" && last:
			return fmt.Errorf("a folder with a HEAD can become a repository: %w", ErrAdministration)
		case makes && besideHead[plain] && there(dir, "HEAD"):
			return fmt.Errorf("there is a HEAD beside %s in %s: %w", name, dir, ErrAdministration)
		}
		if there(dir, "HEAD") && (there(dir, "commondir") || there(dir, "objects") && there(dir, "refs")) {
			return fmt.Errorf("%s is a repository without a working tree: %w", dir, ErrAdministration)
		}
		above := filepath.Dir(dir)
		if above == dir || within(dir, trusted) && there(dir, ".git") {
			return nil
		}
		dir, name = above, filepath.Base(dir)
	}
}

// checkLed refuses to write through links into a folder .git that the path does not name.
func checkLed(path, real string) error {
	has := func(p string) bool {
		abs, err := filepath.Abs(p)
		return err != nil || slices.ContainsFunc(strings.Split(filepath.ToSlash(abs), "/"), func(name string) bool {
			return isGit(FoldName(name))
		})
	}
	if has(real) && !has(path) {
		return fmt.Errorf("a symbolic link leads to %s: %w", real, ErrAdministration)
	}
	return nil
}

// isGit reports whether a folded name is that of git's folder; git~1 is its name for programs of DOS.
func isGit(plain string) bool { return plain == ".git" || strings.HasPrefix(plain, "git~") }

// besideHead are what git looks for beside a HEAD.
var besideHead = map[string]bool{"config": true, "config.worktree": true, "objects": true, "refs": true,
	"commondir": true, "gitdir": true, "hooks": true}

func there(dir, name string) bool {
	_, err := os.Lstat(filepath.Join(dir, name))
	return err == nil
}

// within reports whether path is dir or below it.
func within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// FoldName makes one of all names of an entry that some file system takes for the same, as far as they can be told from
// the name: HFS+ passes over characters that have no form, Windows over dots and spaces at the end and what stands
// behind a colon (a stream of the file), and several over case.
func FoldName(name string) string {
	name, _, _ = strings.Cut(name, ":")
	name = strings.Map(func(r rune) rune {
		switch {
		case r >= 0x200c && r <= 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x206a && r <= 0x206f, r == 0xfeff:
			return -1
		}
		least := r
		for o := unicode.SimpleFold(r); o != r; o = unicode.SimpleFold(o) {
			least = min(least, o)
		}
		return unicode.ToLower(least)
	}, name)
	if trimmed := strings.TrimRight(name, ". "); trimmed != "" {
		return trimmed
	}
	return name
}
