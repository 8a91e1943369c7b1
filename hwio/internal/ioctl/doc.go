// Package ioctl issues device requests. It is the only place that turns a pointer into the number that the system call
// wants: the conversion stands inside the call's own expression, where the runtime keeps the pointer valid, and the
// *os.File stays alive until the call returns.
package ioctl
