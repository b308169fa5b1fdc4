package metrics

import (
	"maps"
	"math"
	"slices"
	"time"

	"rewatch/model"
)

// kind is how a family becomes a figure.
type kind uint8

const (
	gauge   kind = iota // the sum as it is
	counter             // the sum's growth, per second
	highest             // the largest value's growth, per second
	flow                // of a distribution: the growth of what was observed, per second
	spread              // of a distribution: its percentiles since the reading before
)

// family is a family of metrics and the figure that it becomes.
type family struct {
	metric string
	kind   kind
	label  string // only what has the value is in a label of this name; "" takes all
	is     string
	name   string
	unit   model.Unit
	help   string
}

// families are what is worth showing to who follows watches; later ones stand
// in for those that old servers call otherwise.
var families = [...]family{
	{"apiserver_longrunning_requests", gauge, "verb", "WATCH", "open watches", model.UnitNone, "watches that the server has open, of all clients"},
	{"apiserver_watch_events_total", counter, "", "", "watch events", model.UnitRate, "events sent to all watches"},
	{"apiserver_watch_events_sizes", flow, "", "", "watch bytes", model.UnitFlow, "bytes of the events sent to all watches"},
	{"apiserver_watch_cache_events_dispatched_total", counter, "", "", "cache dispatched", model.UnitRate, "events that the watch caches took in and gave out"},
	{"apiserver_watch_events_dispatch_duration_seconds", spread, "stage", "total", "dispatch time", model.UnitSeconds, "from storage to the watch: how late an event leaves the server"},
	{"apiserver_terminated_watchers_total", counter, "", "", "watches cut off", model.UnitRate, "watches that the server ended because their client was too slow"},
	{"apiserver_watch_list_duration_seconds", spread, "", "", "watch-list time", model.UnitSeconds, "until the initial list of a watch was streamed"},
	{"apiserver_watch_cache_read_wait_seconds", spread, "", "", "cache read wait", model.UnitSeconds, "how long reads waited for a watch cache to catch up"},
	{"watch_cache_capacity", gauge, "", "", "cache capacity", model.UnitNone, "events that all watch caches together can hold for those who resume"},
	{"apiserver_watch_cache_resource_version", highest, "", "", "revisions", model.UnitRate, "growth of the newest resourceVersion in a watch cache: writes"},
	{"etcd_bookmark_total", counter, "", "", "etcd bookmarks", model.UnitRate, "progress notifications that the watch caches got from etcd"},
	{"apiserver_current_inflight_requests", gauge, "", "", "in flight", model.UnitNone, "requests being served, watches not counted"},
	{"apiserver_flowcontrol_current_inqueue_requests", gauge, "", "", "queued", model.UnitNone, "requests that wait in queues of priority and fairness"},
	{"apiserver_flowcontrol_rejected_requests_total", counter, "", "", "rejected", model.UnitRate, "requests refused by priority and fairness, with 429"},
	{"etcd_request_duration_seconds", spread, "", "", "etcd requests", model.UnitSeconds, "how long the server waits for etcd"},
	{"apiserver_storage_size_bytes", gauge, "", "", "etcd size", model.UnitBytes, "size of the storage's data"},
	{"etcd_disk_wal_fsync_duration_seconds", spread, "", "", "etcd fsync", model.UnitSeconds, "how long etcd's disk takes to make the log safe"},
	{"etcd_disk_backend_commit_duration_seconds", spread, "", "", "etcd commit", model.UnitSeconds, "how long etcd's disk takes for a commit"},
}

// part is what of a family a sample is.
type part uint8

const (
	partValue part = iota
	partSum
	partCount
	partBucket
)

// sample says where a sample of some name belongs.
type sample struct {
	family int
	part   part
}

func byName() map[string]sample {
	out := map[string]sample{}
	for i, f := range families {
		switch f.kind {
		case flow, spread:
			out[f.metric+"_sum"] = sample{i, partSum}
			out[f.metric+"_count"] = sample{i, partCount}
			out[f.metric+"_bucket"] = sample{i, partBucket}
		default:
			out[f.metric] = sample{i, partValue}
		}
	}
	return out
}

// figures compares a reading with the one before, which was taken d earlier;
// before is nil for the first. restarted says that the counters began anew.
func figures(before, now *reading, d time.Duration) (out []model.Figure, restarted bool) {
	if before != nil && before.start != now.start {
		before, restarted = nil, true
	}
	for i, f := range families {
		x := model.Figure{Name: f.name, Help: f.help, Unit: f.unit, Given: now.sums[i].given, Spread: f.kind == spread}
		var old *sum
		// What is counted by labels is not on the page before the first time.
		if before != nil && (before.sums[i].given || f.kind != highest) {
			old = &before.sums[i]
		}
		back := f.fill(&x, old, &now.sums[i], d.Seconds())
		restarted = restarted || back
		out = append(out, x)
	}
	return out, restarted
}

// fill sets the value of a figure. It reports whether the metric went back,
// which counters do not.
func (f *family) fill(x *model.Figure, old, now *sum, seconds float64) (back bool) {
	switch {
	case !now.given:
		return false
	case f.kind == gauge:
		x.Known, x.Value = true, now.value
		return false
	case old == nil || seconds <= 0:
		return false
	case now.value < old.value || now.count < old.count:
		return f.kind != highest // of a storage that was restored
	}
	switch f.kind {
	case spread:
		x.PerSecond = (now.count - old.count) / seconds
		x.Median, x.Value, x.Known = percentiles(old.buckets, now.buckets)
	default:
		x.Known, x.Value = true, (now.value-old.value)/seconds
	}
	return false
}

// percentiles are the 50th and the 99th of what was observed between two
// readings, in straight lines between the bounds of the buckets.
func percentiles(old, now map[float64]float64) (median, high float64, known bool) {
	bounds := slices.Sorted(maps.Keys(now))
	grown := make([]float64, len(bounds))
	for i, le := range bounds {
		grown[i] = now[le] - old[le]
		if i > 0 {
			grown[i] = max(grown[i], grown[i-1]) // they count all that is below; a page is no snapshot
		}
	}
	n := len(bounds)
	if n == 0 || grown[n-1] <= 0 {
		return 0, 0, false
	}
	return percentile(0.5, bounds, grown), percentile(0.99, bounds, grown), true
}

func percentile(q float64, bounds, grown []float64) float64 {
	n := len(bounds)
	rank := q * grown[n-1]
	i, _ := slices.BinarySearch(grown, rank)
	i = min(i, n-1)
	if math.IsInf(bounds[i], 1) { // it is above the last bound: no more is known
		if i == 0 {
			return 0
		}
		return bounds[i-1]
	}
	low, below := 0.0, 0.0
	if i > 0 {
		low, below = bounds[i-1], grown[i-1]
	}
	if grown[i] <= below {
		return bounds[i]
	}
	return low + (bounds[i]-low)*(rank-below)/(grown[i]-below)
}
