package cli

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// askTerminal asks the terminal for its graphics and returns what it answered. asked is false where it may not ask now:
// something was typed ahead, which would be taken for the answer.
var askTerminal = func() (answer []byte, asked bool) {
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, true
	}
	defer tty.Close()
	fd := int(tty.Fd())
	was, err := unix.IoctlGetTermios(fd, unix.TCGETS)
	if err != nil {
		return nil, true
	}
	quiet := *was
	quiet.Lflag &^= unix.ICANON | unix.ECHO
	quiet.Cc[unix.VMIN], quiet.Cc[unix.VTIME] = 0, 0
	if err := unix.IoctlSetTermios(fd, unix.TCSETS, &quiet); err != nil {
		return nil, true
	}
	defer unix.IoctlSetTermios(fd, unix.TCSETS, was)
	if n, err := unix.IoctlGetInt(fd, unix.TIOCINQ); err != nil || n > 0 {
		return nil, false
	}
	if _, err := tty.WriteString(terminalQuestion); err != nil {
		return nil, true
	}
	return readAnswer(fd), true
}

// readAnswer reads from a terminal until the answer is whole or the time is up.
func readAnswer(fd int) []byte {
	var answer []byte
	deadline := time.Now().Add(answerTime)
	buf := make([]byte, 256)
	for left := answerTime; left > 0 && len(answer) < 4096; left = time.Until(deadline) {
		ready, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, int(left.Milliseconds())+1)
		if err == unix.EINTR {
			continue
		}
		if err != nil || ready == 0 {
			return answer
		}
		n, err := unix.Read(fd, buf)
		if n <= 0 || err != nil {
			return answer
		}
		answer = append(answer, buf[:n]...)
		if _, done := graphicsIn(answer); done {
			return answer
		}
	}
	return answer
}
