//! Messages as they come and go: framed by lengths, as `lsp-server` reads and writes them.

use std::io::{self, BufRead, ErrorKind, Read};

use gen_lsp_types::{LogMessageParams, MessageType};
use lsp_server::{Message, Notification};
use serde::Serialize;

/// Longer messages are refused before room is made for them.
const LONGEST: u64 = 1 << 30;

/// What was heard.
pub enum Heard {
    /// A message.
    Message(Message),
    /// Something else; why it is none.
    Noise(String),
    /// Nothing will come any more.
    End,
}

/// Waits for a message.
pub fn hear(input: &mut impl BufRead) -> Heard {
    match Message::read(&mut Measured(input)) {
        Ok(Some(message)) => Heard::Message(message),
        Ok(None) => Heard::End,
        Err(error) if error.kind() == ErrorKind::InvalidData => {
            let mut text = error.to_string();
            if let Some((cut, _)) = text.char_indices().nth(200) {
                text.truncate(cut);
                text.push('…');
            }
            Heard::Noise(text)
        }
        Err(_) => Heard::End,
    }
}

/// Input whose lines, which say how long messages are, are looked at.
struct Measured<'i, R>(&'i mut R);

impl<R: BufRead> Read for Measured<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer)
    }
}

impl<R: BufRead> BufRead for Measured<'_, R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.0.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        self.0.consume(amount);
    }

    fn read_line(&mut self, line: &mut String) -> io::Result<usize> {
        let begin = line.len();
        // No header is longer.
        let read = (&mut *self.0).take(1 << 12).read_line(line)?;
        let length = line[begin..].split_once(':').and_then(|(_, length)| length.trim().parse::<u64>().ok());
        match length {
            Some(length) if length > LONGEST => {
                Err(io::Error::new(ErrorKind::InvalidData, format!("it would have {length} bytes")))
            }
            _ => Ok(read),
        }
    }
}

/// Who is spoken to.
pub struct Client(());

impl Client {
    /// On standard output.
    pub fn new() -> Client {
        Client(())
    }

    /// Says something. If nobody listens, the end of what comes from there will tell.
    pub fn send(&self, message: Message) {
        let _ = message.write(&mut io::stdout().lock());
    }

    /// Says something that needs no answer.
    pub fn notify(&self, method: &str, params: &impl Serialize) {
        if let Ok(params) = serde_json::to_value(params) {
            self.send(Message::Notification(Notification { method: method.to_owned(), params }));
        }
    }

    /// Says something to whoever reads logs.
    pub fn log(&self, kind: MessageType, message: &str) {
        self.notify("window/logMessage", &LogMessageParams { kind, message: message.to_owned() });
    }
}
