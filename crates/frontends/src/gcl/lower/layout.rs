//! Which cells there are and what they are called.
//!
//! The cells of a variable are contiguous: instance by instance of its process, and row by row within each.

use lapidary_base::IdVec;
use lapidary_ir::{Domain, Family, FamilyId, Life, Var, VarId};
use lapidary_text::{Diagnostic, Log, Span};

use super::super::codes;
use super::super::limits::{MAX_CELLS, MAX_INSTANCES};
use super::super::typed::{Param, Process, Program, Variable, VariableId};

/// One index of a cell: it takes `len` values from `lo` on.
#[derive(Clone, Copy, Debug)]
pub struct Dimension {
    pub lo: i64,
    pub len: u32,
}

impl Dimension {
    pub fn hi(self) -> i64 {
        self.lo + i64::from(self.len) - 1
    }
}

/// Where the cells of a variable are.
#[derive(Debug)]
pub struct Cells {
    pub first: VarId,
    /// Absent exactly where there are no dimensions.
    pub family: Option<FamilyId>,
    /// The parameters of the process, then the sizes of the array.
    pub dimensions: Vec<Dimension>,
    pub domain: Domain,
}

impl Cells {
    pub fn var(&self, offset: u32) -> VarId {
        VarId(self.first.0 + offset)
    }

    /// The cells of one instance of the process, or all of them.
    pub fn n_per_instance(&self, n_params: usize) -> u32 {
        self.dimensions[n_params..].iter().map(|dimension| dimension.len).product()
    }
}

#[derive(Default)]
pub struct Layout {
    pub vars: IdVec<VarId, Var>,
    pub families: IdVec<FamilyId, Family>,
    pub cells: IdVec<VariableId, Cells>,
    pub n_instances: usize,
}

/// Lays out all variables, or reports that there are too many.
pub fn lay_out(program: &Program<'_>, log: &mut Log) -> Option<Layout> {
    let mut layout = Layout::default();
    for process in &program.processes {
        let n_instances = process.params.iter().fold(1u64, |n, param| n.saturating_mul(param.len.into()));
        if n_instances + layout.n_instances as u64 > MAX_INSTANCES {
            let message = format!("more than {MAX_INSTANCES} process instances");
            log.push(too_large(message, process.name.span));
            return None;
        }
        layout.n_instances += n_instances as usize;
    }
    for variable in &program.variables {
        let params = variable.process.map_or(&[][..], |process| &program.processes[process].params);
        let dimensions = dimensions(params, &variable.sizes);
        let n_cells = dimensions.iter().fold(1u64, |n, dimension| n.saturating_mul(dimension.len.into()));
        if n_cells.saturating_add(layout.vars.len() as u64) > MAX_CELLS {
            let message = format!("more than {MAX_CELLS} variables, the cells of arrays included");
            log.push(too_large(message, variable.name.span));
            return None;
        }
        layout.place(program, variable, dimensions, n_cells as u32);
    }
    Some(layout)
}

impl Layout {
    fn place(&mut self, program: &Program<'_>, variable: &Variable<'_>, dimensions: Vec<Dimension>, n_cells: u32) {
        let process = variable.process.map(|process| &program.processes[process]);
        let n_params = process.map_or(0, |process| process.params.len());
        let first = self.vars.next_id();
        let mut indexes: Vec<i64> = dimensions.iter().map(|dimension| dimension.lo).collect();
        for _ in 0..n_cells {
            let shown: Vec<String> = indexes.iter().map(i64::to_string).collect();
            let name = cell_name(process, variable, n_params, &shown);
            let (domain, control, span) = (variable.domain, variable.control, variable.name.span);
            self.vars.push(Var { name, domain, control, life: Life::State, span });
            advance(&mut indexes, &dimensions);
        }
        let family = (!dimensions.is_empty()).then(|| {
            let blanks = vec!["_".to_owned(); dimensions.len()];
            let name = cell_name(process, variable, n_params, &blanks);
            self.families.push(Family { name, first, len: n_cells })
        });
        self.cells.push(Cells { first, family, dimensions, domain: variable.domain });
    }
}

fn dimensions(params: &[Param], sizes: &[u32]) -> Vec<Dimension> {
    let of_params = params.iter().map(|param| Dimension { lo: param.lo, len: param.len });
    of_params.chain(sizes.iter().map(|&len| Dimension { lo: 0, len })).collect()
}

/// `flag[1]`, `P[0].pc`, `P[1].buf[2]`, `Q.x`
fn cell_name(process: Option<&Process<'_>>, variable: &Variable<'_>, n_params: usize, indexes: &[String]) -> String {
    let (of_process, of_array) = indexes.split_at(n_params);
    let mut name = String::new();
    if let Some(process) = process {
        name = instance_name(process, of_process) + ".";
    }
    name.push_str(variable.name.text);
    name + &brackets(of_array)
}

/// `P[0]`, `P[0][1]`, `Q`
pub fn instance_name(process: &Process<'_>, indexes: &[String]) -> String {
    format!("{}{}", process.name.text, brackets(indexes))
}

fn brackets(indexes: &[String]) -> String {
    indexes.iter().map(|index| format!("[{index}]")).collect()
}

/// All combinations of the parameters of a process, the last one fastest.
pub fn instances(process: &Process<'_>) -> Vec<Vec<i64>> {
    let dimensions = dimensions(&process.params, &[]);
    let n_instances: usize = dimensions.iter().map(|dimension| dimension.len as usize).product();
    let mut indexes: Vec<i64> = dimensions.iter().map(|dimension| dimension.lo).collect();
    let mut all = Vec::with_capacity(n_instances);
    for _ in 0..n_instances {
        all.push(indexes.clone());
        advance(&mut indexes, &dimensions);
    }
    all
}

fn advance(indexes: &mut [i64], dimensions: &[Dimension]) {
    for (index, dimension) in indexes.iter_mut().zip(dimensions).rev() {
        if *index < dimension.hi() {
            *index += 1;
            return;
        }
        *index = dimension.lo;
    }
}

pub fn too_large(message: String, span: Span) -> Diagnostic {
    Diagnostic::error(codes::TOO_LARGE, message, span, "the limit is reached here")
        .with_help("make ranges and arrays smaller, for example with `-D`")
}
