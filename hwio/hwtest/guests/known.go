package guests

import (
	"encoding/binary"
	"slices"
)

// Programs whose counts are known, without a library, each in the words of its processor (Arm Architecture Reference
// Manual, C6.2; Intel's manual, volume 2). Numbers of system calls are those of the kernel's tables.

// loop executes 2*rounds + loopRest instructions on arm64 and ends.
func loop(rounds uint32) []byte { return arm64(slices.Concat(arm64Rounds(rounds), arm64Exit), 0) }

const loopRest = 5

// family starts a second process on arm64; both execute the loop, 4*rounds + familyRest instructions in all, and the
// first waits for the other.
func family(rounds uint32) []byte {
	return arm64(slices.Concat(
		[]uint32{
			0xd2801b88,                                     // mov x8, #220 (clone)
			0xd2800220,                                     // mov x0, #17 (SIGCHLD)
			0xd2800001, 0xd2800002, 0xd2800003, 0xd2800004, // mov x1 to x4, #0
			0xd4000001, // svc #0
			0xaa0003e6, // mov x6, x0
		},
		arm64Rounds(rounds),
		[]uint32{
			0xb40000e6,                         // cbz x6, past the waiting
			0xd2802088,                         // mov x8, #260 (wait4)
			0x92800000,                         // mov x0, #-1
			0xd2800001, 0xd2800002, 0xd2800003, // mov x1 to x3, #0
			0xd4000001, // svc #0
		},
		arm64Exit), 0)
}

const familyRest = 27

// touch writes to each of so many pages that nobody has touched before.
func touch(arch string, pages uint32) []byte {
	const page = 4096
	le := binary.LittleEndian
	if arch == "amd64" {
		code := le.AppendUint32([]byte{0xbf}, dataAt)          // mov edi, dataAt
		code = le.AppendUint32(append(code, 0xb9), pages)      // mov ecx, pages
		code = append(code, 0xc6, 0x07, 0x01)                  // mov byte [rdi], 1
		code = le.AppendUint32(append(code, 0x81, 0xc7), page) // add edi, page
		code = append(code, 0xff, 0xc9, 0x75, 0xf3)            // dec ecx; jnz three back
		return elf(62, append(code, amd64Exit...), uint64(pages+1)*page)
	}
	return arm64(slices.Concat([]uint32{
		0xd2a00000 | dataAt>>16<<5, // mov x0, dataAt
		0xd2800001 | pages&0xffff<<5,
		0x39000001, // strb w1, [x0]
		0x91400400, // add x0, x0, #1, lsl 12
		0xf1000421, // subs x1, x1, #1
		0x54ffffa1, // b.ne three back
	}, arm64Exit), uint64(pages+1)*page)
}

// loopAMD64 executes 2*rounds + 4 instructions on amd64 and ends.
func loopAMD64(rounds uint32) []byte {
	code := binary.LittleEndian.AppendUint32([]byte{0xb9}, rounds) // mov ecx, rounds
	code = append(code, 0xff, 0xc9, 0x75, 0xfc)                    // dec ecx; jnz one back
	return elf(62, append(code, amd64Exit...), 0)
}

func arm64Rounds(n uint32) []uint32 {
	return []uint32{
		0xd2800000 | n&0xffff<<5, // mov x0, #low
		0xf2a00000 | n>>16<<5,    // movk x0, #high, lsl 16
		0xf1000400,               // subs x0, x0, #1
		0x54ffffe1,               // b.ne one back
	}
}

var (
	arm64Exit = []uint32{0xd2800ba8, 0xd2800000, 0xd4000001} // mov x8, #93 (exit); mov x0, #0; svc #0
	amd64Exit = []byte{0xb8, 0x3c, 0x00, 0x00, 0x00, 0x31, 0xff, 0x0f,
		0x05} // mov eax, 60 (exit); xor edi, edi; syscall
)

func arm64(words []uint32, data uint64) []byte {
	var code []byte
	for _, w := range words {
		code = binary.LittleEndian.AppendUint32(code, w)
	}
	return elf(183, code, data)
}

// dataAt is the address of a program's data.
const dataAt = 0x600000

// elf is an executable of some code and so many bytes of zeros.
func elf(machine uint16, code []byte, zeros uint64) []byte {
	const base, head, program = 0x400000, 64, 56
	le := binary.LittleEndian
	parts := uint16(1)
	if zeros > 0 {
		parts = 2
	}
	start := uint64(head + program*int(parts))
	size := start + uint64(len(code))
	out := append([]byte("\x7fELF\x02\x01\x01"), make([]byte, 9)...)
	out = le.AppendUint16(le.AppendUint16(out, 2), machine) // an executable
	out = le.AppendUint32(out, 1)
	for _, v := range []uint64{base + start, head, 0} {
		out = le.AppendUint64(out, v)
	}
	out = le.AppendUint32(out, 0)
	for _, v := range []uint16{head, program, parts, 0, 0, 0} {
		out = le.AppendUint16(out, v)
	}
	part := func(flags uint32, values ...uint64) {
		out = le.AppendUint32(le.AppendUint32(out, 1), flags)
		for _, v := range values {
			out = le.AppendUint64(out, v)
		}
	}
	part(5, 0, base, base, size, size, 0x1000) // read and execute
	if zeros > 0 {
		part(6, 0, dataAt, dataAt, 0, zeros, 0x1000) // read and write
	}
	return append(out, code...)
}
