//! Curves as an SVG figure: one panel per curve, below each other, all runs overlaid in each.

use std::ops::Range;

use plotters::backend::SVGBackend;
use plotters::chart::{ChartBuilder, SeriesLabelPosition};
use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, IntoDrawingArea};
use plotters::element::PathElement;
use plotters::series::LineSeries;
use plotters::style::{Color, IntoFont, RGBColor, ShapeStyle, WHITE};

use crate::curves::{Curve, Line, Refinement, Side};

const WIDTH: u32 = 800;
const PANEL_HEIGHT: u32 = 360;
const TITLE_HEIGHT: u32 = 40;
const FONT: &str = "sans-serif";
const GREY: RGBColor = RGBColor(0x80, 0x80, 0x80);

/// Per run a dark and a light tint of one hue, for the two sides; readers who confuse red and green tell them apart.
const INKS: [[RGBColor; 2]; 2] = [
    [RGBColor(0x00, 0x5a, 0x9c), RGBColor(0x7f, 0xb8, 0xe6)],
    [RGBColor(0xc4, 0x4e, 0x00), RGBColor(0xf2, 0xa9, 0x6b)],
];

/// A line of up to so many iterations shows each as a dot.
const MOST_DOTS: usize = 40;
const LONGEST_LABEL: usize = 60;

/// A refinement and its name in the legend.
pub struct Labelled<'a> {
    pub label: String,
    pub refinement: &'a Refinement,
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// The text of the file. The words of an error are for whoever mends this program.
pub fn svg(title: &str, runs: &[Labelled<'_>], curves: &[Curve]) -> Result<String, String> {
    let mut text = String::new();
    let height = TITLE_HEIGHT + PANEL_HEIGHT * u32::try_from(curves.len()).map_err(|error| error.to_string())?;
    draw(&mut text, height, title, runs, curves).map_err(|error| error.to_string())?;
    Ok(text)
}

fn draw(
    text: &mut String,
    height: u32,
    title: &str,
    runs: &[Labelled<'_>],
    curves: &[Curve],
) -> Result<(), Box<dyn std::error::Error>> {
    let paper = SVGBackend::with_string(text, (WIDTH, height)).into_drawing_area();
    paper.fill(&WHITE)?;
    let below = paper.titled(&printable(title), (FONT, 20).into_font())?;
    let panels: Vec<Panel> = curves.iter().map(|&curve| Panel::of(curve, runs)).collect();
    // One margin for all: the same iteration stands below itself.
    let digits = panels.iter().map(|panel| panel.y.end.to_string().len()).max().unwrap_or(1);
    let margin = 40 + 7 * u32::try_from(digits)?;
    for (area, panel) in below.split_evenly((curves.len(), 1)).iter().zip(&panels) {
        panel.draw(area, runs, margin)?;
    }
    paper.present()?;
    Ok(())
}

struct Panel {
    title: &'static str,
    /// Per run.
    lines: Vec<Vec<Line>>,
    x: Range<u128>,
    y: Range<u128>,
}

impl Panel {
    fn of(curve: Curve, runs: &[Labelled<'_>]) -> Self {
        let lines: Vec<Vec<Line>> = runs.iter().map(|run| curve.lines(run.refinement)).collect();
        let (x, y) = ranges(lines.iter().flatten());
        Self { title: curve.title(), lines, x, y }
    }

    fn draw(&self, area: &Area<'_>, runs: &[Labelled<'_>], margin: u32) -> Result<(), Box<dyn std::error::Error>> {
        let mut builder = ChartBuilder::on(area);
        builder.margin(12).margin_right(24).x_label_area_size(36).y_label_area_size(margin);
        let mut chart = builder.build_cartesian_2d(self.x.clone(), self.y.clone())?;
        let mut mesh = chart.configure_mesh();
        mesh.x_labels(10).y_labels(8).x_desc("iteration").y_desc(self.title);
        mesh.label_style((FONT, 13)).axis_desc_style((FONT, 14)).light_line_style(WHITE).draw()?;
        for ((run, lines), inks) in runs.iter().zip(&self.lines).zip(INKS) {
            for line in lines {
                let style = style(line, inks);
                let points = line.points.iter().map(|&(i, n)| (u128::from(i), u128::from(n)));
                let dots = if line.points.len() <= MOST_DOTS { style.stroke_width + 1 } else { 0 };
                chart
                    .draw_series(LineSeries::new(points, style).point_size(dots))?
                    .label(legend(&run.label, line))
                    .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], style));
            }
        }
        let mut labels = chart.configure_series_labels();
        labels.position(SeriesLabelPosition::UpperLeft).label_font((FONT, 13));
        labels.background_style(WHITE.mix(0.8)).border_style(GREY).draw()?;
        Ok(())
    }
}

/// The co-reachable side is drawn finer: where both sides are equal, both are seen.
fn style(line: &Line, [dark, light]: [RGBColor; 2]) -> ShapeStyle {
    match line.side {
        None => dark.stroke_width(2),
        Some(Side::Reachable) => dark.stroke_width(4),
        Some(Side::CoReachable) => light.stroke_width(2),
    }
    .filled()
}

fn legend(label: &str, line: &Line) -> String {
    let label = printable(label);
    match line.side {
        None => label,
        Some(side) => format!("{label}, {side}"),
    }
}

/// What an XML text can hold, and a legend has room for.
fn printable(text: &str) -> String {
    let is_printable = |c: char| !c.is_control() && !matches!(c, '\u{fffe}' | '\u{ffff}');
    let clean = |c: char| if is_printable(c) { c } else { '\u{fffd}' };
    let end = if text.chars().count() > LONGEST_LABEL { "..." } else { "" };
    text.chars().take(LONGEST_LABEL).map(clean).chain(end.chars()).collect()
}

/// Where all lines have room. The numbers of events have 64 bits; with more, the steps of the axes cannot overflow.
fn ranges<'a>(lines: impl Iterator<Item = &'a Line>) -> (Range<u128>, Range<u128>) {
    let points: Vec<(u64, u64)> = lines.flat_map(|line| line.points.iter().copied()).collect();
    let first = points.iter().map(|&(i, _)| i).min().map_or(0, u128::from);
    let last = points.iter().map(|&(i, _)| i).max().map_or(0, u128::from);
    let highest = points.iter().map(|&(_, n)| n).max().map_or(0, u128::from);
    (first..last.max(first + 1), 0..highest + highest / 10 + 1)
}

#[cfg(test)]
mod tests;
