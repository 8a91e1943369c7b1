/* Opens a group of perf events, of which the arguments are pairs of a struct perf_event_attr and a target in hexadecimal
   digits, waits until samples are in its ring, stops it, and prints the counts that every sample of it tells. It is of
   the tests of package replay and shares nothing with astrolabe. */
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static void bytes(const char *digits, void *to, size_t size) {
	unsigned char *b = to;
	memset(to, 0, size);
	for (size_t i = 0; digits[2 * i] && i < size; i++) {
		unsigned x;
		sscanf(digits + 2 * i, "%2x", &x);
		b[i] = x;
	}
}

int main(int argc, char **argv) {
	int leader = -1;
	for (int i = 1; i + 1 < argc; i += 2) {
		struct perf_event_attr attr;
		int32_t target[2];
		bytes(argv[i], &attr, sizeof attr);
		bytes(argv[i + 1], target, sizeof target);
		attr.size = sizeof attr;
		int fd = syscall(SYS_perf_event_open, &attr, target[0], target[1], leader, PERF_FLAG_FD_CLOEXEC);
		if (fd < 0) {
			perror("perf_event_open");
			return 1;
		}
		if (leader < 0)
			leader = fd;
	}
	const size_t size = 8 << 20;
	struct perf_event_mmap_page *page = mmap(NULL, 4096 + size, PROT_READ | PROT_WRITE, MAP_SHARED, leader, 0);
	if (page == MAP_FAILED) {
		perror("mmap");
		return 1;
	}
	uint64_t id;
	if (ioctl(leader, PERF_EVENT_IOC_ID, &id) || ioctl(leader, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP)) {
		perror("ioctl");
		return 1;
	}
	while (__atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE) == 0)
		usleep(1000);
	if (ioctl(leader, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP)) {
		perror("stop");
		return 1;
	}
	const unsigned char *data = (unsigned char *)page + page->data_offset;
	uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
	for (uint64_t at = 0; at < head;) {
		struct perf_event_header h;
		uint64_t words[512];
		memcpy(&h, data + at, sizeof h);
		memcpy(words, data + at + sizeof h, h.size - sizeof h);
		at += h.size;
		if (h.type == PERF_RECORD_SAMPLE && words[0] == id)
			for (uint64_t i = 0; i < words[3]; i++) /* behind id, task, time: how many, enabled, running, pairs */
				printf("%llu\n", (unsigned long long)words[6 + 2 * i]);
	}
	return 0;
}
