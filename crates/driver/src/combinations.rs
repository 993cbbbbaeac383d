//! Properties that are made of others: which are asked for, and what is reported of them.
//!
//! The parts are checked like all properties. Where one of them decides the whole, the whole is reported with the verdict
//! and the evidence of that part; otherwise the parts are, and the whole is left out.

use lapidary_base::hash::{Map, Set};
use lapidary_base::{Control, Event};
use lapidary_ir::{Combination, Junction, PropertyId};
use lapidary_verdict::{PropertyReport, Report, Verdict, Whole};

use crate::load::Loaded;

/// The combinations of a model.
#[derive(Clone, Debug, Default)]
pub struct Combinations {
    pub all: Vec<Combination>,
    /// Those that are asked for, by their places among all.
    pub asked: Vec<usize>,
    /// Parts that are asked for by their own names: they are reported whatever becomes of the whole.
    pub alone: Vec<PropertyId>,
}

impl Combinations {
    /// None of them is asked for yet.
    pub fn new(all: Vec<Combination>) -> Self {
        Self { all, ..Self::default() }
    }

    pub fn ask_all(&mut self) {
        self.asked = (0..self.all.len()).collect();
    }

    /// Asks for one; its parts.
    pub fn ask(&mut self, place: usize) -> Vec<PropertyId> {
        if !self.asked.contains(&place) {
            self.asked.push(place);
        }
        self.all[place].junction.parts()
    }
}

/// Reports combinations in place of their parts wherever one part decides.
pub(crate) fn folded(loaded: &Loaded, report: Report, control: &Control) -> Report {
    let Combinations { all, asked, alone } = &loaded.combinations;
    let alone: Set<PropertyId> = alone.iter().copied().collect();
    if asked.is_empty() {
        return report;
    }
    let mut folds = Folds { wholes: Map::default(), gone: Set::default() };
    let mut report = report;
    let places: Map<PropertyId, usize> =
        report.properties.iter().enumerate().map(|(place, one)| (one.property, place)).collect();
    for combination in asked.iter().map(|&place| &all[place]) {
        let parts = combination.junction.parts();
        let found = |part: PropertyId| places.get(&part).map(|&place| &report.properties[place]);
        let Some(&first) = parts.iter().find(|&part| places.contains_key(part)) else { continue };
        match decisive(&combination.junction, &found) {
            Some(part) => {
                folds.wholes.insert(first, answer(combination, &parts, part));
                folds.gone.extend(parts.into_iter().filter(|part| !alone.contains(part)));
            }
            None => {
                let warning = left_out(loaded, combination, &found);
                let name = &loaded.declared().properties[first].name;
                control.emit(&Event::Warning { message: format!("{name}: {warning}") });
                report.properties[places[&first]].warnings.push(warning);
            }
        }
    }
    let properties = folds.apply(report.properties, control);
    Report { properties, ..report }
}

/// Whether a part need not be looked at any more: others have decided what it is a part of.
pub(crate) fn is_settled(loaded: &Loaded, reports: &[PropertyReport], part: PropertyId) -> bool {
    let Combinations { all, asked, alone } = &loaded.combinations;
    let found = |part: PropertyId| reports.iter().find(|report| report.property == part);
    let mut wholes = asked.iter().map(|&place| &all[place]).filter(|whole| whole.junction.parts().contains(&part));
    !alone.contains(&part) && wholes.any(|whole| decisive(&whole.junction, &found).is_some())
}

struct Folds {
    /// What is reported before a part, the first one of its combination.
    wholes: Map<PropertyId, PropertyReport>,
    gone: Set<PropertyId>,
}

impl Folds {
    fn apply(mut self, parts: Vec<PropertyReport>, control: &Control) -> Vec<PropertyReport> {
        let mut properties = Vec::new();
        for part in parts {
            if let Some(whole) = self.wholes.remove(&part.property) {
                let name = whole.whole.as_ref().map(|whole| whole.name.clone()).unwrap_or_default();
                control.emit(&Event::Verdict { name, verdict: whole.verdict.name().to_owned() });
                properties.push(whole);
            }
            if !self.gone.contains(&part.property) {
                properties.push(part);
            }
        }
        properties
    }
}

/// The part whose verdict alone is that of the whole: one that is violated for a conjunction, one that holds for a disjunction.
/// What is deeper never decides alone, since the kinds take turns.
fn decisive<'a>(
    junction: &Junction,
    found: &impl Fn(PropertyId) -> Option<&'a PropertyReport>,
) -> Option<&'a PropertyReport> {
    let (members, wanted) = match junction {
        Junction::Part(_) => return None,
        Junction::All(members) => (members, Verdict::Violated),
        Junction::Any(members) => (members, Verdict::Holds),
    };
    let part = |member: &Junction| match member {
        Junction::Part(property) => found(*property).filter(|report| report.verdict == wanted),
        Junction::All(_) | Junction::Any(_) => None,
    };
    members.iter().find_map(part)
}

fn answer(combination: &Combination, parts: &[PropertyId], part: &PropertyReport) -> PropertyReport {
    let number = parts.iter().position(|id| *id == part.property).map_or(0, |place| place + 1);
    let whole = Whole { name: combination.name.clone(), text: combination.text.clone(), part: number };
    PropertyReport { whole: Some(whole), ..part.clone() }
}

/// Why there is no line for a combination, and what the lines of its parts come to.
fn left_out<'a>(
    loaded: &Loaded,
    combination: &Combination,
    found: &impl Fn(PropertyId) -> Option<&'a PropertyReport>,
) -> String {
    let together = match truth(&combination.junction, found) {
        Verdict::Holds => "; together they show that it holds",
        Verdict::Violated => "; together they show that it is violated",
        Verdict::Unknown => "",
    };
    let parts = shortened(combination.junction.words(loaded.declared()));
    format!("{} is left out, since none of its parts decides it alone: {parts}{together}", combination.name)
}

/// So much of a combination is shown.
const MAX_SHOWN: usize = 200;

fn shortened(words: String) -> String {
    if words.chars().count() <= MAX_SHOWN {
        return words;
    }
    words.chars().take(MAX_SHOWN).chain("...".chars()).collect()
}

/// What the verdicts of the parts come to.
fn truth<'a>(junction: &Junction, found: &impl Fn(PropertyId) -> Option<&'a PropertyReport>) -> Verdict {
    let (members, decisive, other) = match junction {
        Junction::Part(property) => return found(*property).map_or(Verdict::Unknown, |report| report.verdict),
        Junction::All(members) => (members, Verdict::Violated, Verdict::Holds),
        Junction::Any(members) => (members, Verdict::Holds, Verdict::Violated),
    };
    let verdicts: Vec<Verdict> = members.iter().map(|member| truth(member, found)).collect();
    if verdicts.contains(&decisive) {
        decisive
    } else if verdicts.contains(&Verdict::Unknown) {
        Verdict::Unknown
    } else {
        other
    }
}
