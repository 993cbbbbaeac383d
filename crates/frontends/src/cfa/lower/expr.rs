//! Expressions. All have a value everywhere.

use lapidary_ir::{ArrayId, Expr, Sort};

use super::super::ast::{Binary, Compare, Extension, Logic, Sign};
use super::super::typed::{self, Kind, Ty};
use super::divide::Division;
use super::{Aborted, Lowered, Lowering};

impl Lowering<'_, '_> {
    pub(super) fn lower(&mut self, expr: &typed::Expr) -> Lowered<Expr> {
        let lowered = self.node(expr)?;
        match self.measures.look(&self.exprs, lowered, expr.span) {
            Ok(()) => Ok(lowered),
            Err(diagnostic) => {
                self.log.push(diagnostic);
                Err(Aborted)
            }
        }
    }

    fn node(&mut self, expr: &typed::Expr) -> Lowered<Expr> {
        Ok(match &expr.kind {
            Kind::Error => return Err(Aborted),
            Kind::Bool(value) => self.exprs.bool(*value),
            Kind::Int(value) => self.exprs.int(*value),
            Kind::Bits(bits) => self.exprs.wide_bits(bits.width, &bits.words),
            Kind::Variable(variable) => {
                let var = self.of[*variable].expect("what is never run is not lowered");
                self.exprs.var(var)
            }
            Kind::Here => self.exprs.var(self.here),
            Kind::Location(location) => self.location(*location),
            Kind::Not(a) => {
                let a = self.lower(a)?;
                self.exprs.not(a)
            }
            Kind::Chain(logic, parts) => {
                let parts = self.each(parts)?;
                self.chained(*logic, parts)
            }
            Kind::Compare(compare, sides) => {
                let (a, b) = (self.lower(&sides[0])?, self.lower(&sides[1])?);
                self.compared(*compare, a, b)
            }
            Kind::Fold(first, rest) => self.folded(first, rest)?,
            Kind::Sign(sign, a) => {
                let a = self.lower(a)?;
                self.signed(*sign, a)
            }
            Kind::If(parts) => {
                let [condition, then, otherwise] = [&parts[0], &parts[1], &parts[2]].map(|part| self.lower(part));
                self.exprs.ite(condition?, then?, otherwise?)
            }
            Kind::Extend(extension, a) => {
                let a = self.lower(a)?;
                self.extended(*extension, a, width(expr.ty))
            }
            Kind::Extract { of, high, low } => {
                let of = self.lower(of)?;
                self.exprs.extract(of, *high, *low)
            }
            Kind::Read(parts) => self.read(&parts[0], &parts[1])?,
            Kind::Write(parts) => {
                let [of, index, value] = [&parts[0], &parts[1], &parts[2]].map(|part| self.lower(part));
                self.exprs.store_in(self.array(expr.ty), of?, index?, value?)
            }
            Kind::Array(entries, default) => self.listed(self.array(expr.ty), entries, default)?,
        })
    }

    fn extended(&self, extension: Extension, a: Expr, to: u32) -> Expr {
        match extension {
            Extension::Zero => self.exprs.zero_extend(a, to),
            Extension::Sign => self.exprs.sign_extend(a, to),
        }
    }

    fn read(&mut self, of: &typed::Expr, index: &typed::Expr) -> Lowered<Expr> {
        let (id, of, index) = (self.array(of.ty), self.lower(of)?, self.lower(index)?);
        Ok(self.exprs.select_of(id, of, index))
    }

    fn each(&mut self, parts: &[typed::Expr]) -> Lowered<Vec<Expr>> {
        parts.iter().map(|part| self.lower(part)).collect()
    }

    fn array(&self, ty: Ty) -> ArrayId {
        match self.sort(ty) {
            Sort::Array(id) => id,
            Sort::Bool | Sort::Int | Sort::Enum(_) | Sort::Bits(_) => unreachable!("only arrays have cells"),
        }
    }

    /// Later entries lie over earlier ones.
    fn listed(&mut self, id: ArrayId, entries: &[[typed::Expr; 2]], default: &typed::Expr) -> Lowered<Expr> {
        let default = self.lower(default)?;
        let mut array = self.exprs.fill(id, default);
        for [index, value] in entries {
            let (index, value) = (self.lower(index)?, self.lower(value)?);
            array = self.exprs.store_in(id, array, index, value);
        }
        Ok(array)
    }

    fn chained(&self, logic: Logic, parts: Vec<Expr>) -> Expr {
        let exprs = &self.exprs;
        let whole = match logic {
            Logic::And => return exprs.and(parts),
            Logic::Or => return exprs.or(parts),
            Logic::Imply => {
                let mut parts = parts;
                let last = parts.pop();
                return exprs.or(parts.into_iter().map(|part| exprs.not(part)).chain(last));
            }
            Logic::Xor => parts.into_iter().reduce(|a, b| exprs.not(exprs.eq(a, b))),
            // It does not matter from which side: true where an even number of them are false.
            Logic::Iff => parts.into_iter().reduce(|a, b| exprs.eq(a, b)),
        };
        whole.expect("a chain has two parts at least")
    }

    fn compared(&self, compare: Compare, a: Expr, b: Expr) -> Expr {
        let exprs = &self.exprs;
        match compare {
            Compare::Eq => exprs.eq(a, b),
            Compare::Ne => exprs.not(exprs.eq(a, b)),
            Compare::Lt => exprs.lt(a, b),
            Compare::Le => exprs.le(a, b),
            Compare::Gt => exprs.lt(b, a),
            Compare::Ge => exprs.le(b, a),
            Compare::BitUlt => exprs.ult(a, b),
            Compare::BitUle => exprs.ule(a, b),
            Compare::BitUgt => exprs.ult(b, a),
            Compare::BitUge => exprs.ule(b, a),
            Compare::BitSlt => exprs.slt(a, b),
            Compare::BitSle => exprs.sle(a, b),
            Compare::BitSgt => exprs.slt(b, a),
            Compare::BitSge => exprs.sle(b, a),
        }
    }

    fn signed(&self, sign: Sign, a: Expr) -> Expr {
        match sign {
            Sign::Plus | Sign::BitPlus => a,
            Sign::Minus => self.exprs.neg(a),
            Sign::BitMinus => self.exprs.bit_neg(a),
            Sign::BitNot => self.exprs.bit_not(a),
        }
    }

    fn folded(&mut self, first: &typed::Expr, rest: &[(Binary, typed::Expr)]) -> Lowered<Expr> {
        let is_sum = |binary: &Binary| matches!(binary, Binary::Add | Binary::Sub);
        if rest.iter().all(|(binary, _)| is_sum(binary)) {
            return self.sum(first, rest);
        }
        let (mut whole, mut bits) = (self.lower(first)?, first.ty);
        for (binary, part) in rest {
            let lowered = self.lower(part)?;
            whole = match Division::of(*binary) {
                Some(division) => self.divided(division, whole, lowered, part.span),
                None => self.operated(*binary, whole, lowered, (bits, part.ty)),
            };
            if let (Binary::Concat, Ty::Bits(upper), Ty::Bits(lower)) = (*binary, bits, part.ty) {
                bits = Ty::Bits(upper + lower);
            }
        }
        Ok(whole)
    }

    /// One list, however long: no part of it is deeper than another.
    fn sum(&mut self, first: &typed::Expr, rest: &[(Binary, typed::Expr)]) -> Lowered<Expr> {
        let mut parts = vec![self.lower(first)?];
        for (binary, part) in rest {
            let lowered = self.lower(part)?;
            parts.push(if *binary == Binary::Sub { self.exprs.neg(lowered) } else { lowered });
        }
        Ok(self.exprs.add(parts))
    }

    /// All but division. The types are those of both sides.
    fn operated(&self, binary: Binary, a: Expr, b: Expr, (left, right): (Ty, Ty)) -> Expr {
        let exprs = &self.exprs;
        match binary {
            Binary::Add => exprs.add([a, b]),
            Binary::Sub => exprs.sub(a, b),
            Binary::Mul => exprs.mul(a, b),
            Binary::Div | Binary::Mod | Binary::Rem => unreachable!("division is lowered apart"),
            Binary::Concat => exprs.concat(a, b, width(left) + width(right)),
            Binary::BitAdd => exprs.bit_add(a, b),
            Binary::BitSub => exprs.bit_sub(a, b),
            Binary::BitMul => exprs.bit_mul(a, b),
            Binary::BitUdiv => exprs.bit_udiv(a, b),
            Binary::BitSdiv => exprs.bit_sdiv(a, b, width(left)),
            Binary::BitUrem => exprs.bit_urem(a, b),
            Binary::BitSrem => exprs.bit_srem(a, b, width(left)),
            Binary::BitSmod => exprs.bit_smod(a, b, width(left)),
            Binary::BitOr => exprs.bit_or(a, b),
            Binary::BitXor => exprs.bit_xor(a, b),
            Binary::BitAnd => exprs.bit_and(a, b),
            Binary::BitShl => exprs.bit_shl(a, b),
            Binary::BitAshr => exprs.bit_ashr(a, b),
            Binary::BitLshr => exprs.bit_lshr(a, b),
            Binary::BitRol => exprs.bit_rol(a, b, width(left)),
            Binary::BitRor => exprs.bit_ror(a, b, width(left)),
        }
    }
}

fn width(ty: Ty) -> u32 {
    match ty {
        Ty::Bits(width) => width,
        Ty::Error | Ty::Bool | Ty::Int | Ty::Array(_) | Ty::Location => unreachable!("only bit-vectors have a width"),
    }
}
