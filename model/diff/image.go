package diff

import (
	"strings"

	"rewatch/model/jsonscan"
)

// imageWords says which image a container got, by what of it is new: a line has
// no room for the registry twice, and the tag stands at the end. "" of anything
// else.
//
//	app image nginx:1.27→1.28
func imageWords(c Change) string {
	at, ok := strings.CutSuffix(c.Path, "].image")
	if !ok || c.Op != Replace || !strings.Contains(at[strings.LastIndexByte(at, '.')+1:], "ontainers[name=") {
		return ""
	}
	was, err := jsonscan.Unquote([]byte(c.Old))
	if err != nil {
		return ""
	}
	now, err := jsonscan.Unquote([]byte(c.New))
	if err != nil {
		return ""
	}
	same := 0 // bytes up to the last sign that parts names
	for i := 0; i < len(was) && i < len(now) && was[i] == now[i]; i++ {
		if strings.IndexByte("/:@", was[i]) >= 0 {
			same = i + 1
		}
	}
	from := strings.LastIndexByte(was[:max(same-1, 0)], '/') + 1
	to := same
	if same == 0 || was[same-1] == '/' {
		from = same
	}
	return labelOf(at) + " image " + cut(shortDigest(was[from:]), maxValue) + "→" + cut(shortDigest(now[to:]), maxValue)
}

// shortDigest shortens a digest to what people compare.
func shortDigest(image string) string {
	const shown = 12
	if i := strings.Index(image, "sha256:"); i >= 0 && len(image) > i+len("sha256:")+shown {
		return image[:i+len("sha256:")+shown]
	}
	if len(image) == 64 && strings.Trim(image, "0123456789abcdef") == "" {
		return image[:shown]
	}
	return image
}
