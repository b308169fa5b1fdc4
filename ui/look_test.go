package ui

import (
	"fmt"
	"strings"
	"testing"

	"rewatch/model"
)

// configMap puts a config map with a text of several lines, an annotation that
// holds JSON, and managers.
func (d *driver) configMap(typ model.Type, timeout string, replicas int) {
	d.demo.object(d.now, "prod-eu/configmaps", typ, 0, "ConfigMap", "v1", "shop", "settings-2",
		fmt.Sprintf(`"data":{"app.yaml":"server:\n  port: 8080\n  timeout: %s\n  hosts: [a, b]\nlog: info\n","long":%q,"last":"{\"spec\":{\"replicas\":%d,\"a\":1}}"}`,
			timeout, strings.Repeat("word ", 12)+timeout, replicas))
	d.wait(1e9)
}

func openConfigMap(d *driver) {
	d.script()
	d.configMap(model.Added, "30s", 2)
	d.configMap(model.Modified, "45s", 3)
	d.press("/")
	d.typeText("name:settings-2")
	d.press("enter", "G", "enter")
}

// TestSidesAndFolds: texts are beside each other where there is room, and below
// each other if wanted; managedFields are a line until they are unfolded.
func TestSidesAndFolds(t *testing.T) {
	d := newDriver(t, 120, 40, "mono")
	openConfigMap(d)
	d.press("z")
	const beside = "│ +   timeout: 45s"
	d.has("-   timeout: 30s")
	d.has(beside)
	d.has("# spec.replicas")
	if s := d.app.View().Content; !strings.Contains(s, "7m30") || !strings.Contains(s, "7m45") {
		t.Errorf("the characters that differ are not marked: %q", s)
	}
	d.press("|")
	d.hasNot(beside)
	d.has("-   timeout: 30s")
	d.press("|")
	d.has(beside)
	d.press("g", "y")
	d.has("managedFields: # 1 manager (kubelet), M unfolds")
	d.has("~       timeout: 45s")
	d.press("|")
	d.has("no texts are compared here: the view diff does (g d)")
	d.press("M")
	d.hasNot("M unfolds")
	d.has("- manager: kubelet")
	d.has("~       timeout: 45s")
	d.press("M")
	d.has("M unfolds")
	narrow := newDriver(t, 100, 40, "mono")
	openConfigMap(narrow)
	narrow.press("z")
	narrow.hasNot("│ +")
	narrow.press("|")
	narrow.has("it takes 120 columns")
}
