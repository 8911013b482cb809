//! `--witness FILE.yml`: witnesses for other tools, and what they say of themselves.

use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::bail;
use chrono::DateTime;
use puch::c::types::DataModel;
use puch::options::Options;
use puch::refinement::Answer;
use puch::refinement::shown::shown;
use puch::refinement::witness_file::Metadata;
use puch::source::Source;
use sha2::{Digest, Sha256};

use super::c_input::CLoaded;
use super::tell;

/// What shows an answer, if a witness can.
pub fn witness(
    specifications: &[&str],
    answers: &[Answer],
    loaded: &CLoaded,
    sources: &[Source<'_>],
    options: &Options,
) -> anyhow::Result<Option<String>> {
    let ([specification], [answer]) = (specifications, answers) else {
        bail!("`--witness` is about one property, and these are {}", specifications.len());
    };
    match shown(answer, sources, options) {
        Ok(Some(shown)) => Ok(Some(shown.witness.text(&metadata(specification, answer, loaded)))),
        Ok(None) => {
            tell("note: there is no witness: runs that fail have one, and proofs that none does");
            Ok(None)
        }
        Err(stop) => {
            tell(&format!("note: there is no witness: {stop}"));
            Ok(None)
        }
    }
}

fn metadata(specification: &str, answer: &Answer, loaded: &CLoaded) -> Metadata {
    let hash = |text: &str| format!("{:x}", Sha256::digest(text.as_bytes()));
    let files: Vec<(String, String)> = loaded.texts.iter().map(|(name, text)| (name.clone(), hash(text))).collect();
    let data_model = if loaded.program.types.model == DataModel::ILP32 { "ILP32" } else { "LP64" };
    let creation_time = created();
    let all = format!("{files:?} {} {:?} {creation_time}", specification, answer.outcome.verdict);
    Metadata {
        uuid: uuid(&hash(&all)),
        creation_time,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        files,
        specification: format!("CHECK( init({}()), LTL({}) )", main(loaded), specification),
        data_model: data_model.to_owned(),
    }
}

fn main(loaded: &CLoaded) -> &str {
    &loaded.program.procedure(loaded.program.main).name
}

/// Now, or what `SOURCE_DATE_EPOCH` says.
fn created() -> String {
    let given = std::env::var("SOURCE_DATE_EPOCH").ok().and_then(|seconds| seconds.parse().ok());
    let now = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs() as i64);
    let time = DateTime::from_timestamp(given.unwrap_or_else(now), 0).unwrap_or_default();
    time.format("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// A number of the kind that anybody may make up (RFC 9562, version 8), from a hash.
fn uuid(hash: &str) -> String {
    format!("{}-{}-8{}-8{}-{}", &hash[..8], &hash[8..12], &hash[13..16], &hash[17..20], &hash[20..32])
}
