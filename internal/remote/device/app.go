//go:build linux

package device

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"astrolabe/hwio"
)

// packageName is what Android calls an app. Nothing else is handed to its programs.
var packageName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*(\.[A-Za-z][A-Za-z0-9_]*)+$`)

// app starts an app of Android once the recording goes on, and marks while it lives: a region of its name from the
// order to start it until its process is gone, or the recording ends.
type app struct {
	name string
	proc string // /proc
	mark *hwio.Marker
}

// appLook is how often a process is looked for.
const appLook = 100 * time.Millisecond

// check finds out whether this is Android, and the app there, before anything is recorded.
func (a *app) check(ctx context.Context) error {
	if !packageName.MatchString(a.name) {
		return fmt.Errorf("%q is no package of Android, such as com.example.game", a.name)
	}
	if _, err := exec.LookPath("am"); err != nil {
		return errors.New("--app starts apps of Android, and this device has no am")
	}
	if said, err := output(ctx, "pm", "path", a.name); err != nil || !strings.Contains(said, "package:") {
		return fmt.Errorf("the device has no app %s (pm path: %s); pm list packages -3 lists those that were installed", a.name, strings.TrimSpace(said))
	}
	return nil
}

// run starts the app and waits for its end.
func (a *app) run(ctx context.Context) error {
	if err := a.mark.Begin(a.name); err != nil {
		return err
	}
	// A region that is open when the recording ends is closed by it.
	component := a.launcher(ctx)
	var said string
	var err error
	if component != "" {
		said, err = output(ctx, "am", "start", "-n", component)
	} else { // older than Android 7
		said, err = output(ctx, "monkey", "-p", a.name, "-c", "android.intent.category.LAUNCHER", "1")
	}
	if err != nil || strings.Contains(said, "Error") || strings.Contains(said, "No activities found") {
		return errors.Join(fmt.Errorf("the app %s does not start: %s", a.name, strings.TrimSpace(said)), a.mark.End(a.name))
	}
	t := time.NewTicker(appLook)
	defer t.Stop()
	lives := false
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-t.C:
		}
		now := a.lives()
		if lives && !now {
			return a.mark.End(a.name)
		}
		lives = lives || now
	}
}

// launcher is the activity that a launcher would start, "" where the device does not say.
func (a *app) launcher(ctx context.Context) string {
	said, err := output(ctx, "cmd", "package", "resolve-activity", "--brief", "-c", "android.intent.category.LAUNCHER", a.name)
	if err != nil {
		return ""
	}
	lines := strings.Fields(said)
	if n := len(lines); n > 0 && strings.HasPrefix(lines[n-1], a.name+"/") {
		return lines[n-1]
	}
	return ""
}

// lives reports whether the app has a process.
func (a *app) lives() bool {
	entries, err := os.ReadDir(a.proc)
	if err != nil {
		return false
	}
	for _, e := range entries {
		if _, err := strconv.Atoi(e.Name()); err != nil {
			continue
		}
		line, err := os.ReadFile(filepath.Join(a.proc, e.Name(), "cmdline"))
		if err != nil {
			continue
		}
		if name, _, _ := bytes.Cut(line, []byte{0}); string(name) == a.name {
			return true
		}
	}
	return false
}

// appPatience bounds how long a program of Android may take.
const appPatience = time.Minute

func output(ctx context.Context, name string, args ...string) (string, error) {
	ctx, stop := context.WithTimeout(ctx, appPatience)
	defer stop()
	out, err := exec.CommandContext(ctx, name, args...).CombinedOutput()
	return string(out), err
}
