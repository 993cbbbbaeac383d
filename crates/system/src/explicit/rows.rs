//! Running blocks over lists of rows.

use std::ops::{Range, RangeInclusive};

use lapidary_base::{Control, Stop};

use super::code::{Code, Looks, within_budget};
use super::forks::{Block, Part, Test};
use super::ranked;
use super::repeated::{self, Heads};
use crate::bytecode::Register;

/// A round of a loop over lists takes as long as so many instructions, beside those that it runs.
const ROUND: u64 = 64;

/// So many numbers are copied at once.
const PIECE: usize = 1 << 14;

/// What a block runs on.
pub struct Machine<'a> {
    /// The registers that a row is loaded into.
    row: Range<usize>,
    registers: &'a mut [i64],
    name: &'a str,
    looks: Looks<'a>,
    spare: &'a mut Vec<Vec<i64>>,
    /// The instructions of the longest execution so far: what loops took, at most.
    pub spent: u64,
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
        Self { row, registers, name, looks: Looks::new(control), spare, spent }
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

    /// Appends rows in pieces: a list may be so long that copying it takes a second.
    fn append(&mut self, rows: &[i64], all: &mut Vec<i64>) -> Result<(), Stop> {
        for piece in rows.chunks(PIECE) {
            self.looks.add(piece.len())?;
            all.extend_from_slice(piece);
        }
        Ok(())
    }

    /// Appends the rows that the code accepts, as it leaves them.
    fn run(&mut self, code: &Code, rank: Option<Register>, rows: &[i64], accepted: &mut Vec<i64>) -> Result<(), Stop> {
        let mut ranks = self.buffer();
        let (before, mut longest) = (self.spent, self.spent);
        for row in rows.chunks_exact(self.row.len()) {
            self.looks.add(row.len() + code.program.ops.len())?;
            self.registers[self.row.clone()].copy_from_slice(row);
            let mut spent = before;
            if code.run(self.registers, self.name, self.looks.control, &mut spent)? {
                self.save(accepted);
                ranks.extend(rank.map(|rank| self.registers[rank.0 as usize]));
            }
            longest = longest.max(spent);
        }
        self.spent = longest;
        if !ranks.is_sorted() {
            self.arrange(&ranks, accepted)?;
        }
        self.give_back(ranks);
        Ok(())
    }

    /// Orders the rows by their ranks; those of one rank stay as they are.
    fn arrange(&mut self, ranks: &[i64], rows: &mut Vec<i64>) -> Result<(), Stop> {
        let (mut arranged, width) = (self.buffer(), self.row.len());
        for i in ranked::order(ranks, &mut self.looks)? {
            self.looks.add(width)?;
            arranged.extend_from_slice(&rows[i * width..(i + 1) * width]);
        }
        std::mem::swap(rows, &mut arranged);
        self.give_back(arranged);
        Ok(())
    }

    /// The first input counts slowest: a row is followed by its own further values.
    fn input(&mut self, place: usize, values: RangeInclusive<i64>, rows: &mut Vec<i64>) -> Result<(), Stop> {
        let mut all = self.buffer();
        for row in rows.chunks_exact(self.row.len()) {
            for value in values.clone() {
                self.looks.add(self.row.len())?;
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
            if all.is_empty() {
                std::mem::swap(&mut all, &mut taken);
            }
            self.append(&taken, &mut all)?;
            self.give_back(taken);
        }
        self.spent = longest;
        std::mem::swap(rows, &mut all);
        self.give_back(all);
        self.meet(rows)
    }

    /// The same for one branch; mostly its first code drops what cannot go there.
    fn enter(&mut self, branch: &Block, rows: &[i64], taken: &mut Vec<i64>) -> Result<(), Stop> {
        if let Some((Part::Run { code, rank }, rest)) = branch.split_first() {
            self.run(code, *rank, rows, taken)?;
            return self.block(rest, taken);
        }
        self.append(rows, taken)?;
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
        self.append(&refuted, rows)?;
        self.give_back(refuted);
        self.meet(rows)
    }

    /// Executions with more rounds come first, as if the rounds were branches within each other. An execution that does
    /// not end is no step, so the rounds are over when no row is left that may lead to something new.
    fn repeat(&mut self, test: &Test, block: &Block, rows: &mut Vec<i64>) -> Result<(), Stop> {
        let (mut left, mut heads): (Vec<Vec<i64>>, Heads) = Default::default();
        loop {
            heads.arrive(self.row.len(), rows, &mut self.looks)?;
            if rows.is_empty() {
                break;
            }
            let mut refuted = self.buffer();
            self.split(test, rows, &mut refuted)?;
            if refuted.is_empty() {
                self.give_back(refuted);
            } else {
                left.push(refuted);
            }
            self.block(block, rows)?;
            self.meet(rows)?;
            self.spent += ROUND + test.code.program.ops.len() as u64 + size(block);
            within_budget(self.spent, self.name)?;
        }
        for refuted in left.into_iter().rev() {
            self.append(&refuted, rows)?;
            self.give_back(refuted);
        }
        self.meet(rows)
    }

    /// Moves the rows for which the condition is false; those for which it has no value go nowhere.
    fn split(&mut self, test: &Test, rows: &mut Vec<i64>, refuted: &mut Vec<i64>) -> Result<(), Stop> {
        let (width, truth) = (self.row.len(), test.truth.0 as usize);
        let mut end = 0;
        for start in (0..rows.len()).step_by(width) {
            self.looks.add(width + test.code.program.ops.len())?;
            self.registers[self.row.clone()].copy_from_slice(&rows[start..start + width]);
            if !test.code.run(self.registers, self.name, self.looks.control, &mut 0)? {
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
    fn meet(&mut self, rows: &mut Vec<i64>) -> Result<(), Stop> {
        repeated::rows(self.row.len(), rows, &mut self.looks)
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
