//! The words of a line of a certificate.

use std::str::FromStr;

/// What is read, or what is wrong.
pub type Result<T, E = String> = std::result::Result<T, E>;

/// The words of a line.
#[derive(Clone, Copy, Debug)]
pub struct Words<'t> {
    /// What has not been read, without blanks in front.
    rest: &'t str,
}

impl<'t> Words<'t> {
    /// Of a line without blanks at its ends.
    pub fn of(line: &'t str) -> Words<'t> {
        Words { rest: line }
    }

    /// Whether there is no more.
    pub fn is_done(&self) -> bool {
        self.rest.is_empty()
    }

    /// Whether this comes next.
    pub fn starts_with(&self, sign: char) -> bool {
        self.rest.starts_with(sign)
    }

    /// All that comes.
    pub fn all(&mut self) -> &'t str {
        std::mem::take(&mut self.rest)
    }

    /// The next word.
    ///
    /// # Errors
    /// If there is none.
    pub fn plain(&mut self) -> Result<&'t str> {
        let end = self.rest.find(char::is_whitespace).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest.trim_start();
        if word.is_empty() { Err("the line ends too soon".into()) } else { Ok(word) }
    }

    /// Reads this word.
    ///
    /// # Errors
    /// If another one comes next.
    pub fn sign(&mut self, wanted: &str) -> Result<()> {
        match self.plain()? {
            word if word == wanted => Ok(()),
            other => Err(format!("expected `{wanted}`, found `{}`", shortened(other))),
        }
    }

    /// A number.
    ///
    /// # Errors
    /// If something else comes next.
    pub fn number<T: FromStr>(&mut self) -> Result<T> {
        let word = self.plain()?;
        word.parse().map_err(|_| format!("expected a number, found `{}`", shortened(word)))
    }

    /// A fingerprint, with the word that says what it is.
    ///
    /// # Errors
    /// If something else comes next.
    pub fn fingerprint(&mut self) -> Result<u64> {
        self.sign("fnv1a64")?;
        let number = self.plain()?;
        u64::from_str_radix(number, 16).map_err(|_| format!("`{number}` is no fingerprint"))
    }

    /// A string of JSON.
    ///
    /// # Errors
    /// If something else comes next.
    pub fn name(&mut self) -> Result<String> {
        let mut stream = serde_json::Deserializer::from_str(self.rest).into_iter::<String>();
        let name = stream.next().and_then(std::result::Result::ok);
        let name = name.ok_or_else(|| format!("expected a name in quotes at `{}`", shortened(self.rest)))?;
        self.rest = self.rest[stream.byte_offset()..].trim_start();
        Ok(name)
    }

    /// Nothing more.
    ///
    /// # Errors
    /// If there is more.
    pub fn end(&self) -> Result<()> {
        if self.rest.is_empty() {
            Ok(())
        } else {
            Err(format!("nothing follows here, but there is `{}`", shortened(self.rest)))
        }
    }
}

/// The beginning of a text.
pub fn shortened(text: &str) -> String {
    text.chars().take(40).collect()
}
