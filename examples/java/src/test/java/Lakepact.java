import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;

/** The server as a process on a free port: {@code new Lakepact("--fault", "loadTable.answers-503")}. */
final class Lakepact implements AutoCloseable {
    final String url;
    private final Process process;

    Lakepact(String... options) throws Exception {
        List<String> command = new ArrayList<>(List.of("lakepact", "serve", "--port", "0", "--warehouse", "memory:"));
        command.addAll(List.of(options));
        process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        url = new BufferedReader(new InputStreamReader(process.getInputStream())).readLine();
        if (url == null) throw new IllegalStateException("lakepact does not start: docs/install.md, extra server");
    }

    @Override
    public void close() {
        process.destroy();
    }

    static HttpResponse<String> get(String address) throws Exception {
        return HttpClient.newHttpClient().send(HttpRequest.newBuilder(URI.create(address)).build(), BodyHandlers.ofString());
    }

    static HttpResponse<String> post(String address, String body) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(address)).header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(body)).build();
        return HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
    }
}
