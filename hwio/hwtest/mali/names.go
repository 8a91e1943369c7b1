package mali

// The files' names in the log of calls.

func (f *kbaseFile) String() string    { return "mali0" }
func (k *kinstr) String() string       { return "kinstr_prfcnt reader" }
func (k *vinstrClient) String() string { return "vinstr reader" }
func (f *panfrostFile) String() string { return "renderD128" }
