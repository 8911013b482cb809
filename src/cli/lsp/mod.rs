//! `puch lsp`: a language server on standard input and output.
//!
//! One thread reads messages and keeps the documents, so that it always hears a cancellation. A second one answers what takes
//! as long as reading the text, a third one what takes a search, within limits of its own.

mod about;

mod answers;

mod channel;

mod diagnostics;

mod documents;

mod hover;

mod invariants;

use std::collections::HashSet;
use std::io::{self, BufReader};
use std::panic::AssertUnwindSafe;
use std::process::ExitCode;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use anyhow::anyhow;
use gen_lsp_types::{CancelParams, Id, MessageType};
use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{FINE, FOUND, Failure, WRONG, tell};
use channel::{Client, Heard, hear};
use documents::{Document, Documents};

/// After so many things that are no messages, one after the other, nobody is there who speaks the protocol.
const MAX_STRAY_MESSAGES: usize = 100;

/// What threads share.
struct Shared {
    client: Client,
    documents: Mutex<Documents>,
    /// Requests that have no answer yet.
    pending: Mutex<HashSet<RequestId>>,
}

/// What is to be done.
enum Job {
    /// Say what is wrong with the present text of a document.
    Look(String),
    /// Answer a request about the text that the document had when it came.
    Answer(Request, Option<Arc<Document>>),
}

/// Why a request has no answer.
struct Refusal(ErrorCode, String);

impl From<serde_json::Error> for Refusal {
    fn from(error: serde_json::Error) -> Refusal {
        Refusal(ErrorCode::InvalidParams, error.to_string())
    }
}

/// What is known of the conversation.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Beginning,
    Open,
    ShutDown,
}

/// `puch lsp`
///
/// Exit codes: 0 after `shutdown` and `exit`; 1 if the client went away without; 2 if what comes is not the protocol.
pub fn run() -> Result<ExitCode, Failure> {
    let shared = Arc::new(Shared { client: Client::new(), documents: Mutex::default(), pending: Mutex::default() });
    let (quick, quick_jobs) = channel();
    let (slow, slow_jobs) = channel();
    let workers = [worker("puch-lsp", &shared, quick_jobs)?, worker("puch-lsp-facts", &shared, slow_jobs)?];
    let mut server = Server { shared, quick, slow, phase: Phase::Beginning };
    let code = server.conversation();
    if code == FINE {
        // What was asked before the end is answered; a search that goes on ends with its limits.
        let Server { shared, quick, slow, .. } = server;
        shared.forget_all();
        drop((quick, slow));
        let [first, _] = workers;
        let _ = first.join();
    }
    Ok(ExitCode::from(code))
}

fn worker(name: &str, shared: &Arc<Shared>, jobs: Receiver<Job>) -> Result<JoinHandle<()>, Failure> {
    let shared = Arc::clone(shared);
    thread::Builder::new()
        .name(name.into())
        .stack_size(16 << 20)
        .spawn(move || jobs.into_iter().for_each(|job| shared.done(job)))
        .map_err(|error| anyhow!("cannot start a thread: {error}").into())
}

/// The thread that listens.
struct Server {
    shared: Arc<Shared>,
    quick: Sender<Job>,
    slow: Sender<Job>,
    phase: Phase,
}

impl Server {
    /// Listens until the end; how it ended.
    fn conversation(&mut self) -> u8 {
        let mut input = BufReader::new(io::stdin().lock());
        let mut broken = 0;
        loop {
            match hear(&mut input) {
                Heard::End => {
                    tell("error: the client went away without saying `exit`");
                    return FOUND;
                }
                Heard::Noise(what) => {
                    broken += 1;
                    self.shared.client.log(MessageType::Error, &format!("this is no message: {what}"));
                    if broken == MAX_STRAY_MESSAGES {
                        tell(&format!("error: standard input does not speak the language server protocol: {what}"));
                        return WRONG;
                    }
                }
                Heard::Message(Message::Notification(notification)) if notification.method == "exit" => {
                    return if self.phase == Phase::ShutDown { FINE } else { FOUND };
                }
                Heard::Message(message) => {
                    broken = 0;
                    match message {
                        Message::Request(request) => self.request(request),
                        Message::Notification(notification) => self.notification(notification),
                        // Nothing is ever asked of the client.
                        Message::Response(_) => {}
                    }
                }
            }
        }
    }

    fn request(&mut self, request: Request) {
        let id = request.id.clone();
        match (request.method.as_str(), self.phase) {
            ("initialize", Phase::Beginning) => {
                self.phase = Phase::Open;
                self.shared.client.send(Message::Response(Response::new_ok(id, answers::initialized())));
            }
            (_, Phase::Beginning) => {
                self.shared.refuse(id, Refusal(ErrorCode::ServerNotInitialized, "`initialize` comes first".into()));
            }
            (_, Phase::ShutDown) | ("initialize", _) => {
                let why = format!("`{}` cannot be asked now", request.method);
                self.shared.refuse(id, Refusal(ErrorCode::InvalidRequest, why));
            }
            ("shutdown", Phase::Open) => {
                self.phase = Phase::ShutDown;
                self.shared.client.send(Message::Response(Response::new_ok(id, Value::Null)));
            }
            _ => {
                let uri = request.params["textDocument"]["uri"].as_str();
                let document = uri.and_then(|uri| self.shared.documents().get(uri));
                self.shared.pending().insert(id);
                let jobs = if request.method == "textDocument/hover" { &self.slow } else { &self.quick };
                // Workers live as long as this.
                let _ = jobs.send(Job::Answer(request, document));
            }
        }
    }

    fn notification(&mut self, notification: Notification) {
        if self.phase != Phase::Open {
            return;
        }
        let Notification { method, params } = notification;
        let changed = match method.as_str() {
            "textDocument/didOpen" => understood(params).map(|params| self.shared.documents().open(params)),
            "textDocument/didChange" => understood(params).map(|params| self.shared.documents().change(params)),
            "textDocument/didClose" => understood(params).map(|params| self.shared.documents().close(params)),
            "$/cancelRequest" => understood(params).map(|CancelParams { id }| {
                let id = match id {
                    Id::Int(number) => RequestId::from(number),
                    Id::String(text) => RequestId::from(text),
                };
                self.shared.refuse_pending(id, Refusal(ErrorCode::RequestCanceled, "cancelled".into()));
                None
            }),
            _ => return,
        };
        match changed {
            Ok(Some(uri)) => drop(self.quick.send(Job::Look(uri))),
            Ok(None) => {}
            Err(Refusal(_, why)) => self.shared.client.log(MessageType::Error, &format!("`{method}`: {why}")),
        }
    }
}

fn understood<T: DeserializeOwned>(params: Value) -> Result<T, Refusal> {
    Ok(serde_json::from_value(params)?)
}

impl Shared {
    fn documents(&self) -> std::sync::MutexGuard<'_, Documents> {
        self.documents.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn pending(&self) -> std::sync::MutexGuard<'_, HashSet<RequestId>> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn refuse(&self, id: RequestId, Refusal(code, why): Refusal) {
        self.client.send(Message::Response(Response::new_err(id, code as i32, why)));
    }

    /// Refuses a request that has no answer yet.
    fn refuse_pending(&self, id: RequestId, refusal: Refusal) {
        if self.pending().remove(&id) {
            self.refuse(id, refusal);
        }
    }

    /// Nobody waits for answers any more.
    fn forget_all(&self) {
        let mut left: Vec<RequestId> = self.pending().drain().collect();
        left.sort();
        for id in left {
            self.refuse(id, Refusal(ErrorCode::RequestCanceled, "the server ends".into()));
        }
    }

    fn done(&self, job: Job) {
        match job {
            Job::Look(uri) => {
                let document = self.documents().get(&uri);
                let found = std::panic::catch_unwind(AssertUnwindSafe(|| diagnostics::published(document, &uri)));
                match found {
                    Ok(Some(params)) => self.client.notify("textDocument/publishDiagnostics", &params),
                    Ok(None) => {}
                    Err(_) => self.client.log(MessageType::Error, "a defect of puch; please report it"),
                }
            }
            Job::Answer(request, document) => {
                let id = request.id.clone();
                if !self.pending().contains(&id) {
                    return;
                }
                let answered = std::panic::catch_unwind(AssertUnwindSafe(|| answers::answer(request, document)));
                match answered {
                    Ok(Ok(answer)) => {
                        if self.pending().remove(&id) {
                            self.client.send(Message::Response(Response::new_ok(id, answer)));
                        }
                    }
                    Ok(Err(refusal)) => self.refuse_pending(id, refusal),
                    Err(_) => {
                        let why = "a defect of puch; please report it".into();
                        self.refuse_pending(id, Refusal(ErrorCode::InternalError, why));
                    }
                }
            }
        }
    }
}
