// Package metrics reads what a server says of itself at /metrics, for as long
// as somebody looks: a few of its families, added up to a few figures.
//
// A page of a large cluster is tens of megabytes. It is read as a stream, a
// line at a time, and nothing is kept of it but the sums. One request is under
// way at a time; what was missed is not made up for.
package metrics
