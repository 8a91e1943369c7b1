package script

import (
	"os"
	"path/filepath"

	"astrolabe/builtins/binding"
)

// Policy is what a run may touch.
type Policy struct {
	Repo string   // folder whose files may be read and loaded, see Root; "" is none
	Read []string // further files and folders that may be read: captures given, --allow-read
	// folder that may be written in and where relative output paths are taken; "" is the working directory
	Out      string
	OutFile  string // one more file that may be written: -o FILE, relative to the working directory
	AnyRead  bool   // everything that the person can read: REPL, -c, standard input
	AnyWrite bool   // everything that the person can write
	Exec     bool   // commands
	Clock    bool   // time.now
}

// Apply hands the policy to the values of a run: it sets Files, Exec and Clock of env. The error is that of newFiles.
func (p Policy) Apply(env *binding.Env) error {
	files, err := newFiles(p)
	if err != nil {
		return err
	}
	env.Files, env.Exec, env.Clock = files, p.Exec, p.Clock
	return nil
}

// repoMarks are the entries that make a folder a repository.
var repoMarks = []string{"astrolabe.toml", ".git"}

// FindRepo returns the nearest folder at or above path that holds astrolabe.toml or .git, as an absolute path. A path
// that is a file begins with its folder.
func FindRepo(path string) (root string, ok bool) {
	dir, err := filepath.Abs(path)
	if err != nil {
		return "", false
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		dir = filepath.Dir(dir)
	}
	for {
		for _, mark := range repoMarks {
			if _, err := os.Lstat(filepath.Join(dir, mark)); err == nil {
				return dir, true
			}
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", false
		}
		dir = parent
	}
}

// Root is the folder that a script at path may read: its repository, or its own folder where there is none above it.
func Root(path string) string {
	if root, ok := FindRepo(path); ok {
		return root
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return filepath.Dir(path)
	}
	return filepath.Dir(abs)
}
