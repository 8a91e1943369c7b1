package guests

import (
	"bufio"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// qtest is QEMU's connection for tests of devices, by which this process writes to a guest's registers as hardware
// would.
type qtest struct {
	listener net.Listener
	conn     net.Conn
	in       *bufio.Reader
}

// newQtest makes QEMU's arguments, and accept the connection once it runs.
func newQtest(t testing.TB, dir string) (*qtest, []string) {
	t.Helper()
	socket := filepath.Join(dir, "qtest")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return &qtest{listener: l}, []string{"-chardev", "socket,id=qtest,path=" + socket, "-qtest", "chardev:qtest",
		"-qtest-log", "/dev/null"}
}

func (q *qtest) accept(t testing.TB) {
	t.Helper()
	conn, err := q.listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	q.conn, q.in = conn, bufio.NewReader(conn)
}

// pend makes a shared interrupt pending, as a pulse on its line: by the interrupt controller's (GICv3) set-pending
// registers of the machine "virt".
func (q *qtest) pend(number int) error {
	const distributor, setPending, shared = 0x0800_0000, 0x200, 32
	n := number + shared
	return q.command("writel %#x %#x", distributor+setPending+n/32*4, 1<<(n%32))
}

func (q *qtest) command(format string, args ...any) error {
	if err := q.conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(q.conn, format+"\n", args...); err != nil {
		return err
	}
	line, err := q.in.ReadString('\n')
	if err == nil && !strings.HasPrefix(line, "OK") {
		err = fmt.Errorf("QEMU says %q", line)
	}
	return err
}
