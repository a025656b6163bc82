// java CatalogTest.java: the server as a process. In JUnit 5, start() belongs into @BeforeAll and stop into @AfterAll.
// With Testcontainers and the image of the Dockerfile:
//   new GenericContainer<>("lakepact").withExposedPorts(8181).waitingFor(Wait.forHttp("/healthz"))
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;

public class CatalogTest {
    static Process server;

    static String start() throws Exception {
        server = new ProcessBuilder("lakepact", "serve", "--port", "0", "--warehouse", "memory:").start();
        return new BufferedReader(new InputStreamReader(server.getInputStream())).readLine();
    }

    public static void main(String[] arguments) throws Exception {
        URI namespaces = URI.create(start() + "/v1/namespaces");
        try {
            HttpClient client = HttpClient.newHttpClient();
            var body = HttpRequest.BodyPublishers.ofString("{\"namespace\":[\"sales\"]}");
            var create = HttpRequest.newBuilder(namespaces).header("Content-Type", "application/json").POST(body).build();
            client.send(create, BodyHandlers.ofString());
            String listed = client.send(HttpRequest.newBuilder(namespaces).build(), BodyHandlers.ofString()).body();
            if (!listed.contains("[[\"sales\"]]")) throw new AssertionError(listed);
        } finally {
            server.destroy();
        }
    }
}
