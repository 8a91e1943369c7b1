// Package hwtest is an emulated kernel: it runs an unmodified program under a seccomp user-notification filter and
// answers its system calls to devices that this machine does not have, so that readers are tested through the real
// calls they make.
//
// A Device is a model of one piece of hardware with its driver. It puts files, links and device nodes into a tree
// (Machine) and answers what a program does with them (Node, File). Models live in packages below this one and take
// every size, offset and number from package uapi, which is made from the kernel's headers, never from a reader: a
// mistake shared by both would pass. They count what they produce, and Truth says it, so that a test can compare a
// recording with it.
//
// Only tests and the command emulate import this package. It works on linux/amd64; elsewhere Run returns
// ErrUnsupported.
package hwtest
