package main

import (
	"strconv"
	"testing"

	"astrolabe/internal/testfiles"
)

func TestLayoutsAreThoseOfTheReference(t *testing.T) {
	type place struct{ offset, size int }
	want := map[string]place{}
	for _, r := range testfiles.Rows(t, "reference", "amd_rocprofiler_layouts.csv") {
		offset, err := strconv.Atoi(r["offset"])
		if err != nil {
			t.Fatal(err)
		}
		size, err := strconv.Atoi(r["size"])
		if err != nil {
			t.Fatal(err)
		}
		want[r["struct"]+"."+r["field"]] = place{offset, size}
	}
	const agent, v0, v1, dim = "rocprofiler_agent_v0_t.", "rocprofiler_counter_info_v0_t.", "rocprofiler_counter_info_v1_t.", "rocprofiler_counter_record_dimension_info_t."
	for name, size := range map[string]int{
		"rocprofiler_counter_record_t.(struct)": recordSize, v0 + "(struct)": infoV0Size, v1 + "(struct)": infoV1Size, dim + "(struct)": dimensionSize,
		"rocprofiler_client_id_t.(struct)": clientSize, "rocprofiler_tool_configure_result_t.(struct)": configureSize, agent + "(struct)": agentSize,
	} {
		if want[name].size != size {
			t.Errorf("%s has %d bytes here, %d in the reference", name, size, want[name].size)
		}
	}
	for name, p := range map[string]place{
		"rocprofiler_counter_record_t.id": {recordID, 8}, "rocprofiler_counter_record_t.counter_value": {recordValue, 8},
		v0 + "id": {infoV0ID, 8}, v0 + "name": {infoV0Name, 8}, v0 + "description": {infoV0Doc, 8}, v0 + "block": {infoV0Block, 8}, v0 + "expression": {infoV0Expr, 8},
		v1 + "size": {infoV1SizeAt, 8}, v1 + "id": {infoV1ID, 8}, v1 + "name": {infoV1Name, 8}, v1 + "description": {infoV1Doc, 8}, v1 + "block": {infoV1Block, 8}, v1 + "expression": {infoV1Expr, 8},
		dim + "name": {dimensionName, 8}, dim + "instance_size": {dimensionCount, 8}, dim + "id": {dimensionID, 8},
		"rocprofiler_client_id_t.name": {clientNameAt, 8}, "rocprofiler_tool_configure_result_t.initialize": {configureInit, 8},
		"rocprofiler_tool_configure_result_t.finalize": {configureFini, 8}, "rocprofiler_tool_configure_result_t.tool_data": {configureData, 8},
		agent + "size": {agentSizeAt, 8}, agent + "id": {agentID, 8}, agent + "type": {agentType, 4}, agent + "simd_count": {agentSIMDs, 4},
		agent + "max_waves_per_simd": {agentWavesSIMD, 4}, agent + "lds_size_in_kb": {agentLDS, 4}, agent + "wave_front_size": {agentWaveSize, 4}, agent + "num_xcc": {agentXCCs, 4},
		agent + "cu_count": {agentCUs, 4}, agent + "num_shader_banks": {agentEngines, 4}, agent + "simd_arrays_per_engine": {agentArraysSE, 4},
		agent + "simd_per_cu": {agentSIMDsCU, 4}, agent + "gfx_target_version": {agentTarget, 4}, agent + "vendor_id": {agentVendor, 2}, agent + "device_id": {agentDevice, 2},
		agent + "drm_render_minor": {agentMinor, 4}, agent + "max_engine_clk_fcompute": {agentClock, 4}, agent + "max_waves_per_cu": {agentWavesCU, 4},
		agent + "name": {agentName, 8}, agent + "product_name": {agentProduct, 8}, agent + "model_name": {agentModel, 8}, agent + "node_id": {agentNode, 4}, agent + "logical_node_id": {agentLogical, 4},
	} {
		w, ok := want[name]
		if !ok {
			t.Errorf("the reference has no %s", name)
		} else if w != p {
			t.Errorf("%s lies at %d with %d bytes here, at %d with %d in the reference", name, p.offset, p.size, w.offset, w.size)
		}
		if len(name) > len(agent) && name[:len(agent)] == agent && p.offset+p.size > agentKnown && name != agent+"size" {
			t.Errorf("%s ends at %d, beyond the %d bytes that are asked for", name, p.offset+p.size, agentKnown)
		}
	}
}
