// The part of rocprofiler-sdk's binary interface that the stand-in offers, for 64-bit Linux. A test compares the layouts with
// the reference's table.
#pragma once
#include <stddef.h>
#include <stdint.h>

typedef struct {
	uint64_t id;
	double counter_value;
	uint64_t dispatch_id;
	uint64_t user_data;
	uint64_t agent_id;
} rocprofiler_counter_record_t;

typedef struct {
	uint64_t id;
	const char *name, *description, *block, *expression;
	uint8_t flags;
} rocprofiler_counter_info_v0_t;

typedef struct {
	const char *name;
	uint64_t instance_size;
	uint64_t id;
} rocprofiler_counter_record_dimension_info_t;

typedef struct {
	uint64_t size, id;
	const char *name, *description, *block, *expression;
	uint8_t flags;
	uint64_t dimensions_count;
	const void *dimensions;
	uint64_t dimensions_instances_count;
	const void *dimensions_instances;
} rocprofiler_counter_info_v1_t;

typedef struct {
	uint64_t size;
	const char *name;
	uint32_t handle;
} rocprofiler_client_id_t;

typedef struct {
	uint64_t size;
	int (*initialize)(void (*finalize)(void), void *tool_data);
	void (*finalize)(void *tool_data);
	void *tool_data;
} rocprofiler_tool_configure_result_t;

typedef struct {
	uint64_t size, id;
	uint32_t type, cpu_cores_count, simd_count;
	uint32_t gap28[5];
	uint32_t max_waves_per_simd, lds_size_in_kb;
	uint32_t gap56[2];
	uint32_t wave_front_size, num_xcc, cu_count, array_count, num_shader_banks, simd_arrays_per_engine, cu_per_simd_array, simd_per_cu;
	uint32_t gap96;
	uint32_t gfx_target_version;
	uint16_t vendor_id, device_id;
	uint32_t location_id, domain, drm_render_minor;
	uint32_t gap120[5];
	uint32_t max_engine_clk_fcompute;
	uint32_t gap144[3];
	uint32_t cu_per_engine, max_waves_per_cu;
	uint32_t gap164[7];
	uint64_t gpu_id;
	uint64_t gap200[6];
	const char *name, *vendor_name, *product_name, *model_name;
	uint32_t node_id, logical_node_id;
	uint64_t gap288;
	uint8_t uuid[16];
} rocprofiler_agent_v0_t;
