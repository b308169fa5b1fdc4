package resolve

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"

	"rewatch/model"
	"rewatch/model/near"
)

const (
	// namespacePatience bounds the look for namespaces, which is only advice:
	// the start does not wait long for it.
	namespacePatience = 3 * time.Second
	// listedNamespaces is how many names a guess is made from.
	listedNamespaces = "500"
)

// missingNamespaces notes which of the namespaces do not exist: a watch in one
// of them succeeds like any other, and stays empty. Where the server does not
// say (a user of one namespace often may not get it), nothing is noted.
func missingNamespaces(ctx context.Context, client rest.Interface, names []string) []model.Note {
	ctx, cancel := context.WithTimeout(ctx, namespacePatience)
	defer cancel()
	missing := make([]bool, len(names))
	var all sync.WaitGroup
	for i, name := range names {
		all.Go(func() {
			exists, err := hasNamespace(ctx, client, name)
			missing[i] = !exists && err == nil
		})
	}
	all.Wait()
	var notes []model.Note
	var existing []string
	for i, name := range names {
		if !missing[i] {
			continue
		}
		if notes == nil {
			existing = listNamespaces(ctx, client)
		}
		text := fmt.Sprintf("namespace %q does not exist", name)
		if meant := near.Names(name, existing, 3); len(meant) > 0 {
			text += fmt.Sprintf(`; did you mean "%s"?`, strings.Join(meant, `", "`))
		}
		notes = append(notes, model.Note{Cause: model.CauseNotFound, Text: text + " (kubectl get ns)"})
	}
	return notes
}

// HasNamespace reports whether a server has a namespace; an error says that this
// user may not see it, or that the server did not answer.
func HasNamespace(ctx context.Context, cfg *rest.Config, name string) (bool, error) {
	client, err := newClient(cfg)
	if err != nil {
		return false, err
	}
	return hasNamespace(ctx, client.RESTClient(), name)
}

func hasNamespace(ctx context.Context, client rest.Interface, name string) (bool, error) {
	err := client.Get().AbsPath("/api/v1/namespaces", name).Do(ctx).Error()
	// A 404 that is no Status is about the path, or a proxy's.
	if apierrors.IsNotFound(err) && !apierrors.IsUnexpectedServerError(err) {
		return false, nil
	}
	return err == nil, err
}

// listNamespaces are the names of the first namespaces, none if this user may
// not list them.
func listNamespaces(ctx context.Context, client rest.Interface) []string {
	const namesOnly = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json"
	raw, err := client.Get().AbsPath("/api/v1/namespaces").Param("limit", listedNamespaces).
		SetHeader("Accept", namesOnly).DoRaw(ctx)
	var list struct {
		Items []struct{ Metadata struct{ Name string } }
	}
	if err != nil || json.Unmarshal(raw, &list) != nil {
		return nil
	}
	var names []string
	for _, item := range list.Items {
		names = append(names, item.Metadata.Name)
	}
	return names
}
