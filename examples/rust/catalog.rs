// rustc --test catalog.rs && ./catalog: the server as a process, with the standard library alone.
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

struct Catalog {
    process: Child,
    address: String,
}

impl Catalog {
    fn start() -> Catalog {
        let mut process = Command::new("lakepact")
            .args(["serve", "--port", "0", "--warehouse", "memory:"])
            .stdout(Stdio::piped())
            .spawn()
            .expect("lakepact does not start: install its extra server, see docs/install.md");
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        Catalog { process, address: line.trim().replace("http://", "") }
    }

    fn send(&self, method: &str, path: &str, body: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let length = body.len();
        let head = format!("{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n", self.address);
        write!(stream, "{head}Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}").unwrap();
        let mut reply = String::new();
        stream.read_to_string(&mut reply).unwrap();
        reply
    }
}

impl Drop for Catalog {
    fn drop(&mut self) {
        self.process.kill().ok();
        self.process.wait().ok();
    }
}

#[test]
fn namespace_is_listed() {
    let catalog = Catalog::start();
    catalog.send("POST", "/v1/namespaces", r#"{"namespace":["sales"]}"#);
    assert!(catalog.send("GET", "/v1/namespaces", "").contains(r#"[["sales"]]"#));
}
