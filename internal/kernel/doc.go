// Package kernel serves a session to notebooks: the messaging protocol of Jupyter over ZeroMQ.
//
// It has three layers. A socket accepts peers and carries messages of frames, each peer with a queue of its own
// (socket.go, peer.go, wire.go; the transport protocol itself is zmq4's). A message is frames with a signature
// (message.go). The Kernel answers requests (kernel.go, execute.go, ask.go) by a repl.Session, and publishes what that
// prints and shows (output.go, display.go, progress.go). What runs in a cell runs as in a terminal: nothing here knows
// the language.
//
// The sockets are our own because those of zmq4 let one peer harm all: one that connects and says nothing keeps others
// from connecting, one that does not read stops the rest or grows the queue, a wrong length ends the program, and one
// that comes back with its identity is answered twice.
package kernel
