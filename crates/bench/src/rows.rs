//! The models of the comparison with Spin: one family each in `examples/`, one file per size there.

/// How much room Spin's verifier gets. Too small a depth makes its search incomplete and too small a table makes
/// it slow, but too large ones cost it memory and time to clear. On the larger models a few were tried and the
/// fastest kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    /// `-m`: steps that fit the stack.
    pub depth: u32,
    /// `-w`: log2 of the slots in the hash table.
    pub hash_bits: u32,
}

impl Room {
    pub fn pan_options(self) -> [String; 2] {
        [format!("-m{}", self.depth), format!("-w{}", self.hash_bits)]
    }
}

const fn room(depth: u32, hash_bits: u32) -> Room {
    Room { depth, hash_bits }
}

const SMALL: Room = room(20_000, 16);

/// Whether Spin's verifier must pass over deadlocks, because the model has some by design.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndStates {
    Checked,
    Ignored,
}

/// One model in both languages.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// Name of the Promela file, without its suffix.
    pub model: &'static str,
    /// Name of the file in `examples/`, without its suffix.
    pub family: &'static str,
    /// The constants that make the two agree.
    pub constants: &'static [&'static str],
    /// The invariant that the Promela model asserts.
    pub property: &'static str,
    pub room: Room,
    pub end_states: EndStates,
}

const fn mutex(model: &'static str, family: &'static str, constants: &'static [&'static str], room: Room) -> Row {
    Row { model, family, constants, property: "mutex", room, end_states: EndStates::Checked }
}

/// A bakery runs out of numbers: its deadlocks are not what is measured.
const fn bakery(model: &'static str, constants: &'static [&'static str], room: Room) -> Row {
    Row { end_states: EndStates::Ignored, ..mutex(model, "bakery", constants, room) }
}

const fn lift(model: &'static str, constants: &'static [&'static str], room: Room) -> Row {
    Row { property: "doors", ..mutex(model, "lift", constants, room) }
}

pub const ROWS: &[Row] = &[
    mutex("dekker_2", "dekker", &[], SMALL),
    mutex("burns_2", "burns", &["N=2"], SMALL),
    mutex("burns_3", "burns", &["N=3"], SMALL),
    mutex("burns_4", "burns", &["N=4"], SMALL),
    mutex("peterson_2", "peterson", &["N=2"], SMALL),
    mutex("peterson_3", "peterson", &["N=3"], SMALL),
    mutex("peterson_4", "peterson", &["N=4"], SMALL),
    mutex("lamport_2", "lamport", &["N=2"], SMALL),
    mutex("lamport_3", "lamport", &["N=3"], SMALL),
    mutex("lamport_4", "lamport", &["N=4"], room(100_000, 18)),
    bakery("bakery_2_4", &["N=2", "MAX=4"], SMALL),
    bakery("bakery_3_4", &["N=3", "MAX=4"], SMALL),
    bakery("bakery_4_4", &["N=4", "MAX=4"], room(20_000, 21)),
    mutex("ticket_2_3", "ticket", &["N=2", "M=3"], SMALL),
    mutex("ticket_3_4", "ticket", &["N=3", "M=4"], SMALL),
    mutex("ticket_4_5", "ticket", &["N=4", "M=5"], SMALL),
    lift("lift_5", &["FLOORS=5"], SMALL),
    lift("lift_6", &["FLOORS=6"], room(50_000, 18)),
    lift("lift_7", &["FLOORS=7"], room(200_000, 21)),
    lift("lift_8", &["FLOORS=8"], room(800_000, 24)),
];
