package blame

import (
	"slices"

	"rewatch/model/jsonscan"
)

// Names are the managers that managedFields name, each once, in their order.
func Names(managedFields []byte) (names []string) {
	spans, _ := jsonscan.AppendElements(nil, managedFields)
	for _, s := range spans {
		name := text(jsonscan.Find(s.Of(managedFields), "manager"))
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}
