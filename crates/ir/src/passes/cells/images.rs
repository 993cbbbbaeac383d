//! Expressions over the cells in place of those over arrays.

use std::cell::RefCell;
use std::rc::Rc;

use lapidary_base::hash::Map;

use super::places::{self, Places};
use super::{MOST_MORE, MOST_TIMES, TooMany, n_cells};
use crate::expr::{Expr, Exprs, Node};
use crate::function::Function;
use crate::model::{Model, Raw};
use crate::operator::rebuilt;
use crate::passes::bottom_up;
use crate::types::{ArrayId, ArrayType, Sort};

/// What becomes of an expression.
#[derive(Clone)]
pub enum Image {
    One(Expr),
    /// Of a small array, in the order of the cells.
    Cells(Rc<[Expr]>),
}

impl Image {
    /// The cells, or the only one.
    pub fn cells(&self) -> Rc<[Expr]> {
        match self {
            Self::One(expr) => Rc::new([*expr]),
            Self::Cells(cells) => Rc::clone(cells),
        }
    }
}

pub struct Images<'a> {
    /// Where the new ones are.
    pub exprs: Exprs,
    model: &'a Model,
    places: &'a Places,
    known: Map<Expr, Image>,
    /// Of new expressions: do they surely have a value everywhere?
    defined: RefCell<Map<Expr, bool>>,
    most: usize,
}

impl<'a> Images<'a> {
    pub fn new(model: &'a Model, places: &'a Places) -> Self {
        let most = model.exprs.len().saturating_mul(MOST_TIMES).saturating_add(MOST_MORE);
        let (known, defined) = (Map::default(), RefCell::default());
        Self { exprs: model.exprs.beside(), model, places, known, defined, most }
    }

    pub fn of(&mut self, root: Expr) -> Result<Image, TooMany> {
        let mut stack = vec![root];
        while let Some(&expr) = stack.last() {
            let waiting = stack.len();
            if !self.known.contains_key(&expr) {
                self.model.exprs.for_each_part(expr, |part| {
                    if !self.known.contains_key(&part) {
                        stack.push(part);
                    }
                });
            }
            if stack.len() == waiting {
                stack.pop();
                if !self.known.contains_key(&expr) {
                    let image = self.image(expr);
                    self.known.insert(expr, image);
                }
            }
            if self.exprs.len() > self.most {
                return Err(TooMany);
            }
        }
        Ok(self.known[&root].clone())
    }

    /// An image as one expression: a small array is put together from its cells.
    pub fn whole(&self, model: &Model, old: Expr, image: &Image) -> Expr {
        match image {
            Image::One(expr) => *expr,
            Image::Cells(cells) => match model.sort(old) {
                Sort::Array(id) => self.joined(id, cells),
                Sort::Bool | Sort::Int | Sort::Enum(_) | Sort::Bits(_) => unreachable!("only arrays have cells"),
            },
        }
    }

    fn joined(&self, id: ArrayId, cells: &[Expr]) -> Expr {
        let of = self.exprs.array_type(id);
        let n = self.n_indexes(of);
        let elements: Vec<Expr> = cells
            .chunks(cells.len() / n)
            .map(|part| match (of.element, self.is_small(of.element)) {
                (Sort::Array(inner), true) => self.joined(inner, part),
                _ => part[0],
            })
            .collect();
        let first = self.exprs.fill(id, elements[0]);
        (1..n).filter(|&i| elements[i] != elements[0]).fold(first, |array, i| {
            self.exprs.store_in(id, array, of.index.domain().constant(&self.exprs, i as Raw), elements[i])
        })
    }

    fn n_indexes(&self, of: ArrayType) -> usize {
        places::n_indexes(self.model, of).expect("small arrays have few indexes")
    }

    fn is_small(&self, sort: Sort) -> bool {
        match sort {
            Sort::Array(id) => n_cells(self.model, self.model.exprs.array_type(id)).is_some(),
            Sort::Bool | Sort::Int | Sort::Enum(_) | Sort::Bits(_) => false,
        }
    }

    /// Given the images of the parts.
    fn image(&self, expr: Expr) -> Image {
        let (exprs, model) = (&self.exprs, self.model);
        let known = |part: &Expr| self.known[part].clone();
        match model.exprs.node(expr) {
            Node::Var(var) => match self.is_small(model.vars[*var].domain.sort()) {
                true => Image::Cells(self.places.cells(*var).map(|cell| exprs.var(cell)).collect()),
                false => Image::One(exprs.var(self.places.cells(*var).next().expect("every variable has a place"))),
            },
            Node::Cell(family, index) => {
                let index = self.one(*index);
                let cells: Rc<[Expr]> = self.places.rows(*family).map(|row| exprs.cell(row, index)).collect();
                match self.is_small(model.family_domain(*family).sort()) {
                    true => Image::Cells(cells),
                    false => Image::One(cells[0]),
                }
            }
            Node::Value(id, value) if self.is_small(Sort::Array(*id)) => Image::Cells(self.constants(*id, *value)),
            Node::Eq(a, b) => match (known(a), known(b)) {
                (Image::Cells(a), Image::Cells(b)) => {
                    Image::One(exprs.and(a.iter().zip(b.iter()).map(|(&a, &b)| exprs.eq(a, b)).collect::<Vec<_>>()))
                }
                _ => Image::One(exprs.eq(self.one(*a), self.one(*b))),
            },
            Node::Ite(condition, then, otherwise) => match (known(then), known(otherwise)) {
                (Image::Cells(then), Image::Cells(otherwise)) => {
                    let condition = self.one(*condition);
                    let choose = |(&then, &otherwise)| exprs.ite(condition, then, otherwise);
                    Image::Cells(then.iter().zip(otherwise.iter()).map(choose).collect())
                }
                _ => Image::One(exprs.ite(self.one(*condition), self.one(*then), self.one(*otherwise))),
            },
            Node::Apply(function, parts) => self.function(*function, parts),
            node => Image::One(rebuilt(exprs, node, &|part| self.one(part))),
        }
    }

    /// An old expression as one new one, whose image is known.
    fn one(&self, old: Expr) -> Expr {
        self.whole(self.model, old, &self.known[&old])
    }

    fn constants(&self, id: ArrayId, value: Raw) -> Rc<[Expr]> {
        let of = self.exprs.array_type(id);
        let array = self.exprs.values().array_value(value);
        let element = |index: usize| -> Vec<Expr> {
            let element = array.at(index as Raw);
            match of.element {
                Sort::Array(inner) if self.is_small(of.element) => self.constants(inner, element).to_vec(),
                _ => vec![of.element.domain().constant(&self.exprs, element)],
            }
        };
        (0..self.n_indexes(of)).flat_map(element).collect()
    }

    fn function(&self, function: Function, parts: &[Expr]) -> Image {
        let exprs = &self.exprs;
        match function {
            Function::Select(id) if self.is_small(Sort::Array(id)) => {
                let (array, index) = (self.known[&parts[0]].cells(), self.one(parts[1]));
                self.element(exprs.array_type(id), &array, index)
            }
            Function::Store(id) if self.is_small(Sort::Array(id)) => {
                let (array, index) = (self.known[&parts[0]].cells(), self.one(parts[1]));
                Image::Cells(self.stored(exprs.array_type(id), &array, index, &self.known[&parts[2]].cells()))
            }
            Function::Fill(id) if self.is_small(Sort::Array(id)) => {
                let element = self.known[&parts[0]].cells();
                let n = self.n_indexes(exprs.array_type(id));
                Image::Cells((0..n).flat_map(|_| element.iter().copied()).collect())
            }
            // A small array within a large one.
            Function::Select(id) if self.is_small(exprs.array_type(id).element) => {
                let element = exprs.select_of(id, self.one(parts[0]), self.one(parts[1]));
                match exprs.array_type(id).element {
                    Sort::Array(inner) => Image::Cells(self.taken_apart(inner, element).into()),
                    Sort::Bool | Sort::Int | Sort::Enum(_) | Sort::Bits(_) => unreachable!("only arrays are small"),
                }
            }
            _ => Image::One(exprs.apply(function, parts.iter().map(|&part| self.one(part)).collect::<Vec<_>>())),
        }
    }

    /// The cells of a small array that is one expression.
    fn taken_apart(&self, id: ArrayId, array: Expr) -> Vec<Expr> {
        let of = self.exprs.array_type(id);
        let element = |index: usize| {
            let index = of.index.domain().constant(&self.exprs, index as Raw);
            let element = self.exprs.select_of(id, array, index);
            match of.element {
                Sort::Array(inner) if self.is_small(of.element) => self.taken_apart(inner, element),
                _ => vec![element],
            }
        };
        (0..self.n_indexes(of)).flat_map(element).collect()
    }

    fn element(&self, of: ArrayType, array: &[Expr], index: Expr) -> Image {
        let exprs = &self.exprs;
        let (n, each) = self.extent(of, array);
        let cells: Rc<[Expr]> = match exprs.raw(index) {
            Some(index) => array[index as usize * each..][..each].into(),
            None => {
                let cell = |j: usize| {
                    let last = array[(n - 1) * each + j];
                    // An index of which there is only one may have no value all the same.
                    (0..(n - 1).max(1)).rev().fold(last, |otherwise, i| {
                        exprs.ite(self.is_index(of, index, i), array[i * each + j], otherwise)
                    })
                };
                (0..each).map(cell).collect()
            }
        };
        if self.is_small(of.element) { Image::Cells(cells) } else { Image::One(cells[0]) }
    }

    /// How many indexes there are, and how many cells each of them has.
    fn extent(&self, of: ArrayType, array: &[Expr]) -> (usize, usize) {
        let n = self.n_indexes(of);
        (n, array.len() / n)
    }

    fn is_index(&self, of: ArrayType, index: Expr, i: usize) -> Expr {
        self.exprs.eq(index, of.index.domain().constant(&self.exprs, i as Raw))
    }

    fn stored(&self, of: ArrayType, array: &[Expr], index: Expr, element: &[Expr]) -> Rc<[Expr]> {
        let exprs = &self.exprs;
        let (_, each) = self.extent(of, array);
        // All cells of an array have a value where one of them has.
        let needed: Vec<Expr> = [array[0], element[0]].into_iter().filter(|&part| !self.is_defined(part)).collect();
        let cell = |(at, &old): (usize, &Expr)| {
            let (i, new) = (at / each, element[at % each]);
            let cell = match exprs.raw(index) {
                Some(index) if index as usize == i => new,
                Some(_) => old,
                None => exprs.ite(self.is_index(of, index, i), new, old),
            };
            needed.iter().fold(cell, |cell, &part| exprs.ite(exprs.intern(Node::Eq(part, part)), cell, cell))
        };
        array.iter().enumerate().map(cell).collect()
    }

    /// Whether it surely has a value everywhere.
    fn is_defined(&self, expr: Expr) -> bool {
        let exprs = &self.exprs;
        let mut defined = self.defined.borrow_mut();
        bottom_up(exprs, expr, &mut defined, |expr, defined| {
            let mut all = match exprs.node(expr) {
                Node::Cell(..) => false,
                Node::Div(_, by) | Node::Mod(_, by) => exprs.as_int(*by).is_some_and(|by| by != 0),
                _ => true,
            };
            exprs.for_each_part(expr, |part| all &= defined[&part]);
            all
        });
        defined[&expr]
    }
}
