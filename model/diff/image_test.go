package diff

import (
	"fmt"
	"strings"
	"testing"
)

func TestSummaryOfImages(t *testing.T) {
	digest := strings.Repeat("ab12", 16)
	for _, c := range []struct{ was, now, want string }{
		{"registry.example/team/envoy:1.29", "registry.example/team/envoy:1.30", "app image envoy:1.29→1.30"},
		{"registry.example:5000/envoy:1.29", "registry.example:5000/envoy:1.30", "app image envoy:1.29→1.30"},
		{"registry.example/team/envoy:1.29", "registry.example/team/nginx:1.29", "app image envoy:1.29→nginx:1.29"},
		{"registry.example/envoy:1.29", "mirror.example/envoy:1.29", "app image registry.example/envoy:1.29→mirror.example/envoy:1.29"},
		{"registry.example:5000/envoy", "registry.example:5001/envoy", "app image registry.example:5000/envoy→5001/envoy"},
		{"envoy", "envoy:2", "app image envoy→envoy:2"},
		{"envoy:1", "envoy@sha256:" + digest, "app image envoy:1→envoy@sha256:ab12ab12ab12"},
		{"a/envoy@sha256:" + digest, "a/envoy@sha256:cd" + digest[2:], "app image envoy@sha256:ab12ab12ab12→cd12ab12ab12"},
		{"", "envoy:1", "app image →envoy:1"},
	} {
		object := func(image string) []byte {
			return fmt.Appendf(nil, `{"spec":{"containers":[{"name":"app","image":%q}]}}`, image)
		}
		if got := Summary("Pod", object(c.was), object(c.now), 0); got != c.want {
			t.Errorf("%s, %s: %s, want %s", c.was, c.now, got, c.want)
		}
	}
	// What is no container's image keeps its path.
	for _, path := range []string{"image", "images"} {
		was, now := fmt.Appendf(nil, `{"spec":{"%s":"a/b:1"}}`, path), fmt.Appendf(nil, `{"spec":{"%s":"a/b:2"}}`, path)
		if got := Summary("Widget", was, now, 0); !strings.HasPrefix(got, "spec."+path+" ") {
			t.Error(got)
		}
	}
}
