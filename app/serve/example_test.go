package serve_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net"
	"net/http"
	"strings"

	"github.com/gramworks/gram"
	"github.com/gramworks/gram/app/catalog"
	"github.com/gramworks/gram/app/serve"
	"github.com/gramworks/gram/app/training"
	"github.com/gramworks/gram/dataset"
	"gonum.org/v1/gonum/mat"
)

// A regression model is trained, served on a free port, asked for two rows and
// stopped.
func ExampleServer_Serve() {
	data := &dataset.Set{X: mat.NewDense(4, 1, []float64{0, 1, 2, 3}), Value: []float64{1, 3, 5, 7}}
	method, err := catalog.Find("linear")
	if err != nil {
		log.Fatal(err)
	}
	fitter := method.New()
	model, err := training.Train(context.Background(), method, fitter, data, training.NoScale, gram.Run{})
	if err != nil {
		log.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- serve.New(model, serve.Config{}).Serve(ctx, listener) }()
	answer, err := http.Post("http://"+listener.Addr().String()+"/v1/predict", "", strings.NewReader(`{"rows": [[0], [3]]}`))
	if err != nil {
		log.Fatal(err)
	}
	var reply struct {
		Predictions []struct{ Value float64 }
	}
	err = json.NewDecoder(answer.Body).Decode(&reply)
	answer.Body.Close()
	fmt.Println(answer.Status, err)
	for _, p := range reply.Predictions {
		fmt.Printf("%.1f\n", p.Value)
	}
	stop()
	fmt.Println(<-ended)
	// Output:
	// 200 OK <nil>
	// 1.0
	// 7.0
	// <nil>
}
