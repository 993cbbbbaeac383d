//! Covers of components in a certificate file: the header lists them, the nodes of all their diagrams follow.

use std::io::{self, BufRead, Write};

use lapidary_base::hash::{Map, Set};
use lapidary_ir::{ComponentId, Declarations, Domain, Life, Tree, Var};
use serde_json::{Map as Object, Value, json};

use super::diagram_text;
use super::text;
use crate::components::{Components, Cover};
use crate::diagram::Diagram;

/// The keys of the header that only covers have.
pub fn describe(model: &Declarations, tree: &Tree, components: &Components, header: &mut Value) -> io::Result<()> {
    let described = |model: &Declarations, diagram: &Diagram| {
        let mut value = Value::Object(Object::new());
        diagram_text::describe(model, diagram, &mut value);
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

pub fn write(components: &Components, out: &mut dyn Write) -> io::Result<()> {
    let blocks = components.covers.iter().flat_map(|cover| &cover.blocks);
    blocks.chain([&components.reachable]).try_for_each(|diagram| diagram_text::write(diagram, out))
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

pub fn read(model: &Declarations, tree: &Tree, json: &Value, input: &mut dyn BufRead) -> Result<Components, String> {
    let listed = json.get("covers").and_then(Value::as_array).ok_or("the header has no list `covers`")?;
    let paths: Map<&str, ComponentId> =
        tree.components.enumerated().map(|(id, component)| (component.path.as_str(), id)).collect();
    let names = diagram_text::names(model);
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
            let read = diagram_text::read_with(model, &names, block, input);
            blocks.push(read.map_err(|why| format!("block {number} of `{path}`: {why}"))?);
        }
        covers.push(Cover { component, is_subtree, blocks });
    }
    let numbers = numbers(tree, &covers);
    let reachable = json.get("reachable").ok_or("the header has no object `reachable`")?;
    let reachable = diagram_text::read(&numbers, reachable, input).map_err(|why| format!("reachable: {why}"))?;
    Ok(Components { covers, reachable })
}
