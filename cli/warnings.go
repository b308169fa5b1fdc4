package cli

import (
	"net/http"

	utilnet "k8s.io/apimachinery/pkg/util/net"
)

// warningTap hands on the warnings that servers put into the headers of their
// answers, such as that an API version is deprecated.
func warningTap(tell func(text string)) func(http.RoundTripper) http.RoundTripper {
	return func(next http.RoundTripper) http.RoundTripper { return warner{next, tell} }
}

type warner struct {
	next http.RoundTripper
	tell func(text string)
}

// RoundTrip implements http.RoundTripper.
func (w warner) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := w.next.RoundTrip(r)
	if err != nil {
		return resp, err
	}
	// Headers that are not as the RFC wants them are no warnings.
	warnings, _ := utilnet.ParseWarningHeaders(resp.Header["Warning"])
	for _, x := range warnings {
		if x.Code == 299 && x.Text != "" { // the only code that Kubernetes uses
			w.tell(x.Text)
		}
	}
	return resp, nil
}

// WrappedRoundTripper lets client-go look through the wrapper.
func (w warner) WrappedRoundTripper() http.RoundTripper { return w.next }
