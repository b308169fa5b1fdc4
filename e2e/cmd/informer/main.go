// Command informer syncs pods with a dynamic informer, as most tools do, and
// prints how many it holds: the peer that rewatch's cost is compared with. It
// ends when its input does.
package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/tools/clientcmd"
)

func main() {
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(kubeconfig string) error {
	cfg, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	client, err := dynamic.NewForConfig(cfg)
	if err != nil {
		return err
	}
	pods := dynamicinformer.NewDynamicSharedInformerFactory(client, 0).
		ForResource(schema.GroupVersionResource{Version: "v1", Resource: "pods"}).Informer()
	stop := make(chan struct{})
	go pods.Run(stop)
	for !pods.HasSynced() {
		time.Sleep(10 * time.Millisecond)
	}
	fmt.Println(len(pods.GetStore().ListKeys()))
	_, err = io.Copy(io.Discard, os.Stdin)
	close(stop)
	return err
}
