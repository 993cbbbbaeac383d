//! Evidence that is abstract component by component: covers, and the combinations of blocks that can be reached. The header of a file
//! lists the covers, the nodes of all their diagrams follow.

use std::io::{self, BufRead, Write};
use std::sync::Arc;

use lapidary_base::hash::{Map, Set};
use lapidary_ir::{ComponentId, Declarations, Domain, Life, Tree, Var, VarId};
use serde_json::{Map as Object, Value, json};

use super::diagram::{self, Child, Diagram};
use super::{About, Certificate, Kind, Source};
use crate::certificate_file::{Unread, text};

const FLAT: &str = "covers of components are about a hierarchy, and this model is flat";

/// The cover of one component.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cover {
    pub component: ComponentId,
    /// The whole subtree below was merged into this one component; otherwise it is the node alone, without what is
    /// below it.
    pub is_subtree: bool,
    /// Sets of local configurations, over the variables of the component (with `is_subtree`, of the subtree). Together
    /// they are all its local configurations.
    pub blocks: Vec<Diagram>,
}

/// For every component a cover, and a set of combinations of blocks that contains the initial ones, that no abstract
/// step leaves, and that misses the target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Components {
    /// In the order of the components; every component is in exactly one of them.
    pub covers: Vec<Cover>,
    /// A diagram whose variable [`Components::number`]`(i)` is the number of the block of `covers[i]`.
    pub reachable: Diagram,
}

impl Components {
    /// The variable that stands for the block of a cover in `reachable`.
    pub fn number(cover: usize) -> VarId {
        VarId(u32::try_from(cover).expect("there are fewer than 2^32 components"))
    }
}

impl Kind for Components {
    fn word(&self) -> &'static str {
        "components"
    }

    fn describe(&self, about: About<'_>, header: &mut Value) -> io::Result<()> {
        let tree = about.tree.ok_or_else(|| io::Error::other(FLAT))?;
        describe(about.model, tree, self, header)
    }

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        write(self, out)
    }

    fn summary(&self, _: &Declarations, value: &mut Value) {
        value["blocks"] = self.covers.iter().map(|cover| json!(cover.blocks.len())).collect();
        value["nodes"] = json!(self.reachable.nodes.len());
    }

    fn because(&self, _: Option<u64>) -> String {
        "abstractions of the components exclude it".to_owned()
    }

    fn is_empty(&self) -> Option<bool> {
        Some(self.reachable.root == Child::None)
    }
}

pub fn read(source: &mut Source<'_>) -> Result<Certificate, Unread> {
    let tree = source.tree.ok_or(FLAT)?;
    Ok(Certificate::Components(Arc::new(components(source.model, tree, source.json, source.input)?)))
}

/// The keys of the header that only covers have.
fn describe(model: &Declarations, tree: &Tree, components: &Components, header: &mut Value) -> io::Result<()> {
    let described = |model: &Declarations, diagram: &Diagram| {
        let mut value = Value::Object(Object::new());
        diagram::describe(model, diagram, &mut value);
        value
    };
    let mut covers = Vec::new();
    for cover in &components.covers {
        let component = tree.components.get(cover.component);
        let component =
            component.ok_or_else(|| io::Error::other("there is a cover of a component that is not there"))?;
        let blocks: Vec<Value> = cover.blocks.iter().map(|block| described(model, block)).collect();
        covers.push(json!({ "component": component.path, "subtree": cover.is_subtree, "blocks": blocks }));
    }
    header["covers"] = json!(covers);
    header["reachable"] = described(&numbers(tree, &components.covers), &components.reachable);
    Ok(())
}

fn write(components: &Components, out: &mut dyn Write) -> io::Result<()> {
    let blocks = components.covers.iter().flat_map(|cover| &cover.blocks);
    blocks.chain([&components.reachable]).try_for_each(|diagram| diagram::write(diagram, out))
}

/// A model whose variables are the numbers of blocks, called by the paths of their components.
fn numbers(tree: &Tree, covers: &[Cover]) -> Declarations {
    let number = |cover: &Cover| {
        let component = &tree.components[cover.component];
        let hi = i64::try_from(cover.blocks.len().max(1) - 1).unwrap_or(i64::MAX);
        Var {
            name: component.path.clone(),
            domain: Domain::Range { lo: 0, hi },
            control: false,
            life: Life::State,
            span: component.span,
        }
    };
    Declarations { vars: covers.iter().map(number).collect(), ..Declarations::default() }
}

fn components(model: &Declarations, tree: &Tree, json: &Value, input: &mut dyn BufRead) -> Result<Components, String> {
    let listed = json.get("covers").and_then(Value::as_array).ok_or("the header has no list `covers`")?;
    let paths: Map<&str, ComponentId> =
        tree.components.enumerated().map(|(id, component)| (component.path.as_str(), id)).collect();
    let names = diagram::names(model);
    let mut seen: Set<ComponentId> = Set::default();
    let mut covers = Vec::new();
    for entry in listed {
        let path = text(entry, "component")?;
        let component = *paths.get(path).ok_or_else(|| format!("the model has no component `{path}`"))?;
        if !seen.insert(component) {
            return Err(format!("the component `{path}` has two covers"));
        }
        let is_subtree = entry.get("subtree").and_then(Value::as_bool);
        let is_subtree = is_subtree.ok_or_else(|| format!("the cover of `{path}` has no truth value `subtree`"))?;
        let listed = entry.get("blocks").and_then(Value::as_array);
        let listed = listed.ok_or_else(|| format!("the cover of `{path}` has no list `blocks`"))?;
        let mut blocks = Vec::new();
        for (number, block) in listed.iter().enumerate() {
            let read = diagram::read_with(model, &names, block, input);
            blocks.push(read.map_err(|why| format!("block {number} of `{path}`: {why}"))?);
        }
        covers.push(Cover { component, is_subtree, blocks });
    }
    let numbers = numbers(tree, &covers);
    let reachable = json.get("reachable").ok_or("the header has no object `reachable`")?;
    let reachable = diagram::read_diagram(&numbers, reachable, input).map_err(|why| format!("reachable: {why}"))?;
    Ok(Components { covers, reachable })
}
