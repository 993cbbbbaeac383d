//! Is a certificate of covers of the form that it promises, and does the tree come apart where it cuts it?

use std::collections::BTreeSet;

use lapidary_base::IdVec;
use lapidary_ir::{ComponentId, Declarations, Domain, Expr, Life, Tree, Var, VarId};
use lapidary_verdict::{Components, Cover};

use crate::Rejection;
use crate::initial;
use crate::tree::why;

/// Every component is in exactly one cover, all diagrams are well formed and about what they should be about, and no
/// cover's component reads a variable of another. The variables of the answer are the numbers of blocks.
pub fn check(tree: &Tree, model: &Declarations, components: &Components) -> Result<Declarations, Rejection> {
    check_places(tree, components)?;
    for cover in &components.covers {
        check_blocks(tree, model, cover)?;
    }
    let numbers = numbers(tree, components);
    let malformed = |why| Rejection::Wrong(format!("the set of combinations is malformed: {why}"));
    components.reachable.validate(&numbers).map_err(malformed)?;
    for cover in &components.covers {
        check_apart(tree, model, cover)?;
    }
    Ok(numbers)
}

/// The components that a cover is about.
pub fn inner(tree: &Tree, cover: &Cover) -> impl Iterator<Item = ComponentId> + use<> {
    let end = if cover.is_subtree { tree.components[cover.component].end } else { cover.component.0 + 1 };
    (cover.component.0..end).map(ComponentId)
}

/// The variables that a cover is about.
pub fn vars(tree: &Tree, cover: &Cover) -> BTreeSet<VarId> {
    inner(tree, cover).flat_map(|component| tree.components[component].own_vars()).collect()
}

fn check_places(tree: &Tree, components: &Components) -> Result<(), Rejection> {
    let mut is_covered: IdVec<ComponentId, bool> = tree.components.iter().map(|_| false).collect();
    for cover in &components.covers {
        if tree.components.get(cover.component).is_none() {
            return wrong(format!("there is a cover of component number {}, which is not there", cover.component.0));
        }
        for component in inner(tree, cover) {
            if is_covered[component] {
                return wrong(format!("{} is in two covers", why::component(tree, component)));
            }
            is_covered[component] = true;
        }
    }
    match is_covered.ids().find(|&component| !is_covered[component]) {
        Some(component) => wrong(format!("{} is in no cover", why::component(tree, component))),
        None => Ok(()),
    }
}

fn check_blocks(tree: &Tree, model: &Declarations, cover: &Cover) -> Result<(), Rejection> {
    let name = why::component(tree, cover.component);
    let vars = vars(tree, cover);
    for (number, block) in cover.blocks.iter().enumerate() {
        block
            .validate(model)
            .map_err(|why| Rejection::Wrong(format!("the diagram of block {number} of {name} is malformed: {why}")))?;
        if let Some(&var) = block.order.iter().find(|var| !vars.contains(var)) {
            return wrong(format!(
                "block {number} of {name} asks for {}, which is not a variable of its cover",
                model.vars[var].name
            ));
        }
    }
    Ok(())
}

fn numbers(tree: &Tree, components: &Components) -> Declarations {
    let number = |cover: &Cover| {
        let declared = &tree.components[cover.component];
        let hi = i64::try_from(cover.blocks.len().max(1) - 1).unwrap_or(i64::MAX);
        let name = why::component(tree, cover.component);
        Var { name, domain: Domain::Range { lo: 0, hi }, control: false, life: Life::State, span: declared.span }
    };
    Declarations { vars: components.covers.iter().map(number).collect(), ..Declarations::default() }
}

/// A configuration of the tree is any combination of local ones only if nothing reads across.
fn check_apart(tree: &Tree, model: &Declarations, cover: &Cover) -> Result<(), Rejection> {
    let vars = vars(tree, cover);
    let outside = |expr: Expr| initial::variables(model, expr).into_iter().find(|var| !vars.contains(var));
    let refuse = |what: String, component: ComponentId, var: VarId| {
        let (name, read) = (why::component(tree, component), &model.vars[var].name);
        let cover = match cover.is_subtree {
            true => format!("the subtree of {}", why::component(tree, cover.component)),
            false => "it alone".to_owned(),
        };
        wrong(format!("{what} of {name} reads {read}, which is outside of its cover ({cover})"))
    };
    for component in inner(tree, cover) {
        let declared = &tree.components[component];
        for (i, assertion) in declared.assertions.iter().enumerate() {
            if let Some(var) = outside(assertion.expr) {
                return refuse(format!("assertion {}", i + 1), component, var);
            }
        }
        for transition in &declared.transitions {
            let event = &declared.events[transition.event].name;
            if let Some(var) = outside(transition.guard) {
                return refuse(format!("a guard of {event}"), component, var);
            }
            let written = transition.updates.iter().map(|&(var, _)| var).find(|var| !vars.contains(var));
            if let Some(var) = transition.updates.iter().find_map(|&(_, value)| outside(value)).or(written) {
                return refuse(format!("an update of {event}"), component, var);
            }
        }
        let mut init = tree.init.iter().filter(|(var, _)| declared.own_vars().any(|own| own == *var));
        if let Some(var) = init.find_map(|&(_, value)| outside(value)) {
            return refuse("an initial value".to_owned(), component, var);
        }
    }
    Ok(())
}

pub fn wrong<T>(why: String) -> Result<T, Rejection> {
    Err(Rejection::Wrong(why))
}
