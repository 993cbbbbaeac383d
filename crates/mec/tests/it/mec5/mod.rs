//! Mec 5 as its users see it: relations, their types, cardinals and tuples; sessions; what is refused.

mod broken;
mod brute;
mod cegar;
mod language;
mod nodes;
mod oracle;
mod robust;
mod shell;
mod stack;
mod support;
