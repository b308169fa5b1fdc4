// Package watch is the engine of rewatch: one list/watch loop per stream, over
// rest.Request.Stream, publishing what the protocol does as well as what it
// carries.
//
// Delivery: every frame of a watch becomes one record of the log, in the order
// of receipt within its stream; what a frame could not say (changes missed
// while a stream was down) is found by comparing a fresh list with what was
// known, is marked model.Synthetic, and is framed by a model.Gap. A frame over
// the size cap is the one thing that is dropped, and its place is taken by a
// gap that says so. A stream never waits for a reader of the log.
//
// Why not client-go's Reflector or Request.Watch: they exist to hide rotations,
// cuts, expired positions and retries, which is what this program shows.
// Everything around the protocol (kubeconfig, TLS, exec plugins, proxies,
// impersonation, the decoding of Status errors) stays client-go's.
package watch
