//! A set of configurations as a diagram over the source's variables.

use lapidary_base::Stop;
use lapidary_bdd::{Child as Below, Column, Set, Space};
use lapidary_ir::VarId;
use lapidary_system::symbolic::Places;
use lapidary_verdict::{Child, Diagram, DiagramNode};

/// The set in the form that the checker reads; it is over the columns of these variables.
pub fn diagram(space: &Space, places: &Places, vars: &[VarId], set: &Set) -> Result<Diagram, Stop> {
    let order = vars.iter().filter_map(|&var| places.column(var, 0).map(|column| (column, var)));
    written(space, set, order.collect(), |var| places.lo(var))
}

/// The same for any space: which column stands for which variable, and for which number its value 0 stands.
pub fn written(
    space: &Space,
    set: &Set,
    mut order: Vec<(Column, VarId)>,
    lo: impl Fn(VarId) -> i64,
) -> Result<Diagram, Stop> {
    // Columns are numbered in the order of the diagram.
    order.sort_unstable();
    let columns: Vec<Column> = order.iter().map(|&(column, _)| column).collect();
    let var = |column: Column| {
        let place = columns.binary_search(&column).expect("the set is over these columns");
        order[place].1
    };
    let written = space.multi_valued(set, &columns)?;
    let child = |below: Below| match below {
        Below::None => Child::None,
        Below::All => Child::All,
        Below::Node(number) => Child::Node(u32::try_from(number).expect("diagrams have fewer than 2^32 nodes")),
    };
    let nodes = written.nodes.iter().map(|node| {
        space.poll()?;
        let var = var(node.column);
        let lo = lo(var);
        let value = |value: u64| lo + i64::try_from(value).expect("domains have 64-bit numbers");
        let kept = node.children.iter().filter(|(_, _, below)| *below != Below::None);
        let edges = kept.map(|&(first, last, below)| (value(first), value(last), child(below)));
        Ok(DiagramNode { var, edges: edges.collect() })
    });
    let nodes = nodes.collect::<Result<_, Stop>>()?;
    Ok(Diagram { order: order.iter().map(|&(_, var)| var).collect(), nodes, root: child(written.root) })
}
