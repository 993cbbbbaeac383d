//! How an answer ends: frozen numbers, which the command line exits with, and which one wins when several apply.

use lapidary_base::Stop;
use lapidary_text::{Diagnostic, Severity};
use lapidary_verdict::{Evidence, PropertyReport, Reason, Report, Verdict};

use crate::load::{LoadError, Loaded};

/// How a command, or a request, ended, from the weakest to the one that dominates all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    Success,
    Usage,
    Unknown,
    Unsupported,
    Violated,
    Input,
    Internal,
    Interrupted,
}

impl Exit {
    pub fn code(self) -> u8 {
        match self {
            Self::Success => 0,
            Self::Usage => 2,
            Self::Unknown => 30,
            Self::Unsupported => 4,
            Self::Violated => 10,
            Self::Input => 3,
            Self::Internal => 70,
            Self::Interrupted => 130,
        }
    }

    /// What the code says.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Success => "every checked property holds",
            Self::Usage => "usage",
            Self::Unknown => "some answer is unknown",
            Self::Unsupported => "a property or construct that no engine supports",
            Self::Violated => "some property is violated",
            Self::Input => "an error in a model, a property or a file",
            Self::Internal => "internal error",
            Self::Interrupted => "interrupted",
        }
    }

    /// Whether everything was done that was asked for, whatever the answers are.
    pub fn is_complete(self) -> bool {
        match self {
            Self::Success | Self::Unknown | Self::Unsupported | Self::Violated => true,
            Self::Usage | Self::Input | Self::Internal | Self::Interrupted => false,
        }
    }

    /// The code of a command that a limit ended.
    pub fn of_stop(stop: &Stop) -> Self {
        if *stop == Stop::Interrupted { Self::Interrupted } else { Self::Unknown }
    }

    /// The code where there is no model to ask about.
    pub fn of_load_error(error: &LoadError) -> Self {
        match error {
            LoadError::Text { diagnostics, .. } if only_unsupported(diagnostics) => Self::Unsupported,
            LoadError::File(_) | LoadError::Text { .. } => Self::Input,
            LoadError::LeftOut { .. } => Self::Unsupported,
            LoadError::NoProperty { .. } => Self::Usage,
            LoadError::Stopped { stop, .. } => Self::of_stop(stop),
        }
    }

    /// The code of a report about a model of which some properties may be left out.
    pub fn of_answer(loaded: &Loaded, report: &Report) -> Self {
        let left_out = if loaded.left_out.is_empty() { Self::Success } else { Self::Unsupported };
        Self::of_report(report).max(left_out)
    }

    /// The code of one finished report.
    pub fn of_report(report: &Report) -> Self {
        let worst = report.properties.iter().map(Self::of_property).max().unwrap_or(Self::Success);
        let internal = if report.internal_errors.is_empty() { Self::Success } else { Self::Internal };
        let interrupted = if report.interrupted { Self::Interrupted } else { Self::Success };
        worst.max(internal).max(interrupted)
    }

    fn of_property(property: &PropertyReport) -> Self {
        match property.verdict {
            Verdict::Holds => Self::Success,
            Verdict::Violated => Self::Violated,
            Verdict::Unknown => match &property.evidence {
                Evidence::Nothing(Reason::Unsupported(_)) => Self::Unsupported,
                Evidence::Nothing(Reason::Stopped(_) | Reason::Refused(_) | Reason::Diverging(_))
                | Evidence::Trace(_)
                | Evidence::Certificate(..) => Self::Unknown,
            },
        }
    }
}

/// Whether there is nothing to mend in a text: all its errors are about what is not supported.
fn only_unsupported(diagnostics: &[Diagnostic]) -> bool {
    let mut errors = diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error).peekable();
    errors.peek().is_some() && errors.all(|diagnostic| diagnostic.is_unsupported)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_precedence_is_the_frozen_one() {
        let mut all = [
            Exit::Success,
            Exit::Interrupted,
            Exit::Unknown,
            Exit::Input,
            Exit::Usage,
            Exit::Violated,
            Exit::Internal,
            Exit::Unsupported,
        ];
        all.sort();
        let codes: Vec<u8> = all.iter().rev().map(|exit| exit.code()).collect();
        assert_eq!(codes, [130, 70, 3, 10, 4, 30, 2, 0]);
    }

    #[test]
    fn an_interrupted_report_says_so_whatever_else_it_found() {
        let report = Report { interrupted: true, internal_errors: vec!["broken".to_owned()], ..Report::default() };
        assert_eq!(Exit::of_report(&report), Exit::Interrupted);
        assert_eq!(Exit::of_report(&Report::default()), Exit::Success);
    }
}
