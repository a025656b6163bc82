import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The server as a process, started once for the class. */
class ProcessTest {
    static Lakepact catalog;

    @BeforeAll
    static void start() throws Exception {
        catalog = new Lakepact();
    }

    @AfterAll
    static void stop() {
        catalog.close();
    }

    @Test
    void namespaceIsListed() throws Exception {
        assertEquals(200, Lakepact.post(catalog.url + "/v1/namespaces", "{\"namespace\":[\"sales\"]}").statusCode());

        assertTrue(Lakepact.get(catalog.url + "/v1/namespaces").body().contains("[[\"sales\"]]"));
    }

    @Test
    void outageIsAnError() throws Exception {
        try (Lakepact failing = new Lakepact("--fault", "listNamespaces.answers-503")) {
            assertEquals(503, Lakepact.get(failing.url + "/v1/namespaces").statusCode());
        }
    }
}
