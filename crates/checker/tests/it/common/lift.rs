//! A lift that serves requests from inside and from the floors, as a model and as a search written by hand.

use lapidary_ir::{Assignment, Domain, Expr, Exprs, Model, PropertyKind, VarId};

use super::build::{add_enum, add_family, add_guarded, add_property, add_var, set};

const PHASES: [&str; 6] = ["idle", "open", "opened", "wait", "close1", "close2"];

struct Lift {
    model: Model,
    cab: VarId,
    up: VarId,
    cdoor: VarId,
    d: VarId,
    r: VarId,
    b: VarId,
    pc: VarId,
    n_floors: u32,
}

/// Variables in the order `cab, up, cdoor, d, r, b, pc`; the properties are `door`, `progress` and `no_errors`.
pub fn lift(n_floors: u32) -> Model {
    let mut lift = declare(n_floors);
    for floor in 0..n_floors {
        lift.environment(floor);
        lift.idle(floor);
        lift.doors(floor);
    }
    let cdoor = lift.cdoor;
    lift.phase("ring", "opened", "wait", |e| vec![set(cdoor, e.bool(true))]);
    lift.phase("wait", "wait", "close1", |_| Vec::new());
    lift.phase("shut", "close1", "close2", |e| vec![set(cdoor, e.bool(false))]);
    lift.finish()
}

fn at(first: VarId, floor: u32) -> VarId {
    VarId(first.0 + floor)
}

fn declare(n_floors: u32) -> Lift {
    let mut model = Model::named(format!("lift_{n_floors}"));
    let phases = add_enum(&mut model, "Phase", &PHASES);
    let cab = add_var(&mut model, "cab", Domain::Range { lo: 0, hi: i64::from(n_floors) - 1 });
    let up = add_var(&mut model, "up", Domain::Bool);
    let cdoor = add_var(&mut model, "cdoor", Domain::Bool);
    let rows = ["d", "r", "b"].map(|name| {
        let family = add_family(&mut model, name, n_floors, Domain::Bool);
        model.families[family].first
    });
    let pc = add_var(&mut model, "pc", Domain::Enum(phases));
    let [d, r, b] = rows;
    Lift { model, cab, up, cdoor, d, r, b, pc, n_floors }
}

impl Lift {
    fn is(&self, phase: &str) -> Expr {
        let e = &self.model.exprs;
        e.eq(e.var(self.pc), self.literal(phase))
    }

    fn literal(&self, phase: &str) -> Expr {
        let number = PHASES.iter().position(|&name| name == phase).expect("a phase of the lift");
        self.model.exprs.literal(lapidary_ir::EnumId(0), number as u32)
    }

    fn requested(&self, floor: u32) -> Expr {
        let e = &self.model.exprs;
        e.or([e.var(at(self.r, floor)), e.var(at(self.b, floor))])
    }

    fn some_requested(&self, floors: std::ops::Range<u32>) -> Expr {
        self.model.exprs.or(floors.map(|floor| self.requested(floor)).collect::<Vec<_>>())
    }

    fn none_requested(&self, floors: std::ops::Range<u32>) -> Expr {
        let e = &self.model.exprs;
        let parts = floors.flat_map(|floor| [e.not(e.var(at(self.r, floor))), e.not(e.var(at(self.b, floor)))]);
        e.and(parts.collect::<Vec<_>>())
    }

    fn at_floor(&self, floor: u32) -> Expr {
        let e = &self.model.exprs;
        e.eq(e.var(self.cab), e.int(i64::from(floor)))
    }

    fn environment(&mut self, floor: u32) {
        for (label, row) in [("call", self.r), ("press", self.b)] {
            let e = &self.model.exprs;
            let (guard, on) = (e.not(e.var(at(row, floor))), e.bool(true));
            add_guarded(&mut self.model, &format!("{label}[{floor}]"), guard, vec![set(at(row, floor), on)]);
        }
    }

    /// `pc = idle & cab = floor & guard -> updates`
    fn idle_command(&mut self, label: &str, floor: u32, guard: Vec<Expr>, updates: Vec<Assignment>) {
        let guard = [self.is("idle"), self.at_floor(floor)].into_iter().chain(guard);
        let guard = self.model.exprs.and(guard.collect::<Vec<_>>());
        add_guarded(&mut self.model, &format!("{label}[{floor}]"), guard, updates);
    }

    fn idle(&mut self, floor: u32) {
        let (below, above, here) = (0..floor, floor + 1..self.n_floors, self.requested(floor));
        let open = vec![set(self.pc, self.literal("open"))];
        self.idle_command("stop", floor, vec![here], open);
        let none_here = self.none_requested(floor..floor + 1);
        let e = &self.model.exprs;
        let (up, down) = (e.var(self.up), e.not(e.var(self.up)));
        let (turn_up, turn_down) = (set(self.up, e.bool(true)), set(self.up, e.bool(false)));
        let to = |next: i64| set(self.cab, e.int(next));
        let (rise, sink) = (to(i64::from(floor) + 1), to(i64::from(floor) - 1));
        let (some_above, none_above) = (self.some_requested(above.clone()), self.none_requested(above));
        let (some_below, none_below) = (self.some_requested(below.clone()), self.none_requested(below));
        self.idle_command("rise", floor, vec![none_here, up, some_above], vec![rise]);
        self.idle_command("turn_up", floor, vec![none_here, down, none_below, some_above], vec![turn_up]);
        self.idle_command("sink", floor, vec![none_here, down, some_below], vec![sink]);
        self.idle_command("turn_down", floor, vec![none_here, up, none_above, some_below], vec![turn_down]);
    }

    fn doors(&mut self, floor: u32) {
        let (d, r, b) = (at(self.d, floor), at(self.r, floor), at(self.b, floor));
        let (opened, idle) = (self.literal("opened"), self.literal("idle"));
        let e = &self.model.exprs;
        let (on, off) = (e.bool(true), e.bool(false));
        let open = e.and([self.is("open"), self.at_floor(floor)]);
        let close = e.and([self.is("close2"), self.at_floor(floor), e.not(e.var(self.cdoor))]);
        let opening = vec![set(d, on), set(r, off), set(b, off), set(self.pc, opened)];
        add_guarded(&mut self.model, &format!("open[{floor}]"), open, opening);
        add_guarded(&mut self.model, &format!("close[{floor}]"), close, vec![set(d, off), set(self.pc, idle)]);
    }

    fn phase(&mut self, label: &str, from: &str, to: &str, updates: impl Fn(&Exprs) -> Vec<Assignment>) {
        let mut updates = updates(&self.model.exprs);
        updates.push(set(self.pc, self.literal(to)));
        let guard = self.is(from);
        add_guarded(&mut self.model, label, guard, updates);
    }

    fn finish(mut self) -> Model {
        let e = &self.model.exprs;
        let starts_true = |var: VarId| var == self.up;
        let vars = self.model.vars.ids().filter(|&var| var != self.pc && var != self.cab);
        let mut init: Vec<Expr> =
            vars.map(|var| if starts_true(var) { e.var(var) } else { e.not(e.var(var)) }).collect();
        init.extend([self.is("idle"), self.at_floor(0)]);
        let floors = 0..self.n_floors;
        let door = e.and(floors.map(|i| e.implies(e.var(at(self.d, i)), self.at_floor(i))).collect::<Vec<_>>());
        self.model.init = init;
        add_property(&mut self.model, "door", PropertyKind::Invariant(door));
        add_property(&mut self.model, "progress", PropertyKind::DeadlockFree);
        add_property(&mut self.model, "no_errors", PropertyKind::NoErrors);
        self.model
    }
}
