package ui

import (
	"testing"
	"time"

	"rewatch/model"
)

// The stream of an opened object is removed: the pane says that it is not
// watched, and no more once another stream has brought it, with the count of
// its versions.
func TestAnObjectThatNobodyWatchesIsSaidToBe(t *testing.T) {
	d := newDriver(t, 200, 50, "dark")
	d.script()
	d.openDeployment()
	d.wait(time.Second)
	d.hasNot("not watched")
	id := d.demo.streams["prod-eu/deployments"]
	d.demo.step(d.now, "prod-eu/deployments", model.Stopped, model.CauseUser, "removed", time.Time{}, 0)
	since := d.now.Format("15:04:05")
	d.wait(5 * time.Second)
	d.has("not watched since " + since)
	info, _ := d.demo.log.Stream(id)
	d.demo.streams["prod-eu/deployments"] = d.demo.log.AddStream(info)
	name := d.app.object.identity.Name
	if name == "" {
		name = d.app.object.data.identity.Name
	}
	d.demo.deployment(d.now, "prod-eu", name, model.Modified, model.Synthetic)
	d.wait(5 * time.Second)
	d.hasNot("not watched")
}
