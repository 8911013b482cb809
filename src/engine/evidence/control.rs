//! Certificates of systems without data: what the explicit search knows of heads, which is inductive as it is.

use spds_format::Spds;

use super::NotMade;
use crate::certificate::{Certificate, Claim, Kind, about};
use crate::check::Options;
use crate::explicit::{System, is_explicit, is_unconditional};
use crate::ltl::controls;
use crate::options::Engine;

/// The certificate of a claim about control alone; `None` if values may matter, or more than places. Costs what an answer does.
pub(super) fn by_control(spds: &Spds, claim: &Claim, options: &Options) -> Option<Result<Certificate, NotMade>> {
    let is_plain = is_explicit(spds) || controls::is_all_data(spds) && is_unconditional(spds);
    let is_about_places = claim.kind != Kind::Termination && !claim.kind.is_watched();
    (is_plain && is_about_places && options.engine == Engine::Auto).then(|| made(spds, claim, options))
}

fn made(spds: &Spds, claim: &Claim, options: &Options) -> Result<Certificate, NotMade> {
    let system = System::new(spds, None, &options.limits);
    let reached = system.reached().map_err(NotMade::Stopped)?;
    if reached.heads().any(|head| claim.targets.binary_search(&head).is_ok()) {
        return Err(NotMade::Reached);
    }
    let mut tops: Vec<_> = reached.tops().collect();
    tops.sort_unstable();
    Ok(Certificate {
        about: about(spds),
        claim: claim.clone(),
        order: Vec::new(),
        nodes: Vec::new(),
        reached: Vec::new(),
        returned: Vec::new(),
        cuts: Vec::new(),
        again: Vec::new(),
        tops,
    })
}
