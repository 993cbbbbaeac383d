//! `show`: the cardinals of sets, states before transitions.

use lapidary_base::Stop;

use super::super::algebra::Algebra;
use super::super::evaluate::{Session, Value};
use super::super::typed::{Set, Sort};
use super::count;

pub fn show<A: Algebra>(session: &Session<'_, A>, node: &str, shown: &[(String, Set)]) -> Result<String, Stop> {
    let mut text = format!("/*\n * Properties for node : {node}\n");
    for (sort, title) in [(Sort::States, "state"), (Sort::Trans, "trans")] {
        let sets: Vec<&(String, Set)> = shown.iter().filter(|(_, set)| set.sort() == sort).collect();
        if sort == Sort::Trans {
            text += " *\n";
        }
        text += &format!(" * # {title} properties : {}\n *\n", sets.len());
        for (words, set) in sets {
            let value: Value<A> = session.value(set)?;
            text += &format!(" * {words} = {}\n", count(session, &value)?);
        }
    }
    Ok(text + " */\n")
}
