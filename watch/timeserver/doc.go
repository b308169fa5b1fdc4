// Package timeserver is a read-only Kubernetes API in one process: it answers
// discovery, get, list and watch as a kube-apiserver 1.37 does, as objects,
// tables and metadata, over a [Store] that is filled by code ([Store.Put]), by a
// recorded [History] at the pace of the recording ([Player]), or from a tape
// ([Past]).
//
// `rewatch serve` shows kubectl and others the past with it. rewatch points its
// own engine at it for `rewatch demo --chaos`, and its tests make it misbehave in
// all the ways that real servers, proxies and networks do ([Server.Inject],
// [Endpoint], and the sub-package faultproxy).
//
// A Past is the recorded cluster as it was: objects byte for byte, with their
// resourceVersions, but for the fingerprints in Secrets, which are written in
// base64 so that clients can decode them, and namespaces, which are made up
// (and marked so) where they were not recorded. What was not watched does not
// look empty: it is an error or a Warning ([Coverage]).
//
// Delivery: a watch sees every change of its resource after its start
// position, in order and exactly once, or it ends. It never skips. A reader
// that stays more than [Options.WatchBuffer] changes behind for
// [Options.SlowGrace] is cut off, as a kube-apiserver does, and a position
// that fell out of the store's window is answered 410 Expired.
package timeserver
