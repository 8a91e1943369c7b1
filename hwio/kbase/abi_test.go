package kbase

import (
	"testing"

	"astrolabe/hwio/hwtest/uapi"
	"astrolabe/hwio/internal/mali"
)

func TestNumbersAreThoseOfTheDriversHeader(t *testing.T) {
	for name, got := range map[string]uint32{
		"KBASE_IOCTL_VERSION_CHECK": reqVersionCSF, "KBASE_IOCTL_SET_FLAGS": reqSetFlags, "KBASE_IOCTL_GET_GPUPROPS": reqGetProps,
		"KBASE_IOCTL_KINSTR_PRFCNT_ENUM_INFO": reqEnumInfo, "KBASE_IOCTL_KINSTR_PRFCNT_SETUP": reqSetup, "KBASE_IOCTL_KINSTR_PRFCNT_CMD": reqCommand,
		"KBASE_IOCTL_KINSTR_PRFCNT_GET_SAMPLE": reqGetSample, "KBASE_IOCTL_KINSTR_PRFCNT_PUT_SAMPLE": reqPutSample,
	} {
		if want := uapi.Ioctl(name); got != want {
			t.Errorf("%s is %#x, want %#x", name, got, want)
		}
	}
	for name, got := range map[string]int64{
		"PRFCNT_ENUM_TYPE_BLOCK": enumBlock, "PRFCNT_ENUM_TYPE_REQUEST": enumRequest, "PRFCNT_ENUM_TYPE_SAMPLE_INFO": enumSampleInfo,
		"PRFCNT_REQUEST_TYPE_MODE": requestMode, "PRFCNT_REQUEST_TYPE_ENABLE": requestEnable, "PRFCNT_REQUEST_MODE": kindMode, "PRFCNT_REQUEST_ENABLE": kindEnable,
		"PRFCNT_MODE_MANUAL": modeManual, "PRFCNT_MODE_PERIODIC": modePeriodic, "PRFCNT_SAMPLE_META_TYPE_SAMPLE": metaSample,
		"PRFCNT_SAMPLE_META_TYPE_CLOCK": metaClock, "PRFCNT_SAMPLE_META_TYPE_BLOCK": metaBlock,
		"PRFCNT_CONTROL_CMD_START": commandStart, "PRFCNT_CONTROL_CMD_STOP": commandStop, "PRFCNT_CONTROL_CMD_SAMPLE_SYNC": commandSample,
		"PRFCNT_BLOCK_TYPE_FE": int64(mali.FrontEnd), "PRFCNT_BLOCK_TYPE_TILER": int64(mali.Tiler), "PRFCNT_BLOCK_TYPE_MEMORY": int64(mali.Memory),
		"PRFCNT_BLOCK_TYPE_SHADER_CORE": int64(mali.Core), "PRFCNT_BLOCK_TYPE_FW": int64(mali.Firmware), "PRFCNT_BLOCK_TYPE_CSG": int64(mali.CSG),
		"PRFCNT_BLOCK_TYPE_NE":           int64(mali.Neural),
		"KBASE_GPUPROP_PRODUCT_ID":       propProductID,
		"KBASE_GPUPROP_GPU_FREQ_KHZ_MAX": propMaxKHz, "KBASE_GPUPROP_L2_NUM_L2_SLICES": propL2Slices, "KBASE_GPUPROP_RAW_SHADER_PRESENT": propShaders,
		"KBASE_GPUPROP_RAW_L2_PRESENT": propL2Present, "KBASE_GPUPROP_RAW_L2_FEATURES": propL2Features, "KBASE_GPUPROP_RAW_GPU_ID": propGPUID,
		"KBASE_GPUPROP_COHERENCY_NUM_GROUPS": propGroups, "KBASE_GPUPROP_COHERENCY_NUM_CORE_GROUPS": propCoreGroups,
		"KBASE_GPUPROP_COHERENCY_GROUP_0": propGroupMask, "KBASE_GPUPROP_COHERENCY_GROUP_15": propGroupMaskEnd,
	} {
		if want := uapi.Const(name); got != want {
			t.Errorf("%s is %d, want %d", name, got, want)
		}
	}
	if reqVersionJM != uapi.Ioctl("KBASE_IOCTL_VERSION_CHECK")&^0xff {
		t.Error("the handshake of job-manager drivers is request 0")
	}
}

func TestSizesAndOffsetsAreThoseOfTheDriversHeader(t *testing.T) {
	for name, want := range map[string]int{
		"prfcnt_enum_item": enumItemSize, "prfcnt_request_item": requestItemSize, "prfcnt_metadata": metaItemSize, "prfcnt_control_cmd": 16,
		"prfcnt_sample_access": 16, "kbase_ioctl_get_gpuprops": 16, "kbase_ioctl_kinstr_prfcnt_enum_info": 16, "kbase_ioctl_kinstr_prfcnt_setup": 16,
		"kbase_ioctl_version_check": 4, "kbase_ioctl_set_flags": 4,
	} {
		if got := uapi.Struct(name).Size; got != want {
			t.Errorf("%s has %d bytes, this reader takes %d", name, got, want)
		}
	}
	const union = 8 // where the union of an item begins
	for _, c := range []struct {
		structure, field string
		at, size         int
	}{
		{"prfcnt_enum_block_counter", "block_type", 8, 1}, {"prfcnt_enum_block_counter", "set", 9, 1},
		{"prfcnt_enum_block_counter", "num_instances", 12, 2}, {"prfcnt_enum_block_counter", "num_values", 14, 2},
		{"prfcnt_enum_request", "request_item_type", 8, 2}, {"prfcnt_enum_request", "versions_mask", 12, 4},
		{"prfcnt_enum_sample_info", "num_clock_domains", 8, 4},
		{"prfcnt_request_mode", "mode", 8, 1}, {"prfcnt_request_mode", "mode_config.periodic.period_ns", 16, 8},
		{"prfcnt_request_enable", "block_type", 8, 1}, {"prfcnt_request_enable", "set", 9, 1}, {"prfcnt_request_enable", "enable_mask", 16, 16},
		{"prfcnt_sample_metadata", "timestamp_start", 8, 8}, {"prfcnt_sample_metadata", "timestamp_end", 16, 8}, {"prfcnt_sample_metadata", "seq", 24, 8},
		{"prfcnt_sample_metadata", "user_data", 32, 8}, {"prfcnt_sample_metadata", "flags", 40, 4},
		{"prfcnt_clock_metadata", "num_domains", 8, 4}, {"prfcnt_clock_metadata", "cycles", 16, 32},
		{"prfcnt_block_metadata", "block_type", 8, 1}, {"prfcnt_block_metadata", "block_idx", 9, 1}, {"prfcnt_block_metadata", "block_state", 12, 4},
		{"prfcnt_block_metadata", "values_offset", 16, 4},
	} {
		if f := uapi.Struct(c.structure).Field(c.field); f.Offset+union != c.at || f.Size != c.size {
			t.Errorf("%s.%s is %d bytes at %d, this reader reads %d at %d", c.structure, c.field, f.Size, f.Offset+union, c.size, c.at)
		}
	}
	for _, c := range []struct {
		structure, field string
		at               int
	}{
		{"prfcnt_control_cmd", "cmd", 0}, {"prfcnt_control_cmd", "user_data", 8}, {"prfcnt_sample_access", "sample_offset_bytes", 8},
		{"kbase_ioctl_get_gpuprops", "buffer", 0}, {"kbase_ioctl_get_gpuprops", "size", 8},
		{"kbase_ioctl_kinstr_prfcnt_enum_info", "info_item_size", 0}, {"kbase_ioctl_kinstr_prfcnt_enum_info", "info_item_count", 4},
		{"kbase_ioctl_kinstr_prfcnt_enum_info", "info_list_ptr", 8},
		{"kbase_ioctl_kinstr_prfcnt_setup", "in.request_item_count", 0}, {"kbase_ioctl_kinstr_prfcnt_setup", "in.request_item_size", 4},
		{"kbase_ioctl_kinstr_prfcnt_setup", "in.requests_ptr", 8}, {"kbase_ioctl_kinstr_prfcnt_setup", "out.prfcnt_metadata_item_size", 0},
		{"kbase_ioctl_kinstr_prfcnt_setup", "out.prfcnt_mmap_size_bytes", 4},
	} {
		if f := uapi.Struct(c.structure).Field(c.field); f.Offset != c.at {
			t.Errorf("%s.%s is at %d, this reader takes it at %d", c.structure, c.field, f.Offset, c.at)
		}
	}
}

// encoding is the number of a request: its direction, the size of its structure, its type and number.
func encoding(dir, size, typ, nr uint32) uint32 { return dir<<30 | size<<16 | typ<<8 | nr }

func TestRequestsWithoutAPublicHeaderAreEncodedAsTheReferenceSays(t *testing.T) {
	for got, want := range map[uint32]uint32{
		reqVersionPreR21: encoding(3, 16, 0x80, 0), reqSetFlagsPreR21: encoding(3, 16, 0x82, 18), reqGetPropsPreR21: encoding(3, oldPropsSize, 0x82, 14),
		reqReaderSetup: encoding(1, 20, 0x80, 8), reqReaderSetupPreR21: encoding(3, 32, 0x82, 36),
		reqBufferSize: encoding(2, 4, 0xbe, 1), reqDump: encoding(1, 4, 0xbe, 0x10), reqClear: encoding(1, 4, 0xbe, 0x11),
		reqGetBuffer: encoding(2, 16, 0xbe, 0x20), reqGetBufferLong: encoding(2, 32, 0xbe, 0x20), reqPutBuffer: encoding(1, 16, 0xbe, 0x21),
		reqPutBufferLong: encoding(1, 32, 0xbe, 0x21), reqSetInterval: encoding(1, 4, 0xbe, 0x30),
		reqAPIVersion: encoding(1, 4, 0xbe, 0xff), reqAPIFeatures: encoding(2, 8, 0xbe, 0xff), reqAPIFeaturesW: encoding(1, 8, 0xbe, 0xff),
	} {
		if got != want {
			t.Errorf("%#x, want %#x", got, want)
		}
	}
}
