// Package timeserver is a read-only Kubernetes API in one process: it answers
// discovery, get, list and watch as a kube-apiserver 1.37 does, over a [Store]
// that is filled by code ([Store.Put]), or by a recorded [History] at the
// pace of the recording ([Player]).
//
// rewatch points its own engine at it for `rewatch demo`, and its tests make
// it misbehave in all the ways that real servers, proxies and networks do
// ([Server.Inject], [Endpoint], and the sub-package faultproxy).
//
// Delivery: a watch sees every change of its resource after its start
// position, in order and exactly once, or it ends. It never skips. A reader
// that stays more than [Options.WatchBuffer] changes behind for
// [Options.SlowGrace] is cut off, as a kube-apiserver does, and a position
// that fell out of the store's window is answered 410 Expired.
package timeserver
