//! What results are about: kinds of properties, and the codes of diagnostics.

use std::borrow::Cow;

use lapidary_base::hash::Map;
use lapidary_ir::PropertyKind;
use lapidary_text::Severity;
use serde_json::{Value, json};

#[derive(Clone, Debug)]
pub struct Rule {
    pub id: &'static str,
    summary: Cow<'static, str>,
    level: &'static str,
}

/// For what a user should know about a verdict although it is right.
pub const REMARK: Rule =
    Rule { id: "remark", summary: Cow::Borrowed("Something to know about an answer that is right."), level: "warning" };

impl Rule {
    pub fn of_kind(kind: &PropertyKind) -> Self {
        let summary = match kind {
            PropertyKind::Invariant(_) => "Every reachable state satisfies the formula.",
            PropertyKind::Reach(_) => "Some reachable state satisfies the formula.",
            PropertyKind::DeadlockFree => "Every reachable state has a step.",
            PropertyKind::NoErrors => "No step errs.",
            PropertyKind::Ltl(_) => "Every run satisfies the formula.",
        };
        Self { id: kind.word(), summary: summary.into(), level: "error" }
    }

    pub fn of_code(code: &'static str, severity: Severity) -> Self {
        match severity {
            Severity::Error => Self { id: code, summary: format!("Error {code} in a model.").into(), level: "error" },
            Severity::Warning => {
                Self { id: code, summary: format!("Warning {code} about a model.").into(), level: "warning" }
            }
        }
    }
}

/// The rules that a log mentions, in the order in which it does.
#[derive(Default)]
pub struct Rules {
    list: Vec<Rule>,
    places: Map<&'static str, usize>,
}

impl Rules {
    pub fn index(&mut self, rule: &Rule) -> usize {
        let next = self.list.len();
        let index = *self.places.entry(rule.id).or_insert(next);
        if index == next {
            self.list.push(rule.clone());
        }
        index
    }

    /// It was looked at, and there is nothing to say.
    pub fn mention(&mut self, rule: &Rule) {
        self.index(rule);
    }

    pub fn descriptors(&self) -> Value {
        let descriptor = |rule: &Rule| {
            let text = json!({"text": rule.summary});
            json!({"id": rule.id, "shortDescription": text, "defaultConfiguration": {"level": rule.level}})
        };
        self.list.iter().map(descriptor).collect()
    }
}
