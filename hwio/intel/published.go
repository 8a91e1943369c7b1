package intel

import (
	"strings"

	"astrolabe/capture/metrics"
)

// PublishedSet says whether a GUID is that of a metric set that Intel published for one of its GPUs.
func PublishedSet(guid string) bool {
	for _, id := range metrics.IDs() {
		if !strings.HasPrefix(id, "intel-") {
			continue
		}
		cat, err := metrics.Get(id)
		if err != nil {
			continue
		}
		for _, s := range cat.Sets() {
			if strings.EqualFold(s.GUID, guid) {
				return true
			}
		}
	}
	return false
}
