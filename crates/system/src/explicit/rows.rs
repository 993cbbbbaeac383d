//! Running blocks over lists of rows.

use std::ops::{Range, RangeInclusive};

use lapidary_base::{Control, Stop};

use super::code::{Code, INSTRUCTIONS_PER_LOOK, within_budget};
use super::forks::{Block, Part, Test};
use super::repeated;
use crate::bytecode::Register;

/// A round of a loop over lists takes as long as so many instructions, beside those that it runs.
const ROUND: u64 = 64;

/// What a block runs on.
pub struct Machine<'a> {
    /// The registers that a row is loaded into.
    row: Range<usize>,
    registers: &'a mut [i64],
    name: &'a str,
    control: Option<&'a Control>,
    spare: &'a mut Vec<Vec<i64>>,
    /// The instructions of the longest execution so far: what loops took, at most.
    pub spent: u64,
    /// The instructions since the last look at the limits.
    n_run: i64,
}

impl<'a> Machine<'a> {
    pub fn new(
        row: Range<usize>,
        registers: &'a mut [i64],
        name: &'a str,
        control: Option<&'a Control>,
        spare: &'a mut Vec<Vec<i64>>,
        spent: u64,
    ) -> Self {
        Self { row, registers, name, control, spare, spent, n_run: 0 }
    }

    /// An empty list.
    pub fn buffer(&mut self) -> Vec<i64> {
        self.spare.pop().unwrap_or_default()
    }

    fn give_back(&mut self, mut rows: Vec<i64>) {
        rows.clear();
        self.spare.push(rows);
    }

    /// Appends the row that is in the registers.
    pub fn save(&self, rows: &mut Vec<i64>) {
        rows.extend_from_slice(&self.registers[self.row.clone()]);
    }

    /// Replaces the rows by those in which they leave the block.
    pub fn block(&mut self, block: &[Part], rows: &mut Vec<i64>) -> Result<(), Stop> {
        for part in block {
            if rows.is_empty() {
                break;
            }
            match part {
                Part::Run { code, rank } => {
                    let mut accepted = self.buffer();
                    self.run(code, *rank, rows, &mut accepted)?;
                    std::mem::swap(rows, &mut accepted);
                    self.give_back(accepted);
                }
                Part::Input { place, lo, hi } => self.input(*place, *lo..=*hi, rows)?,
                Part::Choice(branches) => self.choice(branches, rows)?,
                Part::If { test, then, otherwise } => self.branch(test, then, otherwise, rows)?,
                Part::While { test, block } => self.repeat(test, block, rows)?,
            }
        }
        Ok(())
    }

    fn work(&mut self, n_run: usize) -> Result<(), Stop> {
        self.n_run += n_run as i64;
        if self.n_run < INSTRUCTIONS_PER_LOOK {
            return Ok(());
        }
        self.n_run = 0;
        self.control.map_or(Ok(()), Control::check)
    }

    /// Appends the rows that the code accepts, as it leaves them.
    fn run(&mut self, code: &Code, rank: Option<Register>, rows: &[i64], accepted: &mut Vec<i64>) -> Result<(), Stop> {
        let mut ranks = self.buffer();
        let (before, mut longest) = (self.spent, self.spent);
        for row in rows.chunks_exact(self.row.len()) {
            self.work(row.len() + code.program.ops.len())?;
            self.registers[self.row.clone()].copy_from_slice(row);
            let mut spent = before;
            if code.run(self.registers, self.name, self.control, &mut spent)? {
                self.save(accepted);
                ranks.extend(rank.map(|rank| self.registers[rank.0 as usize]));
            }
            longest = longest.max(spent);
        }
        self.spent = longest;
        if !ranks.is_sorted() {
            self.arrange(&ranks, accepted);
        }
        self.give_back(ranks);
        Ok(())
    }

    /// Orders the rows by their ranks; those of one rank stay as they are.
    fn arrange(&mut self, ranks: &[i64], rows: &mut Vec<i64>) {
        let (mut arranged, width) = (self.buffer(), self.row.len());
        let mut order: Vec<usize> = (0..ranks.len()).collect();
        order.sort_by_key(|&i| ranks[i]);
        order.iter().for_each(|&i| arranged.extend_from_slice(&rows[i * width..(i + 1) * width]));
        std::mem::swap(rows, &mut arranged);
        self.give_back(arranged);
    }

    /// The first input counts slowest: a row is followed by its own further values.
    fn input(&mut self, place: usize, values: RangeInclusive<i64>, rows: &mut Vec<i64>) -> Result<(), Stop> {
        let mut all = self.buffer();
        for row in rows.chunks_exact(self.row.len()) {
            for value in values.clone() {
                self.work(self.row.len())?;
                let start = all.len();
                all.extend_from_slice(row);
                all[start + place] = value;
            }
        }
        std::mem::swap(rows, &mut all);
        self.give_back(all);
        Ok(())
    }

    /// All executions of a branch come before those of the next, whatever was chosen before.
    fn choice(&mut self, branches: &[Block], rows: &mut Vec<i64>) -> Result<(), Stop> {
        let mut all = self.buffer();
        let (before, mut longest) = (self.spent, self.spent);
        for branch in branches {
            let mut taken = self.buffer();
            self.spent = before;
            self.enter(branch, rows, &mut taken)?;
            longest = longest.max(self.spent);
            all.extend_from_slice(&taken);
            self.give_back(taken);
        }
        self.spent = longest;
        self.meet(rows, all);
        Ok(())
    }

    /// The same for one branch; mostly its first code drops what cannot go there.
    fn enter(&mut self, branch: &Block, rows: &[i64], taken: &mut Vec<i64>) -> Result<(), Stop> {
        if let Some((Part::Run { code, rank }, rest)) = branch.split_first() {
            self.run(code, *rank, rows, taken)?;
            return self.block(rest, taken);
        }
        taken.extend_from_slice(rows);
        self.work(taken.len())?;
        self.block(branch, taken)
    }

    fn branch(&mut self, test: &Test, then: &Block, otherwise: &Block, rows: &mut Vec<i64>) -> Result<(), Stop> {
        let mut refuted = self.buffer();
        self.split(test, rows, &mut refuted)?;
        let before = self.spent;
        self.block(then, rows)?;
        let longest = std::mem::replace(&mut self.spent, before);
        self.block(otherwise, &mut refuted)?;
        self.spent = self.spent.max(longest);
        let mut all = self.buffer();
        all.extend_from_slice(rows);
        all.extend_from_slice(&refuted);
        self.give_back(refuted);
        self.meet(rows, all);
        Ok(())
    }

    /// Executions with more rounds come first, as if the rounds were branches within each other.
    fn repeat(&mut self, test: &Test, block: &Block, rows: &mut Vec<i64>) -> Result<(), Stop> {
        let mut left: Vec<Vec<i64>> = Vec::new();
        while !rows.is_empty() {
            let mut refuted = self.buffer();
            self.split(test, rows, &mut refuted)?;
            if refuted.is_empty() {
                self.give_back(refuted);
            } else {
                left.push(refuted);
            }
            self.block(block, rows)?;
            repeated::rows(self.row.len(), rows);
            self.spent += ROUND + test.code.program.ops.len() as u64 + size(block);
            within_budget(self.spent, self.name)?;
        }
        let mut all = self.buffer();
        for rows in left.into_iter().rev() {
            all.extend_from_slice(&rows);
            self.give_back(rows);
        }
        self.meet(rows, all);
        Ok(())
    }

    /// Moves the rows for which the condition is false; those for which it has no value go nowhere.
    fn split(&mut self, test: &Test, rows: &mut Vec<i64>, refuted: &mut Vec<i64>) -> Result<(), Stop> {
        let (width, truth) = (self.row.len(), test.truth.0 as usize);
        let mut end = 0;
        for start in (0..rows.len()).step_by(width) {
            self.work(width + test.code.program.ops.len())?;
            self.registers[self.row.clone()].copy_from_slice(&rows[start..start + width]);
            if !test.code.run(self.registers, self.name, self.control, &mut 0)? {
                continue;
            }
            if self.registers[truth] == 0 {
                refuted.extend_from_slice(&rows[start..start + width]);
            } else {
                rows.copy_within(start..start + width, end);
                end += width;
            }
        }
        rows.truncate(end);
        Ok(())
    }

    /// Where ways meet, equal rows become one.
    fn meet(&mut self, rows: &mut Vec<i64>, mut all: Vec<i64>) {
        repeated::rows(self.row.len(), &mut all);
        std::mem::swap(rows, &mut all);
        self.give_back(all);
    }
}

/// The instructions of a round, without those of the loops within: an execution goes one way only, but not further.
fn size(block: &Block) -> u64 {
    let parts = block.iter().map(|part| match part {
        Part::Run { code, .. } => code.program.ops.len() as u64,
        Part::Input { .. } => 1,
        Part::Choice(branches) => 1 + branches.iter().map(size).max().unwrap_or(0),
        Part::If { test, then, otherwise } => test.code.program.ops.len() as u64 + size(then).max(size(otherwise)),
        Part::While { test, .. } => test.code.program.ops.len() as u64,
    });
    parts.sum()
}
