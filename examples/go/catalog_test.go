// go test: the server as a process, started by one function.
package example

import (
	"bufio"
	"encoding/json"
	"net/http"
	"os/exec"
	"strings"
	"testing"
)

func catalog(t *testing.T, options ...string) string {
	server := exec.Command("lakepact", append([]string{"serve", "--port", "0", "--warehouse", "memory:"}, options...)...)
	out, err := server.StdoutPipe()
	if err != nil || server.Start() != nil {
		t.Fatal("lakepact does not start: install its extra server, see docs/install.md")
	}
	t.Cleanup(func() { server.Process.Kill(); server.Wait() })
	url, _ := bufio.NewReader(out).ReadString('\n')
	return strings.TrimSpace(url)
}

func TestNamespaceIsListed(t *testing.T) {
	url := catalog(t) + "/v1/namespaces"
	if _, err := http.Post(url, "application/json", strings.NewReader(`{"namespace":["sales"]}`)); err != nil {
		t.Fatal(err)
	}
	reply, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	var listed struct{ Namespaces [][]string }
	json.NewDecoder(reply.Body).Decode(&listed)
	if len(listed.Namespaces) != 1 || listed.Namespaces[0][0] != "sales" {
		t.Fatal(listed)
	}
}

func TestOutageIsAnError(t *testing.T) {
	reply, err := http.Get(catalog(t, "--fault", "listNamespaces.answers-503") + "/v1/namespaces")
	if err != nil || reply.StatusCode != 503 {
		t.Fatal(reply, err)
	}
}
