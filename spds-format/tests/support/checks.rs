//! What must be true of every input. The fuzz targets call these functions, and so do stable tests with fixed seeds.

use spds_format::{parse, parse_bytes, parse_condition, parse_with_warnings, print, validate};

/// Reads bytes as a text. If it is one, printing and reading it gives it again; if not, the complaints point into it.
pub fn parse_anything(bytes: &[u8]) {
    match parse_bytes(bytes) {
        Ok(model) => {
            assert_eq!(validate(&model), [], "what the parser takes is valid");
            let text = print(&model);
            assert_eq!(parse(&text).as_ref(), Ok(&model), "{text}");
            let (again, warnings) = parse_with_warnings(&text).expect("it has just been read");
            assert_eq!(again, model);
            assert!(warnings.iter().all(|warning| !warning.is_error()));
        }
        Err(mistakes) => {
            assert!(!mistakes.is_empty(), "a text is refused for a reason");
            let text = std::str::from_utf8(bytes).ok();
            for mistake in mistakes {
                assert!(mistake.is_error() && !mistake.message.is_empty(), "{mistake:?}");
                for span in mistake.span.iter().chain(mistake.related.iter().map(|(span, _)| span)) {
                    assert!(span.start <= span.end && span.end <= bytes.len(), "{mistake:?}");
                    assert!(text.is_none_or(|text| text.get(span.clone()).is_some()), "{mistake:?}");
                }
            }
        }
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        let model = parse("spds 1 global x: u3, a: bool[0..1]; frame f { l: bool } control p; symbol s; start <p, s>;")
            .expect("a small model");
        if let Err(mistakes) = parse_condition(&model, None, text) {
            assert!(!mistakes.is_empty());
        }
    }
}
