package typeset

import (
	"os"
	"path/filepath"
	"runtime"
)

// Variable is the environment variable that names files and folders of fonts, as PATH does. Where it is set, nothing
// else is searched: empty, it turns the fonts of the system off.
const Variable = "ASTROLABE_FONTS"

// Places are the files and folders that fonts are searched in: those of Variable, else where this system keeps them.
func Places() []string {
	if list, set := Named(); set {
		return list
	}
	home, _ := os.UserHomeDir() // without one, its folders are not searched
	return places(runtime.GOOS, home, os.Getenv)
}

// Named are the places in Variable, and whether it is set.
func Named() (places []string, set bool) {
	list, set := os.LookupEnv(Variable)
	for _, p := range filepath.SplitList(list) {
		if p != "" {
			places = append(places, p)
		}
	}
	return places, set
}

// places are the folders of a system. Of a system that is not known, those of all free ones are searched.
func places(system, home string, env func(string) string) []string {
	var out []string
	add := func(base string, rest ...string) {
		if base != "" {
			out = append(out, filepath.Join(append([]string{base}, rest...)...))
		}
	}
	switch system {
	case "windows":
		windows := env("SystemRoot")
		if windows == "" {
			windows = env("WINDIR")
		}
		add(windows, "Fonts")
		add(env("LOCALAPPDATA"), "Microsoft", "Windows", "Fonts")
	case "darwin", "ios":
		add("/System/Library/Fonts")
		// what is loaded on demand, by version of the system
		add("/System/Library/AssetsV2/com_apple_MobileAsset_Font8")
		add("/System/Library/AssetsV2/com_apple_MobileAsset_Font7")
		add("/System/Library/AssetsV2/com_apple_MobileAsset_Font6")
		add("/Library/Fonts")
		add("/Network/Library/Fonts")
		add(home, "Library", "Fonts")
	case "android":
		add("/system/fonts")
		add("/system_ext/fonts")
		add("/product/fonts")
		add("/data/fonts")
	default:
		add("/usr/share/fonts")
		add("/usr/local/share/fonts")
		add("/usr/X11R6/lib/X11/fonts")
		add("/run/host/fonts") // of the host, in a Flatpak
		add("/run/host/local-fonts")
		add("/run/current-system/sw/share/X11/fonts") // NixOS
		for _, dir := range filepath.SplitList(env("XDG_DATA_DIRS")) {
			add(dir, "fonts")
		}
		if data := env("XDG_DATA_HOME"); data != "" {
			add(data, "fonts")
		} else {
			add(home, ".local", "share", "fonts")
		}
		add(home, ".fonts")
		add("/system/fonts") // a Linux program pushed to a phone
		add("/product/fonts")
	}
	return out
}
