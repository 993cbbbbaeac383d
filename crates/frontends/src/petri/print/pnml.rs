//! PNML for ordinary nets, and properties as the Model Checking Contest has them.

use lapidary_ir::{Combination, Junction, Model, Net, PlaceId, Property};
use lapidary_text::xml::attribute as escaped;

use super::super::formula::linear::Linear;
use super::condition::{Condition, Truth};
use super::plain::{Plain, plain};
use super::{Question, Unwritable, items, question};

/// The net in PNML, with the names of places and transitions as ids.
pub fn pnml(net: &Net) -> Result<String, Unwritable> {
    let Plain { places, transitions } = plain(net)?;
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    text += "<pnml xmlns=\"http://www.pnml.org/version-2009/grammar/pnml\">\n";
    text += "  <net id=\"net\" type=\"http://www.pnml.org/version-2009/grammar/ptnet\">\n    <page id=\"page\">\n";
    for (name, tokens) in &places {
        let (id, marking) = (escaped(name), format!("<initialMarking><text>{tokens}</text></initialMarking>"));
        text += &format!("      <place id=\"{id}\"><name><text>{id}</text></name>{marking}</place>\n");
    }
    for transition in &transitions {
        let id = escaped(&transition.name);
        text += &format!("      <transition id=\"{id}\"><name><text>{id}</text></name></transition>\n");
    }
    let mut n_arcs = 0;
    let mut arc = |source: &str, target: &str, weight: u64| {
        n_arcs += 1;
        let inscription = format!("<inscription><text>{weight}</text></inscription>");
        let (source, target) = (escaped(source), escaped(target));
        format!("      <arc id=\"arc {n_arcs}\" source=\"{source}\" target=\"{target}\">{inscription}</arc>\n")
    };
    for transition in &transitions {
        for &(place, weight) in &transition.take {
            text += &arc(&places[place].0, &transition.name, weight);
        }
        for &(place, weight) in &transition.put {
            text += &arc(&transition.name, &places[place].0, weight);
        }
    }
    text += "    </page>\n  </net>\n</pnml>\n";
    Ok(text)
}

/// All properties in one set: what always holds as `all-paths globally`, what is reached as `exists-path finally`.
pub fn mcc(net: &Net, model: &Model, combinations: &[Combination]) -> Result<String, Unwritable> {
    let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    text += "<property-set xmlns=\"http://mcc.lip6.fr/\">\n";
    for item in items(model, combinations) {
        let mut formula = String::new();
        junction(net, model, &item.junction, &mut formula)?;
        text += &format!("  <property>\n    <id>{}</id>\n", escaped(item.name));
        text += &format!("    <description>{}</description>\n", escaped(item.text));
        text += &format!("    <formula>{formula}</formula>\n  </property>\n");
    }
    text += "</property-set>\n";
    Ok(text)
}

fn junction(net: &Net, model: &Model, whole: &Junction, text: &mut String) -> Result<(), Unwritable> {
    let (name, members) = match whole {
        Junction::Part(property) => return question_text(net, model, &model.properties[*property], text),
        Junction::All(members) => ("conjunction", members),
        Junction::Any(members) => ("disjunction", members),
    };
    *text += &format!("<{name}>");
    members.iter().try_for_each(|member| junction(net, model, member, text))?;
    *text += &format!("</{name}>");
    Ok(())
}

fn question_text(net: &Net, model: &Model, property: &Property, text: &mut String) -> Result<(), Unwritable> {
    let (path, state, condition) = match question(net, model, property)? {
        Question::Reach(condition) => ("exists-path", "finally", condition),
        Question::Always(condition) => ("all-paths", "globally", condition),
    };
    *text += &format!("<{path}><{state}>");
    Writer { net, text }.condition(&condition);
    *text += &format!("</{state}></{path}>");
    Ok(())
}

struct Writer<'a> {
    net: &'a Net,
    text: &'a mut String,
}

impl Writer<'_> {
    fn condition(&mut self, condition: &Condition) {
        match condition {
            Condition::Constant(Truth::Yes) => *self.text += "<true/>",
            Condition::Constant(Truth::No) => *self.text += "<false/>",
            Condition::Deadlock => *self.text += "<deadlock/>",
            Condition::Not(inner) => self.within("negation", std::slice::from_ref(inner)),
            Condition::All(parts) => self.within("conjunction", parts),
            Condition::Any(parts) => self.within("disjunction", parts),
            Condition::AtMost(left, right) => self.at_most(left, right),
            Condition::Less(left, right) => self.negated(right, left),
            Condition::Equal(left, right) => {
                *self.text += "<conjunction>";
                self.at_most(left, right);
                self.at_most(right, left);
                *self.text += "</conjunction>";
            }
        }
    }

    fn within(&mut self, name: &str, parts: &[impl std::borrow::Borrow<Condition>]) {
        *self.text += &format!("<{name}>");
        for part in parts {
            self.condition(part.borrow());
        }
        *self.text += &format!("</{name}>");
    }

    /// `left < right` is that `right <= left` does not hold.
    fn negated(&mut self, left: &Linear, right: &Linear) {
        *self.text += "<negation>";
        self.at_most(left, right);
        *self.text += "</negation>";
    }

    fn at_most(&mut self, left: &Linear, right: &Linear) {
        *self.text += "<integer-le>";
        self.sum(left);
        self.sum(right);
        *self.text += "</integer-le>";
    }

    /// Products with a number are not of the contest, but its tools read them.
    fn sum(&mut self, sum: &Linear) {
        let place = |place: PlaceId| format!("<place>{}</place>", escaped(&self.net.places[place].name));
        let constant = |number: i64| format!("<integer-constant>{number}</integer-constant>");
        let tokens = |places: &str| format!("<tokens-count>{places}</tokens-count>");
        let once: String = sum.terms.iter().filter(|term| term.1 == 1).map(|&(id, _)| place(id)).collect();
        let mut parts = if once.is_empty() { Vec::new() } else { vec![tokens(&once)] };
        for &(id, times) in sum.terms.iter().filter(|term| term.1 != 1) {
            parts.push(format!("<integer-product>{}{}</integer-product>", constant(times), tokens(&place(id))));
        }
        if sum.constant != 0 || parts.is_empty() {
            parts.push(constant(sum.constant));
        }
        *self.text +=
            &if parts.len() == 1 { parts.concat() } else { format!("<integer-sum>{}</integer-sum>", parts.concat()) };
    }
}
