//! The options of the engines that ask a solver.

use std::sync::LazyLock;

use clap::{Args, ValueEnum};
use lapidary_driver::register::OptionGroup;
use lapidary_driver::{Backend, Inputs, SolverOptions};

use crate::words::{group_heading, quoted};

static HEADING: LazyLock<String> = LazyLock::new(|| group_heading("Solver", OptionGroup::Solver, None));

#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = HEADING.as_str())]
pub struct SolverArgs {
    /// A program that speaks SMT-LIB 2 and its arguments, as in 'cvc5 --lang smt2 --incremental', or none: matching then goes
    /// without [default: the Z3 that is built in]
    #[arg(long, value_name = "COMMAND", value_parser = parse)]
    pub solver: Option<Solver>,

    /// How long bmc makes its runs, how far kinduction lets k grow [default: no bound]
    #[arg(long, value_name = "N")]
    pub bound: Option<u64>,

    /// After so many rounds matching makes a transition that stays inexact exact, by equalities, or never [default: 3]
    #[arg(long, value_name = "N|never", value_parser = concretise)]
    pub concretise: Option<Concretise>,

    /// Where matching uses a predicate: everywhere, or where it was found missing [default: global]
    #[arg(long = "predicates", value_name = "WHERE")]
    pub scope: Option<Scope>,

    /// How matching finds values of inputs without bounds: from the solver, or around zero [default: solver]
    #[arg(long, value_name = "HOW")]
    pub inputs: Option<InputsFrom>,
}

/// What was typed, and what it means.
#[derive(Clone, Debug)]
pub struct Solver {
    typed: String,
    pub backend: Backend,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Concretise {
    After(u32),
    Never,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Scope {
    Global,
    Local,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum InputsFrom {
    Solver,
    Enumerate,
}

pub fn parse(text: &str) -> Result<Solver, String> {
    let backend = Backend::parse(text)?;
    Ok(Solver { typed: text.to_owned(), backend })
}

fn concretise(text: &str) -> Result<Concretise, String> {
    match text {
        "never" => Ok(Concretise::Never),
        number => number.parse().map(Concretise::After).map_err(|_| "write a number of rounds, or never".to_owned()),
    }
}

impl SolverArgs {
    pub fn options(&self) -> SolverOptions {
        let usual = SolverOptions::default();
        SolverOptions {
            backend: self.solver.as_ref().map_or(usual.backend, |solver| solver.backend.clone()),
            concretise: match self.concretise {
                None => usual.concretise,
                Some(Concretise::After(rounds)) => Some(rounds),
                Some(Concretise::Never) => None,
            },
            is_local: self.scope == Some(Scope::Local),
            inputs: match self.inputs {
                None | Some(InputsFrom::Solver) => Inputs::Solver,
                Some(InputsFrom::Enumerate) => Inputs::Enumerate,
            },
            bound: self.bound,
        }
    }

    /// Without a solver engine `matching` is light-weight, and the others refuse.
    pub fn is_without(&self) -> bool {
        self.solver.as_ref().is_some_and(|solver| solver.backend == Backend::Nothing)
    }

    /// What was typed, for a command that is to be repeated; limits are left out.
    pub fn words(&self) -> String {
        let solver = self.solver.as_ref().map(|solver| format!(" --solver {}", quoted(&solver.typed)));
        let concretise = self.concretise.map(|after| match after {
            Concretise::After(rounds) => format!(" --concretise {rounds}"),
            Concretise::Never => " --concretise never".to_owned(),
        });
        let local = (self.scope == Some(Scope::Local)).then(|| " --predicates local".to_owned());
        let around = (self.inputs == Some(InputsFrom::Enumerate)).then(|| " --inputs enumerate".to_owned());
        [solver, concretise, local, around].into_iter().flatten().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_name_what_was_typed() {
        assert_eq!(SolverArgs::default().words(), "");
        let args = SolverArgs {
            solver: Some(parse("cat --incremental").unwrap()),
            bound: Some(7),
            concretise: Some(Concretise::Never),
            scope: Some(Scope::Local),
            inputs: Some(InputsFrom::Enumerate),
        };
        let expected = " --solver 'cat --incremental' --concretise never --predicates local --inputs enumerate";
        assert_eq!(args.words(), expected);
        assert!(!args.is_without() && parse("  ").is_err());
    }

    #[test]
    fn rounds_are_a_number_or_never() {
        assert_eq!(concretise("never"), Ok(Concretise::Never));
        assert_eq!(concretise("0"), Ok(Concretise::After(0)));
        assert!(concretise("-1").is_err() && concretise("often").is_err());
        let args = SolverArgs { concretise: Some(Concretise::Never), ..SolverArgs::default() };
        assert_eq!((args.options().concretise, SolverArgs::default().options().concretise), (None, Some(3)));
    }

    #[test]
    fn none_is_no_solver_at_all() {
        let args = SolverArgs { solver: Some(parse("none").unwrap()), ..SolverArgs::default() };
        assert!(args.is_without());
        assert_eq!(args.options().backend, Backend::Nothing);
    }
}
