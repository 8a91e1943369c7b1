package derived

import "testing"

func TestSharesAreToldFromCountsByTheirNames(t *testing.T) {
	for name, want := range map[string]bool{
		"MemUnitBusy": true, "LDSBankConflict": true, "L2CacheHit": true, "WriteUnitStalled": true,
		"OccupancyPercent": true, "VALUUtilization": true,
		"Wavefronts": false, "VALUInsts": false, "FETCH_SIZE": false, "FetchSize": false, "SQ_LDS_BANK_CONFLICT": false,
		"GRBM_EA_BUSY": false, "TCC_HIT": false,
	} {
		if got := IsShare(name); got != want {
			t.Errorf("%s is a share: %t", name, got)
		}
	}
}
