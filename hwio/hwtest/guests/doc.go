// Package guests boots real Linux kernels in QEMU and runs the unmodified program there: an emulated kernel proves that
// a reader and a model agree, a real one that both agree with Linux. The processor is QEMU's own emulation (TCG), so no
// privilege and no virtual machine extension is needed, and an arm64 guest that counts its instructions (-icount) has a
// performance monitoring unit whose counts are known.
//
// Kernels are Debian's, fetched and unpacked by .ci/extra guests into a folder that ASTROLABE_GUESTS names: one folder
// each, with the kernel's image (vmlinuz) and its modules. An initial file system with the program, the agent (package
// agent) and what else a test names is made for each guest. Only tests import it.
package guests
