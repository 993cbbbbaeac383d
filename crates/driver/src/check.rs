//! Runs engines on the properties asked for, has their evidence checked, and makes the report.

#[cfg(test)]
mod tests;

use std::time::Instant;

use lapidary_base::{Control, Event, Stop, memory};
use lapidary_checker::{Claim, Rejection};
use lapidary_engines::cover::{self, Certification, CoverEngine, Heuristics, Start};
use lapidary_engines::hierarchy::{self, HierarchicalEngine};
use lapidary_engines::reach::{self, ExplicitEngine};
use lapidary_engines::symbolic::{self, BddEngine, Direction};
use lapidary_engines::{Answer, Engine, Outcome, Task};
use lapidary_ir::{Model, PropertyId, Target, VarId};
use lapidary_verdict::{Certificate, Checked, Evidence, PropertyReport, Reason, Report, Stats, Trace, Verdict};
use regex_lite::Regex;

use crate::load::Loaded;
use crate::question::{Question, question};
use crate::warnings;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EngineChoice {
    #[default]
    Auto,
    Explicit,
    Bdd,
    Cegar,
    Pcegar,
    Hierarchical,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SearchOrder {
    #[default]
    BreadthFirst,
    DepthFirst,
}

/// From where engine `bdd` searches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SearchDirection {
    #[default]
    Forward,
    Backward,
}

/// The options of the engines that refine covers; the predicates come with the model.
#[derive(Clone, Debug, Default)]
pub struct CoverOptions {
    /// What `cegar` certifies is nothing, whatever stands here.
    pub heuristics: Heuristics,
    /// The atoms of all guards are predicates.
    pub guards: bool,
    /// A cover by the predicates instead of a partition.
    pub is_cover: bool,
    /// The variables whose name matches are kept exact, instead of those that the language marks.
    pub control: Option<Regex>,
    pub super_transition: bool,
    pub most_iterations: Option<u64>,
    /// Every abstraction is told of in an event.
    pub shows_abstractions: bool,
}

#[derive(Clone, Debug)]
pub struct CheckRequest {
    pub engine: EngineChoice,
    pub order: SearchOrder,
    pub direction: SearchDirection,
    pub cover: CoverOptions,
    /// Threads: 1 or more.
    pub jobs: usize,
}

impl Default for CheckRequest {
    fn default() -> Self {
        Self {
            engine: EngineChoice::default(),
            order: SearchOrder::default(),
            direction: SearchDirection::default(),
            cover: CoverOptions::default(),
            jobs: 1,
        }
    }
}

impl CheckRequest {
    /// Hierarchies go to decision diagrams, everything else to the explicit search, unless an engine is named.
    fn engine(&self, loaded: &Loaded) -> Box<dyn Engine> {
        match self.engine {
            EngineChoice::Explicit => Box::new(self.explicit()),
            EngineChoice::Bdd => Box::new(self.bdd()),
            EngineChoice::Cegar => Box::new(self.cover(loaded, "cegar", Certification::NONE)),
            EngineChoice::Pcegar => Box::new(self.cover(loaded, "pcegar", self.cover.heuristics.certification)),
            EngineChoice::Hierarchical => Box::new(self.hierarchical()),
            EngineChoice::Auto if loaded.hierarchy.is_some() => Box::new(self.bdd()),
            EngineChoice::Auto => Box::new(self.explicit()),
        }
    }

    fn explicit(&self) -> ExplicitEngine {
        let order = match self.order {
            SearchOrder::BreadthFirst => reach::Order::BreadthFirst,
            SearchOrder::DepthFirst => reach::Order::DepthFirst,
        };
        ExplicitEngine { config: reach::Config { order } }
    }

    fn cover(&self, loaded: &Loaded, name: &'static str, certification: Certification) -> CoverEngine {
        let CoverOptions {
            heuristics,
            guards,
            is_cover,
            control,
            super_transition,
            most_iterations,
            shows_abstractions,
        } = &self.cover;
        let vars = &loaded.model.vars;
        let matching =
            |regex: &Regex| vars.ids().filter(|&var| regex.is_match(&vars[var].name)).collect::<Vec<VarId>>();
        let start = Start {
            predicates: loaded.predicates.clone(),
            guards: *guards,
            control: control.as_ref().map(matching),
            is_cover: *is_cover,
        };
        CoverEngine {
            name,
            config: cover::Config {
                heuristics: Heuristics { certification, ..*heuristics },
                start,
                super_transition: *super_transition,
                most_iterations: *most_iterations,
                shows_abstractions: *shows_abstractions,
                threads: u32::try_from(self.jobs).unwrap_or(1),
            },
        }
    }

    fn bdd(&self) -> BddEngine {
        let direction = match self.direction {
            SearchDirection::Forward => Direction::Forward,
            SearchDirection::Backward => Direction::Backward,
        };
        let threads = u32::try_from(self.jobs).unwrap_or(1);
        BddEngine { config: symbolic::Config { direction, threads } }
    }

    fn hierarchical(&self) -> HierarchicalEngine {
        let Heuristics { analysis, refinement, .. } = self.cover.heuristics;
        let threads = u32::try_from(self.jobs).unwrap_or(1);
        HierarchicalEngine { config: hierarchy::Config { analysis, refinement, threads } }
    }
}

/// Emits `property_start`, `heartbeat`, `verdict` and `warning` events through the control.
pub fn check(loaded: &Loaded, request: &CheckRequest, control: &Control) -> Report {
    check_with(&*request.engine(loaded), loaded, request, control)
}

fn check_with(engine: &dyn Engine, loaded: &Loaded, request: &CheckRequest, control: &Control) -> Report {
    let mut run = Run { loaded, request, control, engine: engine.name(), findings: Vec::new(), errors: Vec::new() };
    let (mut searched, mut questions) = (Vec::new(), Vec::new());
    for &property in &loaded.asked {
        control.emit(&Event::PropertyStart {
            name: loaded.model.properties[property].name.clone(),
            engine: engine.name().to_owned(),
        });
        match question(&loaded.model, property) {
            Question::Temporal => run.unsupported(property),
            trivial if trivial.is_trivial(&loaded.model) => run.trivial(property),
            asked => {
                searched.push(property);
                questions.push(asked);
            }
        }
    }
    if !questions.is_empty() {
        run.search(engine, &searched, &questions);
    }
    run.report()
}

/// Which engines there are, and for each the properties that it does not take, with the reason.
pub fn engines(loaded: &Loaded) -> Vec<(&'static str, Vec<(PropertyId, String)>)> {
    let request = CheckRequest::default();
    let cegar = request.cover(loaded, "cegar", Certification::NONE);
    let pcegar = request.cover(loaded, "pcegar", Certification::USUAL);
    let (explicit, bdd, hierarchical) = (request.explicit(), request.bdd(), request.hierarchical());
    let mut engines: Vec<&dyn Engine> = vec![&explicit, &bdd, &cegar, &pcegar];
    // What an engine refuses is in the model, so it is asked once.
    let task = task(loaded, &[], &[]);
    if loaded.hierarchy.is_some() && (!loaded.model.properties.is_empty() || hierarchical.accepts(&task).is_ok()) {
        engines.push(&hierarchical);
    }
    let refusals = |engine: &&dyn Engine| {
        let refused = engine.accepts(&task).err().map(|refused| refused.what);
        let refusal = |property: PropertyId| match question(&loaded.model, property) {
            Question::Temporal => Some((property, "it is temporal".to_owned())),
            asked if asked.is_trivial(&loaded.model) => None,
            Question::Never(_) | Question::Eventually { .. } => refused.clone().map(|why| (property, why)),
        };
        (engine.name(), loaded.model.properties.ids().filter_map(refusal).collect())
    };
    engines.iter().map(refusals).collect()
}

fn task<'a>(loaded: &'a Loaded, targets: &'a [Target], target_names: &'a [String]) -> Task<'a> {
    Task { model: &loaded.model, tree: loaded.tree(), targets, target_names, sources: &loaded.sources }
}

/// What was found out about one property, before it is put in the order of the request.
struct Run<'a> {
    loaded: &'a Loaded,
    request: &'a CheckRequest,
    control: &'a Control,
    engine: &'static str,
    findings: Vec<PropertyReport>,
    errors: Vec<String>,
}

/// A verdict whose certificate is not checked yet.
struct Pending {
    finding: usize,
    claim: Claim,
    certificate: Certificate,
}

impl Run<'_> {
    fn model(&self) -> &Model {
        &self.loaded.model
    }

    fn blank(&self, property: PropertyId) -> PropertyReport {
        let warnings = warnings::evaluation(self.loaded, property);
        PropertyReport {
            property,
            verdict: Verdict::Unknown,
            evidence: Evidence::Nothing(Reason::Stopped(Stop::Interrupted)),
            engine: self.engine,
            explanation: None,
            known: None,
            warnings,
            stats: Stats::default(),
            seconds: 0.0,
            memory: 0,
        }
    }

    fn unsupported(&mut self, property: PropertyId) {
        let place = self.loaded.sources.describe(self.model().properties[property].span);
        let why = format!("ltl properties are not checked yet ({place})");
        let evidence = Evidence::Nothing(Reason::Unsupported(why));
        self.findings.push(PropertyReport { evidence, ..self.blank(property) });
    }

    /// No state at all is a target: the invariant `true` shows it.
    fn trivial(&mut self, property: PropertyId) {
        let certificate = Certificate::Invariant(self.model().exprs.bool(true));
        let start = Instant::now();
        let checked = self.check_claims(&[Claim::Decides(property)], &certificate);
        let mut finding = self.blank(property);
        match checked {
            Ok(checked) => {
                finding.verdict = Verdict::Holds;
                finding.evidence = Evidence::Certificate(certificate, checked);
                finding.warnings.extend(warnings::vacuity_of_trivial(self.loaded, self.control));
            }
            Err(rejection) => self.errors.extend(reject(&mut finding, rejection, self.loaded)),
        }
        finding.stats.check_seconds = start.elapsed().as_secs_f64();
        finding.seconds = finding.stats.check_seconds;
        self.findings.push(finding);
    }

    /// One search for all properties; then all that rests on its stored set is checked together.
    fn search(&mut self, engine: &dyn Engine, properties: &[PropertyId], questions: &[Question]) {
        let targets: Vec<Target> = questions.iter().flat_map(Question::targets).collect();
        let names: Vec<String> = properties
            .iter()
            .zip(questions)
            .flat_map(|(&id, asked)| {
                vec![format!("property {}", self.loaded.model.properties[id].name); asked.targets().len()]
            })
            .collect();
        let task = task(self.loaded, &targets, &names);
        if let Err(refused) = engine.accepts(&task) {
            return self.refused(properties, &refused);
        }
        let mut answers = engine.run(&task, self.control).into_iter();
        let mut pending = Vec::new();
        for (&property, asked) in properties.iter().zip(questions) {
            let answers: Vec<Answer> = answers.by_ref().take(asked.targets().len()).collect();
            self.settle(property, *asked, answers, &mut pending);
        }
        self.certify(pending);
    }

    fn refused(&mut self, properties: &[PropertyId], refused: &lapidary_engines::Unsupported) {
        let place = refused.span.map(|span| format!(" ({})", self.loaded.sources.describe(span))).unwrap_or_default();
        let why = format!("{}{place}", refused.what);
        for &property in properties {
            let reason = match self.request.engine {
                EngineChoice::Auto => Reason::Unsupported(why.clone()),
                _ => Reason::Refused(why.clone()),
            };
            self.findings.push(PropertyReport { evidence: Evidence::Nothing(reason), ..self.blank(property) });
        }
    }

    /// Turns the answers for a property's targets into a verdict.
    fn settle(&mut self, property: PropertyId, asked: Question, answers: Vec<Answer>, pending: &mut Vec<Pending>) {
        let mut finding = self.blank(property);
        let mut answers = answers.into_iter();
        let first = answers.next().expect("an engine answers for every target");
        finding.stats = first.stats;
        finding.seconds = finding.stats.search_seconds;
        finding.warnings.extend(warnings::vacuity(self.loaded, &first.outcome, &first.never_enabled));
        if self.request.direction == SearchDirection::Backward && matches!(first.outcome, Outcome::Unreachable(_)) {
            finding.warnings.extend(warnings::vacuity_of_trivial(self.loaded, self.control));
        }
        let first = (first.outcome, first.known);
        match asked {
            Question::Never(_) => self.settle_never(&mut finding, first, Verdict::Violated, pending),
            Question::Eventually { .. } => {
                let errs = answers.next();
                if let Some(Answer { outcome: Outcome::Reached(_), stats, .. }) = &errs {
                    finding.stats = stats.clone();
                }
                let errs = errs.map(|answer| (answer.outcome, answer.known));
                self.settle_eventually(&mut finding, first, errs, pending);
            }
            Question::Temporal => unreachable!("temporal properties are not searched"),
        }
        self.findings.push(finding);
    }

    /// `reached` is the verdict that a run to the target gives; none at all gives the other one.
    fn settle_never(
        &mut self,
        finding: &mut PropertyReport,
        (outcome, known): (Outcome, Option<String>),
        reached: Verdict,
        pending: &mut Vec<Pending>,
    ) {
        match outcome {
            Outcome::Reached(trace) => self.replay(finding, reached, trace),
            Outcome::Unreachable(certificate) => {
                finding.verdict = match reached {
                    Verdict::Violated => Verdict::Holds,
                    Verdict::Holds | Verdict::Unknown => Verdict::Violated,
                };
                let claim = Claim::Decides(finding.property);
                self.await_check(finding, certificate, claim, pending);
            }
            Outcome::Unknown(stop) => {
                finding.known = known.map(|known| match reached {
                    Verdict::Violated => format!("no violation {known}"),
                    Verdict::Holds | Verdict::Unknown => format!("not reached {known}"),
                });
                finding.evidence = Evidence::Nothing(Reason::Stopped(stop));
            }
        }
    }

    /// A goal counts only where evaluating it errs nowhere in reach.
    fn settle_eventually(
        &mut self,
        finding: &mut PropertyReport,
        goal: (Outcome, Option<String>),
        errs: Option<(Outcome, Option<String>)>,
        pending: &mut Vec<Pending>,
    ) {
        match errs {
            None => self.settle_never(finding, goal, Verdict::Holds, pending),
            Some((Outcome::Reached(trace), _)) => self.replay(finding, Verdict::Violated, trace),
            Some((Outcome::Unreachable(certificate), _)) => {
                self.settle_never(finding, goal, Verdict::Holds, pending);
                if finding.verdict == Verdict::Holds {
                    let claim = Claim::NeverErrs(finding.property);
                    self.await_check(finding, certificate, claim, pending);
                }
            }
            Some((Outcome::Unknown(stop), known)) => {
                finding.known = match goal {
                    (Outcome::Reached(trace), _) => {
                        let n_steps = trace.n_steps();
                        Some(format!("reached in {n_steps} steps, but evaluating it may err elsewhere"))
                    }
                    (Outcome::Unreachable(_) | Outcome::Unknown(_), _) => {
                        known.map(|known| format!("not reached {known}"))
                    }
                };
                finding.evidence = Evidence::Nothing(Reason::Stopped(stop));
            }
        }
    }

    fn replay(&mut self, finding: &mut PropertyReport, verdict: Verdict, trace: Trace) {
        let start = Instant::now();
        let replayed = lapidary_checker::replay(self.model(), finding.property, verdict, &trace)
            .and_then(|()| self.loaded.replay_on_tree(&trace, self.control));
        match replayed {
            Ok(()) => {
                finding.verdict = verdict;
                finding.explanation = self.explain(finding.property, &trace);
                finding.evidence = Evidence::Trace(trace);
            }
            Err(rejection) => self.errors.extend(reject(finding, rejection, self.loaded)),
        }
        finding.stats.check_seconds = start.elapsed().as_secs_f64();
        finding.seconds += finding.stats.check_seconds;
    }

    fn explain(&self, property: PropertyId, trace: &Trace) -> Option<String> {
        let (model, last) = (self.model(), trace.last());
        let sentence = lapidary_checker::explain(model, property, last)?;
        let fault = lapidary_checker::deciding_fault(model, property, last)?;
        Some(format!("{sentence} ({})", self.loaded.sources.describe(fault.span)))
    }

    /// A trace stays the evidence of a goal that was reached; everything else rests on its certificate.
    fn await_check(
        &mut self,
        finding: &mut PropertyReport,
        certificate: Certificate,
        claim: Claim,
        pending: &mut Vec<Pending>,
    ) {
        pending.push(Pending { finding: self.findings.len(), claim, certificate: certificate.clone() });
        if !matches!(finding.evidence, Evidence::Trace(_)) {
            finding.evidence = Evidence::Certificate(certificate, Checked::Fully);
        }
    }

    /// Checks each certificate once for all that rests on it; one search gives one set, but nothing relies on that.
    fn certify(&mut self, mut pending: Vec<Pending>) {
        while let Some(first) = pending.first() {
            let certificate = first.certificate.clone();
            let (together, rest) = pending.into_iter().partition(|other| other.certificate.is_same(&certificate));
            self.certify_set(together, certificate);
            pending = rest;
        }
    }

    /// If the check of all claims together fails, every claim is checked alone, so that one wrong verdict does not take
    /// the right ones with it.
    fn certify_set(&mut self, pending: Vec<Pending>, certificate: Certificate) {
        let start = Instant::now();
        let claims: Vec<Claim> = pending.iter().map(|pending| pending.claim).collect();
        let result = self.check_claims(&claims, &certificate);
        let together = matches!(result, Ok(_) | Err(Rejection::Stopped(_)));
        for pending in &pending {
            let result = if together { result.clone() } else { self.check_claims(&[pending.claim], &certificate) };
            self.certified(pending.finding, result, start.elapsed().as_secs_f64());
        }
    }

    fn check_claims(&self, claims: &[Claim], certificate: &Certificate) -> Result<Checked, Rejection> {
        self.loaded.certify(claims, certificate, self.request.jobs, self.control)
    }

    fn certified(&mut self, at: usize, result: Result<Checked, Rejection>, seconds: f64) {
        let finding = &mut self.findings[at];
        finding.stats.check_seconds += seconds;
        finding.seconds += seconds;
        match (result, &mut finding.evidence) {
            (Ok(checked), Evidence::Certificate(_, how)) => *how = checked,
            // The verdict itself rests on a replayed run; what was sampled is that nothing errs elsewhere.
            (Ok(Checked::Sample(percent)), _) => {
                let sampled = format!("that evaluating it errs nowhere was checked on a sample of {percent}%");
                finding.warnings.push(sampled);
            }
            (Ok(Checked::Fully), _) => {}
            (Err(rejection), _) => self.errors.extend(reject(finding, rejection, self.loaded)),
        }
    }

    fn report(mut self) -> Report {
        let place = |property: PropertyId| self.loaded.asked.iter().position(|&asked| asked == property);
        self.findings.sort_by_key(|finding| place(finding.property));
        let memory = memory::peak_resident().unwrap_or(0);
        for finding in &mut self.findings {
            finding.memory = memory;
            let name = self.loaded.model.properties[finding.property].name.clone();
            for message in &finding.warnings {
                self.control.emit(&Event::Warning { message: format!("{name}: {message}") });
            }
            self.control.emit(&Event::Verdict { name, verdict: finding.verdict.name().to_owned() });
        }
        Report { properties: self.findings, interrupted: self.control.is_cancelled(), internal_errors: self.errors }
    }
}

/// Evidence that was not accepted leaves no verdict; if it was wrong, that is our own error, in words.
fn reject(finding: &mut PropertyReport, rejection: Rejection, loaded: &Loaded) -> Option<String> {
    let name = &loaded.model.properties[finding.property].name;
    let (stop, error) = match rejection {
        Rejection::Stopped(stop) => {
            finding.known = Some("the search ended, but not the check of its evidence".to_owned());
            (stop, None)
        }
        Rejection::Wrong(why) => {
            let stop = Stop::Incomplete("its evidence was rejected by the checker".to_owned());
            (stop, Some(format!("the evidence for {name} was rejected: {why}")))
        }
    };
    finding.verdict = Verdict::Unknown;
    finding.evidence = Evidence::Nothing(Reason::Stopped(stop));
    error
}
