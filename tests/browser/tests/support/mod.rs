//! A browser with a page in it.

#![allow(dead_code, reason = "each test uses its own part")]

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use headless_chrome::protocol::cdp::Page::CaptureScreenshotFormatOption;
use headless_chrome::{Browser, LaunchOptions, Tab};
use serde_json::Value;

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn chromium() -> Option<PathBuf> {
    let given = std::env::var_os("CHROME").map(PathBuf::from);
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).flat_map(|dir| names.map(|name| dir.join(name)));
    given.into_iter().chain(found).find(|file| file.is_file())
}

pub struct Opened {
    _browser: Browser,
    pub tab: Arc<Tab>,
    name: &'static str,
}

impl Opened {
    /// A page under that name, opened when there is this element; `None` without a browser.
    pub fn page(name: &'static str, file: impl FnOnce() -> PathBuf, element: &str, size: (u32, u32)) -> Option<Opened> {
        let Some(chromium) = chromium() else {
            println!("note: Chromium is not installed: pages were not tried");
            return None;
        };
        // The browser does not wait for long.
        let file = file();
        let quiet = ["--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"];
        // `computedRole` and `computedName` are what screen readers are told; memory is told as it is.
        let open = ["--enable-blink-features=ComputedAccessibilityInfo", "--enable-precise-memory-info"];
        let options = LaunchOptions::default_builder()
            .path(Some(chromium))
            .sandbox(false)
            .window_size(Some(size))
            .args(quiet.iter().chain(&open).map(OsStr::new).collect())
            .idle_browser_timeout(std::time::Duration::from_secs(120))
            .build()
            .expect("these options can be");
        let browser = Browser::new(options).expect("Chromium starts");
        let tab = browser.new_tab().expect("a tab opens");
        tab.navigate_to(&format!("file://{}", file.display())).expect("the page is found");
        tab.wait_for_element(element).expect("the page is read");
        Some(Opened { _browser: browser, tab, name })
    }

    pub fn value(&self, script: &str) -> Value {
        let found = self.tab.evaluate(script, false).unwrap_or_else(|error| panic!("{script}: {error}"));
        found.value.unwrap_or(Value::Null)
    }

    pub fn text(&self, selector: &str) -> String {
        let script = format!("document.querySelector({selector:?})?.innerText ?? ''");
        self.value(&script).as_str().unwrap_or_default().to_owned()
    }

    pub fn click(&self, selector: &str) {
        let found = self.tab.find_element(selector).unwrap_or_else(|error| panic!("{selector}: {error}"));
        found.click().unwrap_or_else(|error| panic!("{selector}: {error}"));
    }

    pub fn shot(&self, what: &str) {
        let Some(directory) = std::env::var_os("SHOTS") else { return };
        let picture = self.tab.capture_screenshot(CaptureScreenshotFormatOption::Png, None, None, true);
        let file = Path::new(&directory).join(format!("{}-{what}.png", self.name));
        std::fs::write(file, picture.expect("a picture is taken")).expect("the picture can be written");
    }
}
