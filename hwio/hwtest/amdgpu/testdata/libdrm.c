/* A client of libdrm_amdgpu: it prints what the library says of the first card, name and value on a line. */
#include <amdgpu.h>
#include <amdgpu_drm.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <xf86drm.h>

#define SHOW(name, value) printf("%s %" PRIu64 "\n", name, (uint64_t)(value))

int main(void)
{
	drmDevicePtr devices[4];
	amdgpu_device_handle dev;
	uint32_t major, minor;
	int n = drmGetDevices2(0, devices, 4);
	if (n < 1)
		return 1;
	int fd = open(devices[0]->nodes[DRM_NODE_RENDER], O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return 2;
	int r = amdgpu_device_initialize(fd, &major, &minor, &dev);
	if (r) {
		fprintf(stderr, "amdgpu_device_initialize: %s\n", strerror(-r));
		return 3;
	}
	SHOW("devices", n);
	SHOW("major", major);
	SHOW("minor", minor);

	struct amdgpu_gpu_info gpu;
	if (amdgpu_query_gpu_info(dev, &gpu) == 0) {
		SHOW("asic_id", gpu.asic_id);
		SHOW("chip_external_rev", gpu.chip_external_rev);
		SHOW("family_id", gpu.family_id);
		SHOW("max_engine_clk", gpu.max_engine_clk);
		SHOW("max_memory_clk", gpu.max_memory_clk);
		SHOW("num_shader_engines", gpu.num_shader_engines);
		SHOW("num_shader_arrays_per_engine", gpu.num_shader_arrays_per_engine);
		SHOW("cu_active_number", gpu.cu_active_number);
		SHOW("vram_bit_width", gpu.vram_bit_width);
		SHOW("gb_addr_cfg", gpu.gb_addr_cfg);
		SHOW("pci_rev_id", gpu.pci_rev_id);
		SHOW("gpu_counter_freq", gpu.gpu_counter_freq);
		SHOW("ids_flags", gpu.ids_flags);
	}
	const struct { const char *name; unsigned id; } queries[] = {
		{"vram_usage", AMDGPU_INFO_VRAM_USAGE}, {"gtt_usage", AMDGPU_INFO_GTT_USAGE}, {"bytes_moved", AMDGPU_INFO_NUM_BYTES_MOVED},
		{"evictions", AMDGPU_INFO_NUM_EVICTIONS},
	};
	for (unsigned i = 0; i < sizeof queries / sizeof *queries; i++) {
		uint64_t v = 0;
		if (amdgpu_query_info(dev, queries[i].id, sizeof v, &v) == 0)
			SHOW(queries[i].name, v);
	}
	const struct { const char *name; unsigned id; } heaps[] = {{"vram_heap", AMDGPU_GEM_DOMAIN_VRAM}, {"gtt_heap", AMDGPU_GEM_DOMAIN_GTT}};
	for (unsigned i = 0; i < 2; i++) {
		struct amdgpu_heap_info h;
		if (amdgpu_query_heap_info(dev, heaps[i].id, 0, &h) == 0)
			SHOW(heaps[i].name, h.heap_size);
	}
	const struct { const char *name; unsigned id; } sensors[] = {
		{"sclk", AMDGPU_INFO_SENSOR_GFX_SCLK}, {"mclk", AMDGPU_INFO_SENSOR_GFX_MCLK}, {"temperature", AMDGPU_INFO_SENSOR_GPU_TEMP},
		{"load", AMDGPU_INFO_SENSOR_GPU_LOAD}, {"power", AMDGPU_INFO_SENSOR_GPU_AVG_POWER}, {"vddgfx", AMDGPU_INFO_SENSOR_VDDGFX},
	};
	for (unsigned i = 0; i < sizeof sensors / sizeof *sensors; i++) {
		uint32_t v = 0;
		if (amdgpu_query_sensor_info(dev, sensors[i].id, sizeof v, &v) == 0)
			SHOW(sensors[i].name, v);
	}
	uint32_t status = 0;
	if (amdgpu_read_mm_registers(dev, 0x8010 / 4, 1, 0xffffffff, 0, &status) == 0)
		SHOW("grbm_status", status);
	amdgpu_device_deinitialize(dev);
	drmFreeDevices(devices, n);
	close(fd);
	return 0;
}
