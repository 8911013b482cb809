//! Texts that nobody wrote: random bytes, tokens in any order, texts with mistakes in them. What reads them takes or refuses
//! them in good order.

use fastrand::Rng;

/// A language to be written badly, and its reader.
pub struct Soup<'a> {
    pub tokens: &'a [&'a str],
    /// What tokens are put behind.
    pub beginnings: &'a [&'a str],
    pub texts: &'a [&'a str],
    pub read: fn(&[u8]),
}

impl Soup<'_> {
    pub fn random_bytes(&self) {
        let mut rng = Rng::with_seed(1);
        for _ in 0..2000 {
            let mask = if rng.u32(..8) == 0 { 0xff } else { 0x7f };
            let bytes: Vec<u8> = (0..rng.usize(..80)).map(|_| rng.u8(..) & mask).collect();
            (self.read)(&bytes);
        }
    }

    pub fn tokens_in_any_order(&self) {
        let mut rng = Rng::with_seed(2);
        for _ in 0..4000 {
            let mut text = String::from(self.beginnings[rng.usize(..self.beginnings.len())]);
            for _ in 0..rng.usize(..60) {
                text += self.token(&mut rng);
                text += if rng.u32(..9) == 0 { "" } else { " " };
            }
            (self.read)(text.as_bytes());
        }
    }

    pub fn texts_with_mistakes(&self) {
        let mut rng = Rng::with_seed(3);
        for round in 0..4000 {
            let mut bytes = self.texts[round % self.texts.len()].as_bytes().to_vec();
            for _ in 0..rng.usize(..4) {
                self.mistake(&mut bytes, &mut rng);
            }
            (self.read)(&bytes);
        }
    }

    /// Something is left out, changed, put in or said twice.
    fn mistake(&self, bytes: &mut Vec<u8>, rng: &mut Rng) {
        let at = rng.usize(..bytes.len());
        match rng.u32(..5) {
            0 => drop(bytes.drain(at..(at + rng.usize(..12)).min(bytes.len()))),
            1 => bytes[at] = rng.u8(..0x80),
            2 => drop(bytes.splice(at..at, self.token(rng).bytes())),
            3 => drop(bytes.splice(at..at, format!(" {} ", self.token(rng)).into_bytes())),
            _ => {
                let piece = bytes[at..(at + 20).min(bytes.len())].to_vec();
                let to = rng.usize(..bytes.len());
                drop(bytes.splice(to..to, piece));
            }
        }
    }

    pub fn texts_cut_anywhere(&self) {
        for text in self.texts {
            for end in 0..=text.len() {
                (self.read)(&text.as_bytes()[..end]);
            }
        }
    }

    fn token(&self, rng: &mut Rng) -> &str {
        self.tokens[rng.usize(..self.tokens.len())]
    }
}
