import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.junit.jupiter.Container;
import org.testcontainers.junit.jupiter.Testcontainers;
import org.testcontainers.utility.DockerImageName;

/** The server as a container; `docker build -t lakepact .` in the repository makes the image. Skipped without Docker. */
@Testcontainers(disabledWithoutDocker = true)
class ContainerTest {
    @Container
    static GenericContainer<?> catalog = new GenericContainer<>(DockerImageName.parse("lakepact"))
        .withExposedPorts(8181)
        .waitingFor(Wait.forHttp("/healthz"));

    @Test
    void namespaceIsListed() throws Exception {
        String url = "http://" + catalog.getHost() + ":" + catalog.getMappedPort(8181) + "/v1/namespaces";
        Lakepact.post(url, "{\"namespace\":[\"sales\"]}");

        assertTrue(Lakepact.get(url).body().contains("[[\"sales\"]]"));
    }
}
