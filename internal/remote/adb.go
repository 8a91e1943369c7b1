package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"
)

// ADB is a link by the server of the user's adb program, which the program starts.
type ADB struct {
	serial string
	addr   string // of the server
}

// NewADB returns a link to a device, "" for the only one that there is.
func NewADB(ctx context.Context, serial string) (*ADB, error) {
	if strings.HasPrefix(serial, "-") || strings.ContainsAny(serial, " \t\x00\n\r") {
		return nil, fmt.Errorf("%q is no serial number: adb would take it for something else", serial)
	}
	if _, err := exec.LookPath("adb"); err != nil {
		return nil, fmt.Errorf("no adb program is found (%w): install the platform tools of Android", err)
	}
	out, err := exec.CommandContext(ctx, "adb", "devices").Output()
	if err != nil {
		return nil, fmt.Errorf("adb devices: %s", programSaid(err))
	}
	if serial, err = choose(deviceList(string(out)), serial); err != nil {
		return nil, err
	}
	addr, err := serverAddress(os.Getenv)
	return &ADB{serial: serial, addr: addr}, err
}

// programSaid is what a program said that failed.
func programSaid(err error) string {
	var exit *exec.ExitError
	if errors.As(err, &exit) && len(exit.Stderr) > 0 {
		return strings.TrimSpace(string(exit.Stderr))
	}
	return err.Error()
}

// adbDevice is a line of adb devices.
type adbDevice struct{ serial, state string }

func deviceList(text string) (list []adbDevice) {
	for line := range strings.Lines(text) {
		serial, state, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if ok {
			list = append(list, adbDevice{strings.TrimSpace(serial), strings.TrimSpace(state)})
		}
	}
	return list
}

// choose finds the device that is meant, and says what to do where it cannot be used.
func choose(list []adbDevice, serial string) (string, error) {
	var ready, all []string
	for _, d := range list {
		if d.serial == serial {
			return serial, stateError(d)
		}
		all = append(all, d.serial+" ("+d.state+")")
		if d.state == "device" {
			ready = append(ready, d.serial)
		}
	}
	switch {
	case serial != "" && len(list) == 0:
		return "", fmt.Errorf("adb sees no device, and none that is called %s: connect it, or adb connect it", serial)
	case serial != "":
		return "", fmt.Errorf("adb sees no device that is called %s; there is %s", serial, strings.Join(all, ", "))
	case len(ready) == 1:
		return ready[0], nil
	case len(ready) > 1:
		return "", fmt.Errorf("adb sees several devices: say which, as in --adb %s; there is %s", ready[0],
			strings.Join(all, ", "))
	case len(list) == 1:
		return "", stateError(list[0])
	case len(list) > 1:
		return "", fmt.Errorf("adb sees no device that is ready; there is %s", strings.Join(all, ", "))
	}
	return "", errors.New("adb sees no device: connect one by USB with debugging switched on (Developer options), or by adb connect HOST:PORT")
}

func stateError(d adbDevice) error {
	do := "it must be started normally"
	switch word, _, _ := strings.Cut(d.state, " "); word {
	case "device":
		return nil
	case "unauthorized":
		do = "allow debugging in the dialog on its screen, then try again"
	case "authorizing", "connecting":
		do = "try again in a moment"
	case "offline":
		do = "connect it anew, or adb reconnect offline"
	case "no":
		do = "this user may not open its USB device: install the udev rules of Android's tools, then connect it anew"
	}
	return broken("adb: %s is %s: %s", d.serial, d.state, do)
}

// serverAddress is where the adb program has its server, by the variables that it looks at too.
func serverAddress(getenv func(string) string) (string, error) {
	host, port := "127.0.0.1", "5037"
	if h := getenv("ANDROID_ADB_SERVER_ADDRESS"); h != "" {
		host = h
	}
	if p := getenv("ANDROID_ADB_SERVER_PORT"); p != "" {
		port = p
	}
	if s := getenv("ADB_SERVER_SOCKET"); s != "" {
		rest, ok := strings.CutPrefix(s, "tcp:")
		if !ok {
			return "", fmt.Errorf("ADB_SERVER_SOCKET=%s is no tcp:HOST:PORT, which alone works here", s)
		}
		if !strings.Contains(rest, ":") {
			return net.JoinHostPort(host, rest), nil
		}
		h, p, err := net.SplitHostPort(rest)
		if err != nil {
			return "", fmt.Errorf("ADB_SERVER_SOCKET: %w", err)
		}
		host, port = h, p
	}
	return net.JoinHostPort(host, port), nil
}

// Name is the serial number.
func (a *ADB) Name() string { return a.serial }

// Folders are that of Android's shell, and those of other systems that run adbd.
func (a *ADB) Folders() []Folder {
	return []Folder{{Words: "/data/local/tmp/astrolabe", Below: "/data/local/tmp"}, {Words: `/tmp/astrolabe-"$(id -u)"`, Shared: true},
		{Words: `/dev/shm/astrolabe-"$(id -u)"`, Shared: true}}
}

// Run runs a script.
func (a *ADB) Run(ctx context.Context, script string) (string, error) {
	c, err := a.open(ctx, marked(script))
	if err != nil {
		return "", err
	}
	defer c.Close()
	defer context.AfterFunc(ctx, func() { c.Close() })()
	out, err := io.ReadAll(io.LimitReader(c, 1<<20))
	if err != nil {
		return "", broken("adb: %s: %v", a.serial, err)
	}
	return outcome(string(out))
}

// Push copies a file by the program.
func (a *ADB) Push(ctx context.Context, file, to string) error {
	cmd := exec.CommandContext(ctx, "adb", "-s", a.serial, "push", file, to)
	ownGroup(cmd)
	if out, err := cmd.CombinedOutput(); err != nil {
		said := strings.TrimSpace(string(out))
		if strings.Contains(said, "not found") || strings.Contains(said, "offline") || strings.Contains(said, "closed") {
			return broken("adb push: %s", said)
		}
		return fmt.Errorf("adb push: %s", said)
	}
	return nil
}

// Open runs a script as a stream of bytes: not as a terminal, which old versions of adb make of it otherwise.
func (a *ADB) Open(ctx context.Context, script string) (Stream, error) {
	c, err := a.open(ctx, script)
	if err != nil {
		return nil, err
	}
	return &adbStream{Conn: c}, nil
}

// Close ends nothing: adb's server serves others too.
func (a *ADB) Close() {}

// open asks the server for a service of the device.
func (a *ADB) open(ctx context.Context, script string) (net.Conn, error) {
	var d net.Dialer
	c, err := d.DialContext(ctx, "tcp", a.addr)
	if err != nil {
		// It was ended; the program starts it.
		cmd := exec.CommandContext(ctx, "adb", "start-server")
		ownGroup(cmd)
		if _, err := cmd.Output(); err != nil {
			return nil, broken("adb start-server: %s", programSaid(err))
		}
		if c, err = d.DialContext(ctx, "tcp", a.addr); err != nil {
			return nil, broken("adb's server does not answer: %v", err)
		}
	}
	for _, service := range []string{"host:transport:" + a.serial, "exec:" + script} {
		if err := request(c, service); err != nil {
			c.Close()
			return nil, broken("adb: %s: %v", a.serial, err)
		}
	}
	return c, nil
}

// longestService is what old servers take.
const longestService = 1023

// answerTime is how long a server may think about a request.
const answerTime = time.Minute

// request sends a request and reads whether it is granted.
func request(c net.Conn, service string) error {
	if len(service) > longestService {
		return fmt.Errorf("a request of %d bytes, adb takes %d", len(service), longestService)
	}
	if err := c.SetDeadline(time.Now().Add(answerTime)); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(c, "%04x%s", len(service), service); err != nil {
		return err
	}
	var word [4]byte
	if _, err := io.ReadFull(c, word[:]); err != nil {
		return fmt.Errorf("adb's server says nothing: %w", err)
	}
	switch string(word[:]) {
	case "OKAY":
		return c.SetDeadline(time.Time{})
	case "FAIL":
		if _, err := io.ReadFull(c, word[:]); err != nil {
			return err
		}
		n, err := strconv.ParseUint(string(word[:]), 16, 16)
		if err != nil {
			return fmt.Errorf("adb's server says %q", word)
		}
		text := make([]byte, n)
		if _, err := io.ReadFull(c, text); err != nil {
			return err
		}
		return errors.New(string(text))
	}
	return fmt.Errorf("adb's server says %q", word)
}

type adbStream struct {
	net.Conn
	once sync.Once
}

// Close ends the program on the device.
func (s *adbStream) Close() (err error) {
	s.once.Do(func() { err = s.Conn.Close() })
	return err
}

// Why is nothing: a device says no more than that it is gone.
func (s *adbStream) Why() string { return "" }
