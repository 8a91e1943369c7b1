package kernel

import (
	"encoding/json"
	"fmt"
	"net"
	"strconv"

	"astrolabe/capture/formats"
)

// Connection is what a connection file says: where a kernel listens, and the key of its messages.
type Connection struct {
	Transport string `json:"transport"`
	IP        string `json:"ip"`
	Shell     int    `json:"shell_port"`
	IOPub     int    `json:"iopub_port"`
	Stdin     int    `json:"stdin_port"`
	Control   int    `json:"control_port"`
	Heartbeat int    `json:"hb_port"`
	Scheme    string `json:"signature_scheme"`
	Key       string `json:"key"`
}

// ReadConnection reads a connection file.
func ReadConnection(path string) (*Connection, error) {
	data, err := formats.ReadRegular(path)
	if err != nil {
		return nil, err
	}
	c, err := parseConnection(data)
	if err != nil {
		return nil, fmt.Errorf("connection file %s: %w", path, err)
	}
	return c, nil
}

func parseConnection(data []byte) (*Connection, error) {
	c := &Connection{Transport: "tcp", IP: "127.0.0.1"}
	if err := json.Unmarshal(data, c); err != nil {
		return nil, fmt.Errorf("it is no JSON of a connection: %w", err)
	}
	if c.Transport != "tcp" && c.Transport != "ipc" {
		return nil, fmt.Errorf("transport %q is not known: there are tcp and ipc", c.Transport)
	}
	if c.IP == "" {
		return nil, fmt.Errorf("it lacks ip")
	}
	for _, p := range []struct {
		name string
		port int
	}{{"shell_port", c.Shell}, {"iopub_port", c.IOPub}, {"stdin_port", c.Stdin}, {"control_port", c.Control},
		{"hb_port", c.Heartbeat}} {
		if p.port < 1 || p.port > 65535 {
			return nil, fmt.Errorf("%s is missing or no port", p.name)
		}
	}
	if _, err := newSigner(c.Scheme, c.Key); err != nil {
		return nil, err
	}
	return c, nil
}

// address is that of a socket: for ipc a file beside the others, with the number at its end.
func (c *Connection) address(port int) (network, address string) {
	if c.Transport == "ipc" {
		return "unix", c.IP + "-" + strconv.Itoa(port)
	}
	host := c.IP
	if host == "*" {
		host = ""
	}
	return "tcp", net.JoinHostPort(host, strconv.Itoa(port))
}

// open reports whether others than this machine may reach the sockets without a key.
func (c *Connection) open() bool {
	ip := net.ParseIP(c.IP)
	return c.Key == "" && c.Transport == "tcp" && c.IP != "localhost" && (ip == nil || !ip.IsLoopback())
}
