//! Answers and their evidence: verdicts, traces, certificates and the report of a run.

pub mod certificate;
pub mod certificate_file;
pub mod components;
pub mod diagram;
pub mod formula;
pub mod itf;
pub mod report;
pub mod trace;

pub use certificate::{Basis, Block, Blocks, Certificate, Enumeration, Field, Ideals, Induction, Layout};
pub use components::{Components, Cover};
pub use diagram::{Child, Diagram, DiagramNode};
pub use formula::Formula;
pub use report::{
    Checked, Evidence, Growth, OnWord, PropertyReport, Reason, Report, Round, Spread, Stats, Vacuity, Verdict, Whole,
};
pub use trace::{State, Trace};
