//! Answers and their evidence: verdicts, traces, certificates and the report of a run.

pub mod certificate;
pub mod certificate_file;
pub mod formula;
pub mod itf;
pub mod report;
pub mod trace;

pub use certificate::{
    About, Basis, Block, Blocks, Certificate, Child, Components, Cover, Covered, Diagram, DiagramNode, Enumeration,
    Field, Ideals, Induction, Kind, Layout,
};
pub use formula::Formula;
pub use report::{
    Checked, Evidence, Growth, OnWord, PropertyReport, Reason, Report, Round, Spread, Stats, Vacuity, Verdict, Whole,
};
pub use trace::{State, Trace};
