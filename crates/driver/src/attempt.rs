//! One engine on some properties: its answers become findings when the checker accepts their evidence.

use std::time::Instant;

use lapidary_base::hash::Map;
use lapidary_base::{Control, Stop};
use lapidary_checker::{Claim, Means, Rejection};
use lapidary_engines::register::{Trivial, named};
use lapidary_engines::{Answer, Begins, Engine, Goal, Known, Outcome, Prospects, Refused, Unsupported};
use lapidary_ir::{Declarations, PropertyId, PropertyKind};
use lapidary_verdict::{
    Certificate, Checked, Evidence, Formula, PropertyReport, Reason, Stats, Trace, Vacuity, Verdict,
};

use crate::check::task;
use crate::divergence;
use crate::load::Loaded;
use crate::question::Question;
use crate::request::CheckRequest;
use crate::warnings;
use crate::why;

/// A property and what must be asked to decide it.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    pub property: PropertyId,
    pub question: Question,
}

/// What one engine found out. No finding has a verdict whose evidence the checker did not accept.
pub struct Attempt<'a> {
    loaded: &'a Loaded,
    control: &'a Control,
    /// For evidence that is there already: it is checked also where the search was ended by a limit.
    checking: Control,
    engine: &'static str,
    /// From where the engine searches, as soon as it does.
    begins: Begins,
    request: &'a CheckRequest,
    /// Hears of every finding as soon as its evidence is checked, while others are still looked for.
    publish: Box<dyn Fn(&PropertyReport) + 'a>,
    pub findings: Vec<PropertyReport>,
    /// Evidence that was rejected: our own errors, in words.
    pub errors: Vec<String>,
}

/// The properties that wait for the answers about all their targets.
struct Open {
    asked: Vec<Asked>,
    /// By property.
    answers: Vec<Vec<Option<Answer>>>,
    /// By target: its property, and its place among the targets of that one.
    places: Vec<(usize, usize)>,
}

impl Open {
    fn new(asked: &[Asked]) -> Self {
        let sizes: Vec<usize> = asked.iter().map(|asked| asked.question.goals(asked.property).len()).collect();
        let places = sizes.iter().enumerate().flat_map(|(property, &n)| (0..n).map(move |place| (property, place)));
        let places = places.collect();
        let answers = sizes.iter().map(|&n| (0..n).map(|_| None).collect()).collect();
        Self { asked: asked.to_vec(), answers, places }
    }

    /// The properties about which not all was told.
    fn rest(&self) -> Vec<Asked> {
        let open = self.asked.iter().zip(&self.answers).filter(|(_, answers)| !answers.is_empty());
        open.map(|(&asked, _)| asked).collect()
    }

    /// The properties about which all is known now.
    fn take(&mut self, told: Vec<(usize, Answer)>) -> Vec<(Asked, Vec<Answer>)> {
        let mut complete = Vec::new();
        for (target, answer) in told {
            let (property, place) = self.places[target];
            let answers = &mut self.answers[property];
            answers[place] = Some(answer);
            if answers.iter().all(Option::is_some) {
                complete.push((self.asked[property], std::mem::take(answers).into_iter().flatten().collect()));
            }
        }
        complete
    }
}

/// A verdict whose certificate is not checked yet.
struct Pending {
    finding: usize,
    claim: Claim,
    certificate: Certificate,
}

impl<'a> Attempt<'a> {
    pub fn new(loaded: &'a Loaded, engine: &'static str, request: &'a CheckRequest, control: &'a Control) -> Self {
        Self {
            loaded,
            control,
            checking: control.with_grace(),
            publish: Box::new(|_| {}),
            engine,
            begins: Begins::AtInitialStates,
            request,
            findings: Vec::new(),
            errors: Vec::new(),
        }
    }

    pub fn publishing(self, publish: impl Fn(&PropertyReport) + 'a) -> Self {
        Self { publish: Box::new(publish), ..self }
    }

    fn declared(&self) -> &Declarations {
        self.loaded.declared()
    }

    /// Of a formula that is constantly true, some engines are asked for the structure that they explore.
    pub fn explores(&self, property: PropertyId) -> bool {
        let kind = &self.declared().properties[property].kind;
        named(self.engine).is_some_and(|entry| entry.trivial == Trivial::Explored)
            && matches!(kind, PropertyKind::Invariant(_) | PropertyKind::Reach(_))
    }

    fn blank(&self, property: PropertyId) -> PropertyReport {
        let warnings = warnings::evaluation(self.loaded, property);
        PropertyReport {
            property,
            whole: None,
            verdict: Verdict::Unknown,
            evidence: Evidence::Nothing(Reason::Stopped(Stop::Interrupted)),
            engine: self.engine,
            chosen_because: None,
            vacuous: None,
            explanation: None,
            known: None,
            warnings,
            stats: Stats::default(),
            seconds: 0.0,
            memory: 0,
        }
    }

    pub fn unsupported(&mut self, property: PropertyId) {
        let place = self.loaded.sources.describe(self.declared().properties[property].span);
        let why = format!("ltl properties are not checked yet ({place})");
        self.nothing(property, Reason::Unsupported(why));
    }

    /// No state at all is a target: the invariant `true` shows it.
    pub fn trivial(&mut self, property: PropertyId) {
        let certificate = Certificate::Invariant(Formula::constant(true));
        let start = Instant::now();
        let checked = self.check_claims(&[Claim::Decides(property)], &certificate);
        let mut finding = self.blank(property);
        match checked {
            Ok(checked) => {
                finding.verdict = Verdict::Holds;
                finding.evidence = Evidence::Certificate(certificate, checked);
                vacuous(&mut finding, warnings::vacuity_of_trivial(self.loaded, &self.checking));
            }
            Err(rejection) => self.errors.extend(reject(&mut finding, rejection, self.loaded)),
        }
        finding.stats.check_seconds = start.elapsed().as_secs_f64();
        finding.seconds = finding.stats.check_seconds;
        self.findings.push(finding);
    }

    /// One run for all properties, with a finding for each in their order; then all that rests on its stored set is
    /// checked together. About those that the engine refuses it finds nothing: they are given back, with the reasons.
    pub fn search(&mut self, engine: &dyn Engine, asked: &[Asked]) -> Vec<(PropertyId, String)> {
        let goals: Vec<Goal> = asked.iter().flat_map(|asked| asked.question.goals(asked.property)).collect();
        let task = task(self.loaded, &goals);
        // Who finds the memory used up by others does not begin.
        let may_begin = self.control.reserve(0).map_err(Refused::Stop);
        let prepared = match may_begin.and_then(|()| engine.prepare(&task, self.control)) {
            Ok(prepared) => prepared,
            Err(Refused::Unsupported(why)) => {
                let why = self.words(&why);
                return asked.iter().map(|asked| (asked.property, why.clone())).collect();
            }
            Err(Refused::Goals(some)) => return self.search_for_others(engine, asked, &goals, some),
            Err(Refused::Stop(stop)) => {
                asked.iter().for_each(|asked| self.nothing(asked.property, Reason::Stopped(stop.clone())));
                return Vec::new();
            }
        };
        self.begins = engine.begins();
        let (mut open, n_before) = (Open::new(asked), self.findings.len());
        prepared.run(self.control, &mut |told| {
            let (mut pending, n_settled) = (Vec::new(), self.findings.len());
            for (asked, answers) in open.take(told) {
                self.settle(asked, answers, &mut pending);
            }
            self.certify(pending);
            self.findings[n_settled..].iter().for_each(|finding| (self.publish)(finding));
        });
        for asked in open.rest() {
            self.nothing(asked.property, Reason::Stopped(Stop::Incomplete("the engine gave no answer".to_owned())));
        }
        // Answers come as they are found.
        let order: Map<PropertyId, usize> =
            asked.iter().zip(0..).map(|(asked, place)| (asked.property, place)).collect();
        self.findings[n_before..].sort_by_key(|finding| order[&finding.property]);
        Vec::new()
    }

    /// A property is refused with any of its goals; the engine is asked for the others again.
    fn search_for_others(
        &mut self,
        engine: &dyn Engine,
        asked: &[Asked],
        goals: &[Goal],
        some: Vec<(usize, Unsupported)>,
    ) -> Vec<(PropertyId, String)> {
        let mut refused: Vec<(PropertyId, String)> = Vec::new();
        for (goal, why) in some {
            let property = goals[goal].property;
            if refused.iter().all(|&(other, _)| other != property) {
                refused.push((property, self.words(&why)));
            }
        }
        let is_left = |asked: &&Asked| refused.iter().all(|&(property, _)| property != asked.property);
        let others: Vec<Asked> = asked.iter().filter(is_left).copied().collect();
        assert!(others.len() < asked.len(), "a goal that is refused is one of those that were asked for");
        if !others.is_empty() {
            refused.extend(self.search(engine, &others));
        }
        refused
    }

    /// Why something is refused, with its place.
    fn words(&self, Unsupported { what, span }: &Unsupported) -> String {
        let place = span.map(|span| format!(" ({})", self.loaded.sources.describe(span)));
        format!("{what}{}", place.unwrap_or_default())
    }

    /// There is no verdict, for this reason.
    pub fn nothing(&mut self, property: PropertyId, reason: Reason) {
        self.findings.push(PropertyReport { evidence: Evidence::Nothing(reason), ..self.blank(property) });
    }

    /// Turns the answers for a property's targets into a verdict.
    fn settle(&mut self, asked: Asked, answers: Vec<Answer>, pending: &mut Vec<Pending>) {
        let mut finding = self.blank(asked.property);
        let mut answers = answers.into_iter();
        let first = answers.next().expect("an engine answers for every target");
        finding.stats = first.stats;
        finding.seconds = finding.stats.search_seconds;
        let vacuity = match (self.begins, &first.outcome) {
            (Begins::AtGoals, Outcome::Excluded(_)) => warnings::vacuity_of_trivial(self.loaded, &self.checking),
            (Begins::AtGoals | Begins::AtInitialStates, outcome) => {
                warnings::vacuity(self.loaded, outcome, &self.checking)
            }
        };
        if vacuity.is_none() {
            finding.warnings.extend(warnings::never_enabled(self.loaded, &first.outcome, &first.never_enabled));
        }
        let prospects = first.known.as_ref().map_or(Prospects::Open, |known| known.prospects);
        let first = (first.outcome, first.known);
        match asked.question {
            Question::Never(_) => self.settle_never(&mut finding, first, Verdict::Violated, pending),
            Question::Eventually { .. } => {
                let errs = answers.next();
                if let Some(Answer { outcome: Outcome::Found(_), stats, .. }) = &errs {
                    finding.stats = stats.clone();
                }
                let errs = errs.map(|answer| (answer.outcome, answer.known));
                self.settle_eventually(&mut finding, first, errs, pending);
            }
            Question::Temporal => unreachable!("temporal properties are not searched"),
        }
        vacuous(&mut finding, vacuity);
        divergence::told(&mut finding, self.request.engine, prospects);
        self.findings.push(finding);
    }

    /// `reached` is the verdict that a run to the target gives; none at all gives the other one.
    fn settle_never(
        &mut self,
        finding: &mut PropertyReport,
        (outcome, known): (Outcome, Option<Known>),
        reached: Verdict,
        pending: &mut Vec<Pending>,
    ) {
        match outcome {
            Outcome::Found(trace) => self.replay(finding, reached, trace),
            Outcome::Excluded(certificate) => {
                finding.verdict = match reached {
                    Verdict::Violated => Verdict::Holds,
                    Verdict::Holds | Verdict::Unknown => Verdict::Violated,
                };
                let claim = Claim::Decides(finding.property);
                self.await_check(finding, certificate, claim, pending);
            }
            Outcome::Unknown(stop) => {
                finding.known = known.map(|Known { text, .. }| match reached {
                    Verdict::Violated => format!("no violation {text}"),
                    Verdict::Holds | Verdict::Unknown => format!("not reached {text}"),
                });
                finding.evidence = Evidence::Nothing(Reason::Stopped(stop));
            }
        }
    }

    /// A goal counts only where evaluating it errs nowhere in reach.
    fn settle_eventually(
        &mut self,
        finding: &mut PropertyReport,
        goal: (Outcome, Option<Known>),
        errs: Option<(Outcome, Option<Known>)>,
        pending: &mut Vec<Pending>,
    ) {
        match errs {
            None => self.settle_never(finding, goal, Verdict::Holds, pending),
            Some((Outcome::Found(trace), _)) => self.replay(finding, Verdict::Violated, trace),
            Some((Outcome::Excluded(certificate), _)) => {
                self.settle_never(finding, goal, Verdict::Holds, pending);
                if finding.verdict == Verdict::Holds {
                    let claim = Claim::NeverErrs(finding.property);
                    self.await_check(finding, certificate, claim, pending);
                }
            }
            Some((Outcome::Unknown(stop), _)) => {
                finding.known = match goal {
                    (Outcome::Found(trace), _) => {
                        let n_steps = trace.n_steps();
                        let steps = if n_steps == 1 { "step" } else { "steps" };
                        Some(format!("reached in {n_steps} {steps}, but evaluating it may err elsewhere"))
                    }
                    (Outcome::Excluded(_), _) => None,
                    (Outcome::Unknown(_), known) => known.map(|known| format!("not reached {}", known.text)),
                };
                finding.evidence = Evidence::Nothing(Reason::Stopped(stop));
            }
        }
    }

    fn replay(&mut self, finding: &mut PropertyReport, verdict: Verdict, trace: Trace) {
        let start = Instant::now();
        let subject = &self.loaded.subject;
        let replayed = lapidary_checker::replay(subject, finding.property, verdict, &trace, &self.checking);
        match replayed {
            Ok(()) => {
                finding.verdict = verdict;
                finding.explanation = why::shown(self.loaded, finding.property, verdict, trace.last(), &self.checking);
                finding.evidence = Evidence::Trace(trace);
            }
            Err(rejection) => {
                let means = Means::of_run(&self.request.solver.backend, self.control);
                let rejection = lapidary_checker::blamed(subject, finding.property, verdict, &trace, rejection, &means);
                self.errors.extend(reject(finding, rejection, self.loaded));
            }
        }
        finding.stats.check_seconds = start.elapsed().as_secs_f64();
        finding.seconds += finding.stats.check_seconds;
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
        // Making ready for a check takes a while, too, and there may be hundreds of them.
        let result = match self.checking.check() {
            Ok(()) => self.check_claims(&claims, &certificate),
            Err(stop) => Err(Rejection::Stopped(stop)),
        };
        let together = match &result {
            Ok(_) => true,
            Err(Rejection::Wrong(_) | Rejection::Stopped(Stop::Solver(_))) => false,
            Err(Rejection::Stopped(_)) => true,
        };
        for pending in &pending {
            let result = if together { result.clone() } else { self.check_claims(&[pending.claim], &certificate) };
            self.certified(pending.finding, result, start.elapsed().as_secs_f64());
        }
    }

    fn check_claims(&self, claims: &[Claim], certificate: &Certificate) -> Result<Checked, Rejection> {
        let Self { loaded, request, checking: control, .. } = self;
        let means = Means { jobs: request.jobs, ..Means::of_run(&request.solver.backend, control) };
        lapidary_checker::certify(&loaded.subject, claims, certificate, &means)
    }

    fn certified(&mut self, at: usize, result: Result<Checked, Rejection>, seconds: f64) {
        let begins = self.begins;
        let finding = &mut self.findings[at];
        finding.stats.check_seconds += seconds;
        finding.seconds += seconds;
        match (result, &mut finding.evidence) {
            (Ok(checked), Evidence::Certificate(certificate, how)) => {
                *how = checked;
                // What was counted backwards are the states that lead to the goal.
                let counted = match begins {
                    Begins::AtGoals => Stats::default(),
                    Begins::AtInitialStates => finding.stats.clone(),
                };
                finding.explanation = why::out_of_reach(self.loaded, finding.property, certificate, &counted);
                let remark = warnings::on_flattening_only(self.loaded, certificate);
                finding.warnings.extend(remark.map(str::to_owned));
            }
            // The verdict itself rests on a replayed run; what was sampled is that nothing errs elsewhere.
            (Ok(Checked::Sample(percent)), _) => {
                let sampled = format!("that evaluating it errs nowhere was checked on a sample of {percent}%");
                finding.warnings.push(sampled);
            }
            (Ok(Checked::OnWord(word)), _) => {
                finding.warnings.push(format!("that evaluating it errs nowhere was checked {word}"));
            }
            (Ok(Checked::Fully), _) => {}
            (Err(rejection), _) => self.errors.extend(reject(finding, rejection, self.loaded)),
        }
    }
}

/// Evidence that was not accepted leaves no verdict; if it was wrong, that is our own error, in words.
fn reject(finding: &mut PropertyReport, rejection: Rejection, loaded: &Loaded) -> Option<String> {
    let name = &loaded.declared().properties[finding.property].name;
    let (stop, error) = match rejection {
        // The evidence is wrong, and the solver that it rests on is to blame.
        Rejection::Stopped(stop @ Stop::Solver(_)) => (stop, None),
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
    finding.vacuous = None;
    finding.evidence = Evidence::Nothing(Reason::Stopped(stop));
    error
}

/// An answer about nothing is warned of; only success is false then, since a goal that nothing reaches is not reached.
fn vacuous(finding: &mut PropertyReport, vacuity: Option<Vacuity>) {
    finding.warnings.extend(vacuity.map(|vacuity| vacuity.to_string()));
    finding.vacuous = vacuity.filter(|_| finding.verdict == Verdict::Holds);
}
