//! An editor as a language server sees one: messages framed by their lengths, answers awaited.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

/// Nothing takes longer.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server and what it has said.
pub struct Editor {
    child: Child,
    input: Option<ChildStdin>,
    heard: Receiver<Value>,
    /// What came while something else was awaited.
    kept: Vec<Value>,
    next: i32,
}

impl Editor {
    /// Starts a server, and says nothing yet.
    pub fn silent(mut command: Command) -> Editor {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the server can be started");
        let output = child.stdout.take().expect("there is a pipe");
        let (say, heard) = channel();
        std::thread::spawn(move || {
            let mut output = BufReader::new(output);
            while let Some(message) = message(&mut output) {
                if say.send(message).is_err() {
                    break;
                }
            }
        });
        let input = child.stdin.take();
        Editor { child, input, heard, kept: Vec::new(), next: 0 }
    }

    /// Starts a server and introduces itself; with what the server says that it can do.
    pub fn new(command: Command) -> (Editor, Value) {
        let mut editor = Editor::silent(command);
        let answer = editor.ask("initialize", json!({"processId": null, "rootUri": null, "capabilities": {}}));
        editor.tell("initialized", json!({}));
        let capabilities = answer["result"]["capabilities"].clone();
        (editor, capabilities)
    }

    /// Sends bytes as they are.
    pub fn raw(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("it was not closed");
        input.write_all(bytes).and_then(|()| input.flush()).expect("the server listens");
    }

    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        self.raw(format!("Content-Length: {}\r\n\r\n{text}", text.len()).as_bytes());
    }

    /// Says something.
    pub fn tell(&mut self, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// Asks something, without waiting; the number of the question.
    pub fn begin(&mut self, method: &str, params: Value) -> i32 {
        self.next += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": self.next, "method": method, "params": params}));
        self.next
    }

    /// Asks something; the whole answer.
    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.begin(method, params);
        self.answer(id)
    }

    /// The answer to a question.
    pub fn answer(&mut self, id: i32) -> Value {
        self.await_message(|message| message["id"] == id && message.get("method").is_none())
    }

    /// The next notification of that kind.
    pub fn told(&mut self, method: &str) -> Value {
        self.await_message(|message| message["method"] == method)["params"].clone()
    }

    /// The diagnostics of that version of a document.
    pub fn diagnostics(&mut self, uri: &str, version: i32) -> Vec<Value> {
        let wanted = |message: &Value| {
            let params = &message["params"];
            message["method"] == "textDocument/publishDiagnostics"
                && params["uri"] == uri
                && params["version"] == version
        };
        self.await_message(wanted)["params"]["diagnostics"].as_array().expect("a list").clone()
    }

    /// The next message of that kind.
    fn await_message(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.kept.iter().position(&wanted) {
            return self.kept.remove(at);
        }
        loop {
            let message = self.heard.recv_timeout(PATIENCE).expect("the server answers in time");
            assert_eq!(message["jsonrpc"], "2.0");
            if wanted(&message) {
                return message;
            }
            self.kept.push(message);
        }
    }

    /// Opens a text.
    pub fn open(&mut self, uri: &str, language: &str, text: &str) {
        let item = json!({"uri": uri, "languageId": language, "version": 1, "text": text});
        self.tell("textDocument/didOpen", json!({"textDocument": item}));
    }

    /// Changes a text: the whole, or parts.
    pub fn change(&mut self, uri: &str, version: i32, changes: Value) {
        let document = json!({"uri": uri, "version": version});
        self.tell("textDocument/didChange", json!({"textDocument": document, "contentChanges": changes}));
    }

    /// Asks about a place.
    pub fn at(&mut self, method: &str, uri: &str, line: u32, character: u32) -> Value {
        let position = json!({"line": line, "character": character});
        self.ask(method, json!({"textDocument": {"uri": uri}, "position": position}))["result"].clone()
    }

    /// Ends the conversation as it should be ended: the exit code.
    pub fn end(mut self) -> i32 {
        let answer = self.ask("shutdown", Value::Null);
        assert!(answer.get("error").is_none() && answer["result"].is_null(), "{answer}");
        self.tell("exit", Value::Null);
        self.code()
    }

    /// Goes away: the exit code, and what was said on standard error.
    pub fn leave(mut self) -> (i32, String) {
        drop(self.input.take());
        let mut told = String::new();
        let mut errors = self.child.stderr.take().expect("there is a pipe");
        errors.read_to_string(&mut told).expect("complaints are text");
        (self.code(), told)
    }

    /// The exit code of a server that ends by itself.
    pub fn code(&mut self) -> i32 {
        let began = std::time::Instant::now();
        while began.elapsed() < PATIENCE {
            if let Some(status) = self.child.try_wait().expect("it can be waited for") {
                return status.code().expect("it was not killed");
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        panic!("the server does not end");
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn message(output: &mut BufReader<ChildStdout>) -> Option<Value> {
    let mut length = None;
    loop {
        let mut line = String::new();
        if output.read_line(&mut line).ok()? == 0 {
            return None;
        }
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        length = line.strip_prefix("Content-Length: ").map(|length| length.parse::<usize>().expect("a length"));
    }
    let mut text = vec![0; length.expect("messages say how long they are")];
    output.read_exact(&mut text).ok()?;
    Some(serde_json::from_slice(&text).expect("messages are JSON"))
}
