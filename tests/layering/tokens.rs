//! Source text as tokens: no comments, no contents of strings, nothing that is compiled for tests only.

/// A token and the line on which it begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// A word, a number, one punctuation character, `::`, or `""` for any string or character.
    pub text: String,
    /// Counted from 1.
    pub line: usize,
}

/// The tokens of a source text, without items under `#[cfg(test)]`.
pub fn tokens(source: &str) -> Vec<Token> {
    without_tests(scan(source))
}

/// The modules that are files of their own for tests only: `NAME` of each `#[cfg(test)] mod NAME;`.
pub fn test_modules(source: &str) -> Vec<String> {
    let tokens = scan(source);
    let mut names = Vec::new();
    for at in 0..tokens.len() {
        if is_cfg_test(&tokens[at..]) {
            let rest: Vec<&str> =
                tokens[at + CFG_TEST.len()..].iter().take(4).map(|token| token.text.as_str()).collect();
            if let ["mod", name, ";", ..] | ["pub", "mod", name, ";"] = rest[..] {
                names.push(name.to_owned());
            }
        }
    }
    names
}

fn scan(source: &str) -> Vec<Token> {
    let chars: Vec<char> = source.chars().collect();
    let mut tokens = Vec::new();
    let (mut at, mut line) = (0, 1);
    while at < chars.len() {
        let begin = at;
        let text = if chars[at].is_whitespace() {
            at += 1;
            None
        } else if chars[at..].starts_with(&['/', '/']) {
            at = find(&chars, at, |c| c == '\n');
            None
        } else if chars[at..].starts_with(&['/', '*']) {
            at = after_block_comment(&chars, at);
            None
        } else if let Some(after) = after_string(&chars, at) {
            at = after;
            Some("\"\"".to_owned())
        } else if is_word(chars[at]) {
            at = find(&chars, at, |c| !is_word(c));
            Some(chars[begin..at].iter().collect())
        } else if chars[at] == '\'' {
            // A lifetime: the quote is dropped with its name.
            at = find(&chars, at + 1, |c| !is_word(c));
            None
        } else if chars[at..].starts_with(&[':', ':']) {
            at += 2;
            Some("::".to_owned())
        } else {
            at += 1;
            Some(chars[begin].to_string())
        };
        tokens.extend(text.map(|text| Token { text, line }));
        line += chars[begin..at].iter().filter(|&&c| c == '\n').count();
    }
    tokens
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The first position from `at` on where the character is as asked, or the end.
fn find(chars: &[char], at: usize, asked: impl Fn(char) -> bool) -> usize {
    chars[at..].iter().position(|&c| asked(c)).map_or(chars.len(), |offset| at + offset)
}

fn after_block_comment(chars: &[char], mut at: usize) -> usize {
    let mut depth = 0_usize;
    while at < chars.len() {
        if chars[at..].starts_with(&['/', '*']) {
            depth += 1;
            at += 2;
        } else if chars[at..].starts_with(&['*', '/']) {
            depth -= 1;
            at += 2;
            if depth == 0 {
                break;
            }
        } else {
            at += 1;
        }
    }
    at
}

/// Where a string or character literal that begins here ends; `None` if none begins here.
fn after_string(chars: &[char], at: usize) -> Option<usize> {
    let mut open = at;
    while matches!(chars.get(open), Some('b' | 'c' | 'r')) {
        open += 1;
    }
    let raw = chars[at..open].contains(&'r');
    let hashes = if raw { find(chars, open, |c| c != '#') - open } else { 0 };
    open += hashes;
    match chars.get(open) {
        Some('"') if raw => {
            let mut close = vec!['"'];
            close.resize(hashes + 1, '#');
            let length = chars[open + 1..].windows(close.len()).position(|window| window == close);
            Some(length.map_or(chars.len(), |length| open + 1 + length + close.len()))
        }
        Some('"') => Some(after_quote(chars, open, '"')),
        // A character, not a lifetime: `'x'` or `'\…'`.
        Some('\'') if !raw && (chars.get(open + 1) == Some(&'\\') || chars.get(open + 2) == Some(&'\'')) => {
            Some(after_quote(chars, open, '\''))
        }
        _ => None,
    }
}

fn after_quote(chars: &[char], open: usize, quote: char) -> usize {
    let mut at = open + 1;
    while at < chars.len() && chars[at] != quote {
        at += if chars[at] == '\\' { 2 } else { 1 };
    }
    (at + 1).min(chars.len())
}

const CFG_TEST: [&str; 7] = ["#", "[", "cfg", "(", "test", ")", "]"];

fn is_cfg_test(tokens: &[Token]) -> bool {
    tokens.len() >= CFG_TEST.len() && tokens.iter().zip(CFG_TEST).all(|(token, text)| token.text == text)
}

fn without_tests(tokens: Vec<Token>) -> Vec<Token> {
    let mut kept = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if is_cfg_test(&tokens[at..]) {
            at = after_item(&tokens, at + CFG_TEST.len());
        } else {
            kept.push(tokens[at].clone());
            at += 1;
        }
    }
    kept
}

/// Where an item ends: at a semicolon outside brackets, or at the brace that closes its body.
fn after_item(tokens: &[Token], mut at: usize) -> usize {
    let mut depth = 0_usize;
    while at < tokens.len() {
        match tokens[at].text.as_str() {
            "{" | "(" | "[" => depth += 1,
            ")" | "]" => depth = depth.saturating_sub(1),
            "}" => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at + 1;
                }
            }
            ";" if depth == 0 => return at + 1,
            _ => {}
        }
        at += 1;
    }
    at
}

#[test]
fn comments_strings_and_tests_are_left_out() {
    let source = r####"
//! println!
/* a /* nested */ unwrap() */
fn f<'a>(x: &'a str) -> char { g("un\"wrap", r#"fs"::"#, b'\'', 'x', '"'); '\n' }
#[cfg(test)]
mod tests { fn h() { x.unwrap(); } }
#[cfg(test)]
use std::fs;
fn after() {}
"####;
    let words: Vec<String> = tokens(source).into_iter().map(|token| token.text).collect();
    let expected = r#"fn f < > ( x : & str ) - > char { g ( "" , "" , "" , "" , "" ) ; "" } fn after ( ) { }"#;
    assert_eq!(words.join(" "), expected);
    assert_eq!(tokens(source).last().map(|token| token.line), Some(9));
}

#[test]
fn test_modules_are_found() {
    assert_eq!(test_modules("#[cfg(test)]\nmod tests;\nmod other;\n#[cfg(test)] mod more { }"), ["tests"]);
}
