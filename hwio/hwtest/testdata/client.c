/* A client of the toy device that makes the older system calls, which Go does not make. It prints what is wrong and exits with 1. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#define COUNT 0xc0087401
#define POLL 0x7402
#define MAP 0x7403

static int failures;
#define CHECK(x)                                                     \
	do {                                                         \
		if (!(x)) {                                          \
			printf("line %d: %s (errno %d)\n", __LINE__, #x, errno); \
			failures = 1;                                \
		}                                                    \
	} while (0)

static volatile int alarms;
static void on_alarm(int s) { (void)s; alarms++; }

static void *count_many(void *arg)
{
	int fd = *(int *)arg;
	for (int i = 0; i < 500; i++) {
		uint64_t v = 0;
		CHECK(ioctl(fd, COUNT, &v) == 0 && v > 0);
	}
	return NULL;
}

int main(void)
{
	struct stat st;
	char b[256];
	int fd, n;

	setvbuf(stdout, NULL, _IOLBF, 0);
	/* Path calls without a folder's descriptor. */
	CHECK(syscall(SYS_stat, "/dev/toy0", &st) == 0 && S_ISCHR(st.st_mode) && st.st_rdev == makedev(240, 7));
	CHECK(syscall(SYS_lstat, "/sys/class/toy/toy0", &st) == 0 && S_ISLNK(st.st_mode));
	CHECK(syscall(SYS_stat, "/sys/class/toy/toy0", &st) == 0 && S_ISDIR(st.st_mode));
	CHECK(syscall(SYS_stat, "/sys/class/toy/none", &st) == -1 && errno == ENOENT);
	CHECK(syscall(SYS_access, "/sys/class/toy/toy0/vendor", R_OK) == 0);
	CHECK(syscall(SYS_access, "/sys/class/toy/none", F_OK) == -1 && errno == ENOENT);
	n = syscall(SYS_readlink, "/sys/class/toy/toy0", b, sizeof b);
	CHECK(n == 25 && !memcmp(b, "../../devices/toybus/toy0", 25));
	n = syscall(SYS_readlink, "/sys/class/toy/toy0", b, 5);
	CHECK(n == 5);
	fd = syscall(SYS_open, "/sys/class/toy/toy0/vendor", O_RDONLY);
	CHECK(fd >= 0 && fd < 600 && read(fd, b, sizeof b) == 7 && !memcmp(b, "0x8086\n", 7));
	close(fd);
	CHECK(syscall(SYS_open, (char *)8, O_RDONLY) == -1 && errno == EFAULT);

	fd = syscall(SYS_open, "/dev/toy0", O_RDWR);
	CHECK(fd >= 600);
	CHECK(syscall(SYS_fstat, fd, &st) == 0 && S_ISCHR(st.st_mode) && st.st_rdev == makedev(240, 7));
	CHECK(fstatat(fd, "", &st, AT_EMPTY_PATH) == 0 && S_ISCHR(st.st_mode));
	CHECK((fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDWR);

	/* Threads. */
	pthread_t t[4];
	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, count_many, &fd);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	uint64_t v = 0;
	CHECK(ioctl(fd, COUNT, &v) == 0 && v == 2001);

	/* A child inherits the descriptor, uses it after its parent's is closed, and the parent after the child has ended. */
	int d = dup(fd);
	pid_t pid = fork();
	if (pid == 0) {
		usleep(50000);
		uint64_t w = 0;
		_exit(ioctl(d, COUNT, &w) == 0 && w == 2002 ? 0 : 1);
	}
	close(d);
	int status = 0;
	CHECK(waitpid(pid, &status, 0) == pid && status == 0);
	CHECK(ioctl(fd, COUNT, &v) == 0 && v == 2003);

	/* poll(2) with a file that cannot be polled itself, and select-free waiting in read(2). */
	int ring = ioctl(fd, MAP, 60L);
	CHECK(ring >= 600);
	char *m = mmap(NULL, 8192, PROT_READ, MAP_SHARED, ring, 0);
	CHECK(m != MAP_FAILED && !memcmp(m + 5000, "in the mapping", 14));
	struct pollfd p[2] = {{ring, POLLIN, 0}, {0, 0, 0}};
	CHECK(syscall(SYS_poll, p, 1L, 0L) == 0 && p[0].revents == 0);
	CHECK(syscall(SYS_poll, p, 2L, 10000L) == 1 && p[0].revents == POLLIN);
	CHECK(read(ring, b, sizeof b) == 8 && !memcmp(b, "data 001", 8));
	CHECK(read(ring, b, 4) == 4 && !memcmp(b, "data", 4));

	/* Signals: poll is interrupted, read goes on after a handler with SA_RESTART and is interrupted without. */
	int slow = ioctl(fd, MAP, 400L);
	struct sigaction sa = {0};
	sa.sa_handler = on_alarm;
	sa.sa_flags = SA_RESTART;
	sigaction(SIGALRM, &sa, NULL);
	ualarm(50000, 0);
	p[0].fd = slow;
	CHECK(syscall(SYS_poll, p, 1L, -1L) == -1 && errno == EINTR && alarms == 1);
	ualarm(50000, 0);
	CHECK(read(slow, b, 8) == 8 && alarms == 2);
	sa.sa_flags = 0;
	sigaction(SIGALRM, &sa, NULL);
	ualarm(50000, 0);
	CHECK(read(slow, b, 8) == -1 && errno == EINTR && alarms == 3);

	/* An epoll set over both kinds. */
	int plain = ioctl(fd, POLL, 30L), set = epoll_create1(0);
	struct epoll_event e = {EPOLLIN, {.u32 = 1}}, got[4];
	CHECK(epoll_ctl(set, EPOLL_CTL_ADD, plain, &e) == 0);
	e.data.u32 = 2;
	CHECK(epoll_ctl(set, EPOLL_CTL_ADD, slow, &e) == 0);
	CHECK(epoll_ctl(set, EPOLL_CTL_ADD, slow, &e) == -1 && errno == EEXIST);
	CHECK(epoll_ctl(set, EPOLL_CTL_ADD, fd, &e) == -1 && errno == EPERM);
	int seen = 0;
	for (int i = 0; i < 500 && seen != 3; i++) {
		usleep(10000);
		n = epoll_wait(set, got, 4, 100);
		for (int k = 0; k < n; k++)
			seen |= got[k].data.u32;
	}
	CHECK(seen == 3);
	close(plain);
	close(slow);
	close(ring);
	munmap(m, 8192);
	close(fd);
	return failures;
}
