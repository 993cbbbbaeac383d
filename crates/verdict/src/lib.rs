//! Answers and their evidence: verdicts, traces, certificates and the report of a run.

pub mod certificate;
pub mod certificate_file;
pub mod diagram;
pub mod itf;
pub mod report;
pub mod trace;

pub use certificate::{Certificate, Enumeration, Field, Layout};
pub use diagram::{Child, Diagram, DiagramNode};
pub use report::{Checked, Evidence, PropertyReport, Reason, Report, Stats, Verdict};
pub use trace::{State, Trace};
