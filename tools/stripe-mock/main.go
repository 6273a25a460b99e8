// Command stripe-mock serves the mock of Stripe's API, which checks requests by Stripe's OpenAPI document, on a port of
// loopback. It prints a line when it listens. Usage: stripe-mock <port>
package main

import (
	"fmt"
	"net"
	"net/http"
	"os"

	"github.com/stripe/stripe-mock/embedded"
	"github.com/stripe/stripe-mock/server"
)

func main() {
	if len(os.Args) != 2 {
		fail(fmt.Errorf("usage: stripe-mock <port>"))
	}
	spec, err := server.LoadSpec(embedded.OpenAPISpec, "")
	fail(err)
	fixtures, err := server.LoadFixtures(embedded.OpenAPIFixtures, "")
	fail(err)
	stub, err := server.NewStubServer(fixtures, spec, false, false)
	fail(err)
	listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", os.Args[1]))
	fail(err)
	fmt.Println("listening")
	fail(http.Serve(listener, http.HandlerFunc(stub.HandleRequest)))
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
