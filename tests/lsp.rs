//! `puch lsp` as editors speak with it: over standard input and output.

mod shell;
#[path = "support/editor.rs"]
mod support;

use std::fs;
use std::process::Command;

use serde_json::{Value, json};
use support::Editor;

fn server() -> Command {
    let mut command = shell::command();
    command.arg("lsp");
    command
}

fn editor() -> Editor {
    Editor::new(server()).0
}

/// An example, open in an editor.
fn opened(path: &str, language: &str) -> (Editor, String, String) {
    let text = fs::read_to_string(shell::root().join(path)).expect("an example");
    let uri = format!("file:///{path}");
    let mut editor = editor();
    editor.open(&uri, language, &text);
    (editor, uri, text)
}

/// Line and column, from 0, of the first occurrence of a text that is ASCII.
fn find(text: &str, part: &str) -> (u32, u32) {
    let at = text.find(part).unwrap_or_else(|| panic!("no `{part}`"));
    let line = text[..at].matches('\n').count();
    let column = at - text[..at].rfind('\n').map_or(0, |end| end + 1);
    (u32::try_from(line).expect("small"), u32::try_from(column).expect("small"))
}

fn value(hover: &Value) -> &str {
    hover["contents"]["value"].as_str().unwrap_or("")
}

#[test]
fn a_conversation_begins_and_ends_as_the_protocol_says() {
    let (mut editor, capabilities) = Editor::new(server());
    assert_eq!(capabilities["positionEncoding"], "utf-16");
    assert_eq!(capabilities["textDocumentSync"]["change"], 2);
    for provider in ["hoverProvider", "definitionProvider", "documentSymbolProvider"] {
        assert_eq!(capabilities[provider], true, "{provider}");
    }
    assert!(capabilities["completionProvider"].is_object());
    assert_eq!(editor.ask("initialize", json!({"capabilities": {}}))["error"]["code"], -32600);
    assert_eq!(editor.ask("textDocument/unheardOf", json!({}))["error"]["code"], -32601);
    assert_eq!(editor.end(), 0);
}

#[test]
fn how_it_ends_is_an_exit_code() {
    let mut rude = editor();
    rude.tell("exit", Value::Null);
    assert_eq!(rude.code(), 1);
    let (code, told) = editor().leave();
    assert_eq!((code, told.as_str()), (1, "error: the client went away without saying `exit`\n"));
    let mut late = editor();
    late.ask("shutdown", Value::Null);
    let refused = late.ask("textDocument/hover", json!({}));
    assert_eq!(refused["error"]["code"], -32600);
    late.tell("exit", Value::Null);
    assert_eq!(late.code(), 0);
    let mut early = Editor::silent(server());
    assert_eq!(early.ask("textDocument/hover", json!({}))["error"]["code"], -32002);
}

#[test]
fn what_is_wrong_is_told_while_one_types() {
    for (ending, right, wrong, place) in [
        (
            "bp",
            "decl x;\nvoid main() begin\n  x := 1;\nend\n",
            "decl x;\nvoid main() begin\n  y := 1;\nend\n",
            (2, 2, 3),
        ),
        (
            "rem",
            "int x(3);\nmodule void main() {\n  x = 1;\n}\n",
            "int x(3);\nmodule void main() {\n  y = 1;\n}\n",
            (2, 2, 3),
        ),
        (
            "pds",
            "(q <a>)\nglobal bool x;\nq <a> --> q <> (x)\n",
            "(q <a>)\nglobal bool x;\nq <a> --> q <> (y)\n",
            (2, 16, 17),
        ),
        (
            "spds",
            "spds 1\ncontrol p; symbol a;\nstart <p, a>;\nrule <p, a> -> <p>;\n",
            "spds 1\ncontrol p; symbol a;\nstart <p, a>;\nrule <p, b> -> <p>;\n",
            (3, 9, 10),
        ),
        ("c", "int main(void) { int x = 1; return x; }\n", "int main(void) { int x = 1; return y; }\n", (0, 35, 36)),
    ] {
        let mut editor = editor();
        let uri = format!("untitled:one.{ending}");
        editor.open(&uri, "plaintext", right);
        let errors = |found: Vec<Value>| found.into_iter().filter(|one| one["severity"] == 1).collect::<Vec<_>>();
        assert_eq!(errors(editor.diagnostics(&uri, 1)), [Value::Null; 0], "{ending}");
        editor.change(&uri, 2, json!([{"text": wrong}]));
        let found = errors(editor.diagnostics(&uri, 2));
        let (line, from, to) = place;
        let range = json!({"start": {"line": line, "character": from}, "end": {"line": line, "character": to}});
        assert_eq!(found[0]["range"], range, "{ending}: {found:?}");
        assert_eq!(found[0]["source"], "puch");
        editor.change(&uri, 3, json!([{"text": right}]));
        assert_eq!(errors(editor.diagnostics(&uri, 3)), [Value::Null; 0], "{ending}");
        editor.tell("textDocument/didClose", json!({"textDocument": {"uri": uri}}));
        assert_eq!(editor.told("textDocument/publishDiagnostics")["diagnostics"], json!([]));
        assert_eq!(editor.end(), 0);
    }
}

#[test]
fn related_places_and_advice_come_along() {
    let mut editor = editor();
    editor.open("untitled:x.bp", "", "decl first;\nvoid main() begin\n  decl x, x;\n  frist := 1;\nend\n");
    let found = editor.diagnostics("untitled:x.bp", 1);
    let twice =
        found.iter().find(|one| one["message"].as_str().unwrap_or("").contains("twice")).expect("declared twice");
    assert_eq!(twice["relatedInformation"][0]["location"]["range"]["start"], json!({"line": 2, "character": 7}));
    assert!(
        found.iter().any(|one| one["message"].as_str().unwrap_or("").contains("did you mean `first`")),
        "{found:?}"
    );
}

#[test]
fn parts_of_a_text_are_changed_where_utf_16_says() {
    let mut editor = editor();
    let uri = "untitled:wide.bp";
    editor.open(uri, "", "// 🦀é漢\ndecl x;\nvoid main() begin /* 🦀🦀 */ x := 1; end\n");
    assert_eq!(editor.diagnostics(uri, 1), [Value::Null; 0]);
    let range =
        |from: u32, to: u32| json!({"start": {"line": 2, "character": from}, "end": {"line": 2, "character": to}});
    // Each crab is two units.
    editor.change(uri, 2, json!([{"range": range(29, 30), "text": "y"}]));
    let found = editor.diagnostics(uri, 2);
    assert_eq!(found[0]["range"], range(29, 30), "{found:?}");
    // One after the other, and beyond the end of everything.
    let end = json!({"start": {"line": 99, "character": 99}, "end": {"line": 99, "character": 99}});
    editor.change(
        uri,
        3,
        json!([
            {"range": range(29, 30), "text": "é"},
            {"range": range(29, 30), "text": "x"},
            {"range": end, "text": "decl z\n"},
            {"range": end, "text": ";"},
        ]),
    );
    assert_eq!(editor.diagnostics(uri, 3), [Value::Null; 0]);
}

#[test]
fn what_is_known_at_a_statement_is_shown() {
    let (mut editor, uri, text) = opened("examples/lock_faulty.bp", "boolean-program");
    let (line, column) = find(&text, "release();\nend");
    let hover = editor.at("textDocument/hover", &uri, line, column + 2);
    let told = value(&hover);
    assert!(
        told.starts_with("`void release()`, line 10\n\nWhenever a run comes here:\n\n```\nrelease();  // "),
        "{told}"
    );
    assert_eq!(hover["range"]["start"], json!({"line": line, "character": column}));
    let (line, column) = find(&text, "if (deeper)");
    let told = editor.at("textDocument/hover", &uri, line, column + 5);
    assert!(value(&told).contains("parameter deeper: bool") && value(&told).contains("held"), "{told}");
    // A line without a statement, a comment: nothing, but no mistake.
    assert_eq!(editor.at("textDocument/hover", &uri, 0, 4), Value::Null);
    assert_eq!(editor.at("textDocument/hover", &uri, 4000, 4), Value::Null);
    assert_eq!(editor.at("textDocument/hover", "untitled:not open.bp", 1, 1), Value::Null);
}

#[test]
fn what_is_known_of_a_c_program_is_shown_at_its_cut_points() {
    let text = "extern int nondet(void);
int count(int n) {
  int d = 0;
  if (n > 100 || n < 0) return 0;
  while (n > 0) {
    n--;
    d++;
  }
  return d;
}
int main(void) { return count(nondet()); }
";
    let directory = shell::scratch("lsp_c");
    fs::write(directory.join("bound.h"), "#define MOST 100\n").expect("it is written");
    let included = format!("#include \"bound.h\"\n{}", text.replace("n > 100", "n > MOST"));
    let files = [("untitled:count.c".to_owned(), text), (format!("file://{}/a%20b.c", directory.display()), &included)];
    for (uri, text) in files {
        let mut editor = editor();
        editor.open(&uri, "c", text);
        let ask = |editor: &mut Editor, part: &str| {
            let (line, column) = find(text, part);
            let told = editor.at("textDocument/hover", &uri, line, column + 1);
            (line + 1, value(&told).to_owned())
        };
        let (at, head) = ask(&mut editor, "while (n > 0)");
        assert!(head.starts_with("Whenever a run comes here:\n\n```c\n"), "{head}");
        assert!(head.contains("d + n == pre(n)\n") || head.contains("n + d == pre(n)\n"), "{head}");
        // In the middle of a loop it is told what holds where it turns.
        let (_, inside) = ask(&mut editor, "d++;");
        assert_eq!(inside, head.replace("comes here", &format!("comes to line {at}")));
        let (_, returned) = ask(&mut editor, "int count");
        assert!(returned.contains("Whenever `count` returns:") && returned.contains("result <= 100"), "{returned}");
        assert_eq!(editor.at("textDocument/hover", &uri, 4000, 0), Value::Null);
        assert_eq!(editor.end(), 0);
    }
    // What cannot be read has diagnostics, and nothing is known of it.
    let mut editor = editor();
    editor.open("untitled:wrong.c", "c", "int main(void) { return 0 }\n");
    assert_eq!(editor.at("textDocument/hover", "untitled:wrong.c", 0, 1), Value::Null);
    assert_eq!(editor.end(), 0);
}

#[test]
fn facts_agree_with_the_command() {
    let (mut editor, uri, text) = opened("examples/lock.bp", "");
    let output = shell::puch(["facts", "examples/lock.bp", "--format", "json"]);
    let facts: Value = serde_json::from_str(&shell::stdout(&output)).expect("JSON");
    let mut compared = 0;
    for fact in facts["facts"].as_array().expect("a list") {
        let line = u32::try_from(fact["line"].as_u64().expect("a line")).expect("small") - 1;
        let indent = text.lines().nth(line as usize).map_or(0, |text| text.len() - text.trim_start().len());
        let told = editor.at("textDocument/hover", &uri, line, u32::try_from(indent).expect("small"));
        let formula = fact["formula"].as_str().unwrap_or("never reached");
        let formula = if formula == "1" { "any values" } else { formula };
        assert!(value(&told).contains(formula), "line {}: {formula} in {}", line + 1, value(&told));
        compared += 1;
    }
    assert!(compared > 5);
}

#[test]
fn rules_are_about_stack_symbols() {
    let (mut editor, uri, text) = opened("examples/pds/quicksort.pds", "");
    let (line, column) = find(&text, "split>  --> q <bad>");
    let told = editor.at("textDocument/hover", &uri, line, column + 1);
    assert!(value(&told).contains("stack symbol") && value(&told).contains("Whenever a run comes here"), "{told}");
    let goal = editor.at("textDocument/definition", &uri, line, find(&text, "first> ").1);
    assert!(goal.is_array());
}

#[test]
fn a_search_that_takes_too_long_is_given_up() {
    let mut editor = editor();
    // Multiplication of wide integers: no set of values here is small.
    let text = "define DEFAULT_INT_BITS 24\nint a, b, c, d;\nmodule void main() {\n  a = undef; b = undef; c = undef; d = undef;\n  c = a * b;\n  d = c * a;\n  c = d * b;\n  HERE: skip;\n}\n";
    editor.open("untitled:hard.rem", "", text);
    editor.diagnostics("untitled:hard.rem", 1);
    let began = std::time::Instant::now();
    let told = editor.at("textDocument/hover", "untitled:hard.rem", 7, 9);
    assert!(began.elapsed().as_secs() < 40, "{:?}", began.elapsed());
    assert!(value(&told).contains("was not found out") || value(&told).contains("Whenever"), "{told}");
    // Who does not want to wait says so, and everything else goes on meanwhile.
    let position = json!({"line": 7, "character": 9});
    let slow =
        editor.begin("textDocument/hover", json!({"textDocument": {"uri": "untitled:hard.rem"}, "position": position}));
    editor.tell("$/cancelRequest", json!({"id": slow}));
    assert_eq!(editor.answer(slow)["error"]["code"], -32800);
    let symbols = editor.ask("textDocument/documentSymbol", json!({"textDocument": {"uri": "untitled:hard.rem"}}));
    assert!(symbols["result"].as_array().expect("a list").len() >= 5, "{symbols}");
    assert_eq!(editor.end(), 0);
}

#[test]
fn definitions_are_found() {
    let (mut editor, uri, text) = opened("examples/lock_faulty.bp", "");
    for (part, offset, target) in [
        ("work(*);\n  fi", 1, "work(deeper)"),
        ("held := 0;\nend\n\nvoid work", 2, "held;"),
        ("(deeper) then", 3, "deeper)\nbegin"),
    ] {
        let (line, column) = find(&text, part);
        let found = editor.at("textDocument/definition", &uri, line, column + offset);
        let (line, column) = find(&text, target);
        assert_eq!(found[0]["range"]["start"], json!({"line": line, "character": column}), "{part}");
        assert_eq!(found[0]["uri"], *uri);
    }
    let mut editor = self::editor();
    editor.open("untitled:g.bp", "", "void main() begin\n  goto AWAY;\n  AWAY: skip;\nend\n");
    let found = editor.at("textDocument/definition", "untitled:g.bp", 1, 11);
    assert_eq!(found[0]["range"]["start"], json!({"line": 2, "character": 2}));
}

#[test]
fn an_outline_has_procedures_with_what_is_in_them() {
    let (mut editor, uri, _) = opened("examples/lock_faulty.bp", "");
    let symbols = editor.ask("textDocument/documentSymbol", json!({"textDocument": {"uri": uri}}))["result"].clone();
    let names: Vec<&str> =
        symbols.as_array().expect("a list").iter().map(|one| one["name"].as_str().unwrap_or("")).collect();
    assert_eq!(names, ["held", "acquire", "release", "work", "main"]);
    assert_eq!(symbols[3]["children"][0]["name"], "deeper");
    assert_eq!(symbols[3]["detail"], "void work(deeper)");
    let whole = &symbols[3]["range"];
    assert_eq!((&whole["start"]["line"], &whole["end"]["line"]), (&json!(15), &json!(22)), "{whole}");
}

#[test]
fn names_are_completed_by_what_is_known_there() {
    let (mut editor, uri, text) = opened("examples/lock_faulty.bp", "");
    let (line, column) = find(&text, "release();\nend");
    let labels = |found: &Value| -> Vec<String> {
        let items = found.as_array().expect("a list").iter();
        items.map(|item| item["label"].as_str().unwrap_or("").to_owned()).collect()
    };
    let inside = labels(&editor.at("textDocument/completion", &uri, line, column));
    assert_eq!(inside, ["acquire", "deeper", "held", "main", "release", "work"]);
    let (line, column) = find(&text, "held := 0;\n  work");
    let outside = labels(&editor.at("textDocument/completion", &uri, line, column));
    assert!(!outside.contains(&"deeper".to_owned()), "{outside:?}");
}

#[test]
fn what_is_no_message_is_passed_over() {
    let mut editor = editor();
    editor.raw(b"Content-Length: 7\r\n\r\n{\"what\"");
    assert!(editor.told("window/logMessage")["message"].as_str().expect("text").starts_with("this is no message"));
    editor.raw(b"Content-Length: 4\r\n\r\n\xff\xfe\xfd\xfc");
    editor.told("window/logMessage");
    editor.raw(b"Content-Length: nine\r\n\r\n");
    editor.told("window/logMessage");
    editor.raw(b"\r\nContent-Length: 99999999999999\r\n\r\n");
    editor.told("window/logMessage");
    editor.raw(b"nonsense without an end\r\n");
    editor.raw(b"Content-Length: 2\r\n\r\n[]");
    // Notifications with wrong parameters are told about, requests are refused.
    editor.tell("textDocument/didOpen", json!({"textDocument": {"uri": 3}}));
    editor.change("untitled:never opened.bp", 2, json!([{"text": "x"}]));
    let refused = editor.ask("textDocument/hover", json!({"textDocument": {"uri": "untitled:x.bp"}}));
    assert_eq!(refused["error"]["code"], -32602);
    let refused = editor.ask("textDocument/definition", json!({"textDocument": {}, "position": "there"}));
    assert_eq!(refused["error"]["code"], -32602);
    editor.open("untitled:x.bp", "", "decl");
    assert!(!editor.diagnostics("untitled:x.bp", 1).is_empty());
    assert_eq!(editor.end(), 0);
}

#[test]
fn who_never_says_anything_sensible_is_left() {
    let mut editor = Editor::silent(server());
    let line = "this is a log, not the protocol\r\n".repeat(200);
    editor.raw(line.as_bytes());
    let (code, told) = editor.leave();
    assert_eq!(code, 2);
    assert!(told.contains("does not speak the language server protocol"), "{told}");
}

#[test]
fn enormous_lines_and_texts_are_no_trouble() {
    let mut editor = editor();
    let uri = "untitled:long.bp";
    let mut text = String::from("decl x; void main() begin /* 🦀 */ ");
    text += &"x := !x; ".repeat(200_000);
    text += "y := 1; end";
    let at = text.find("y := 1").expect("it is there") - 2;
    editor.open(uri, "", &text);
    let found = editor.diagnostics(uri, 1);
    assert_eq!(found[0]["range"]["start"], json!({"line": 0, "character": at}), "a crab has four bytes and two units");
    let end = json!({"line": 0, "character": at + 1});
    let change = json!([{"range": {"start": {"line": 0, "character": at}, "end": end}, "text": "x"}]);
    editor.change(uri, 2, change);
    assert_eq!(editor.diagnostics(uri, 2), [Value::Null; 0]);
    let found = editor.at("textDocument/definition", uri, 0, u32::try_from(at).expect("small"));
    assert_eq!(found[0]["range"]["start"], json!({"line": 0, "character": 5}));
    let mut many = String::from("void main() begin\n");
    many += &"  z := 1;\n".repeat(5_000);
    many += "end\n";
    editor.change(uri, 3, json!([{"text": many}]));
    let found = editor.diagnostics(uri, 3);
    assert!(!found.is_empty() && found.len() <= 201, "{}", found.len());
    assert_eq!(editor.end(), 0);
}

#[test]
fn what_puch_does_not_read_is_left_alone() {
    let mut editor = editor();
    editor.open("file:///notes.txt", "plaintext", "{ ( [");
    assert_eq!(editor.diagnostics("file:///notes.txt", 1), [Value::Null; 0]);
    assert_eq!(editor.at("textDocument/hover", "file:///notes.txt", 0, 1), Value::Null);
    // With directives, C depends on files that are not here.
    editor.open("file:///x.c", "c", "#include <stdio.h>\nint main(void) { return 0 }\n");
    assert_eq!(editor.diagnostics("file:///x.c", 1), [Value::Null; 0]);
    editor.open("file:///empty.bp", "", "\n");
    assert_eq!(editor.diagnostics("file:///empty.bp", 1), [Value::Null; 0]);
    assert_eq!(editor.end(), 0);
}
