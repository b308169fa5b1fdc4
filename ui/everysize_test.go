package ui

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"rewatch/model"
)

// hostileNames adds objects whose names no terminal agrees on the width of.
func (d *driver) hostileNames() {
	for i, name := range hostile {
		ns := strconv.Quote("ns" + name)
		d.demo.object(d.now, "prod-eu/pods", model.Added, 0, "Pod", "v1", "ns"+name, name+"-pod", fmt.Sprintf(`"metadata2":{"ns":%s},"spec":{"nodeName":%s}`, ns, strconv.Quote(name)))
		d.demo.object(d.now, "prod-eu/pods", model.Modified, 0, "Pod", "v1", "ns"+name, name+"-pod", fmt.Sprintf(`"spec":{"nodeName":%s},"status":{"phase":%q}`, strconv.Quote(name+name), "P"+strconv.Itoa(i)))
		d.demo.step(d.now, "prod-eu/nodes", model.Backoff, model.CauseCut, name, d.now.Add(time.Second), i)
		d.demo.log.Append(model.Record{Time: d.now, Stream: 0, Type: model.GapFound, Detail: model.Gap{FromRV: name, ToRV: name, Since: d.now}})
	}
	d.wait(time.Second)
}

// Every page, view, prompt and overlay has the size of the screen in every
// size, and after each change of the size while it is open, whatever the names
// in it are.
func TestEverythingInEverySize(t *testing.T) {
	states := map[string][]string{
		"timeline": nil, "streams": {"g", "s"}, "streams zoomed": {"g", "s", "z"}, "timeline zoomed": {"z"},
		"by object": {"B"}, "by owner": {"B", "B"}, "row": {"up", "up", "g", "o"},
		"filter": {"/", "k", "i"}, "filter options": {"/", "k", "i", "tab", "tab"}, "mistake": {"/", "t", "y", "p", "e", ":", "x", " "},
		"nothing": {"/", "n", "o", "t", "x", "enter"}, "which key": {"g"}, "copy": {"y"}, "hide": {"H"}, "number": {"4", "2"},
		"mark": {"m", "x"}, "help": {"?"}, "folds": {"A"}, "palette": {":"}, "palette typed": {":", "t", "h"}, "columns": {"c"},
		"search": {"enter", "g", "y", "/", "e"}, "found": {"enter", "g", "y", "/", "e", "enter"}, "side by side": {"enter", "|"},
	}
	for _, p := range pages() {
		states["page "+p.name] = []string{p.key}
	}
	for _, v := range views() {
		states["view "+v.name] = []string{"enter", v.key[:1], v.key[2:]}
	}
	var sizes [][2]int
	for _, w := range []int{1, 2, 7, 39, 40, 53, 60, 79, 80, 99, 100, 131, 160, 200} {
		for _, h := range []int{1, 3, 9, 10, 11, 15, 24, 28, 50} {
			sizes = append(sizes, [2]int{w, h})
		}
	}
	if testing.Short() {
		sizes = [][2]int{{1, 1}, {40, 10}, {60, 15}, {80, 24}, {200, 50}}
	}
	see := func(t *testing.T, name string, d *driver, keys []string) {
		t.Run(name, func(t *testing.T) {
			d.t = t
			for _, k := range keys {
				d.press(k)
				d.check()
			}
			for i, s := range sizes {
				d.resize(s[0], s[1])
				d.check()
				if s[0] >= minWidth && s[1] >= minHeight && i%5 == 0 {
					d.press("down", "up")
					d.check()
				}
			}
		})
	}
	for name, keys := range states {
		d := newDriver(t, 80, 24, "mono")
		d.script()
		d.hostileNames()
		see(t, name, d, keys)
		if name == "palette" || name == "help" || strings.HasPrefix(name, "page") {
			d, _ := newReplay(t, 80, 24, "mono", (*driver).hostileNames)
			see(t, "replay "+name, d, keys)
		}
	}
}
