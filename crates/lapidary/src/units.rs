//! Durations, sizes and counts: as users type them and as reports show them.

use std::time::Duration;

/// `60s`, `5m`, `1.5h`, `500ms`. The unit is not optional: a bare number is read differently by different people.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    let expected = "write a number and a unit, as in 500ms, 60s, 5m or 2h";
    let (number, unit) = split(text);
    let seconds = match unit {
        "ms" => 0.001,
        "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        "" => return Err(format!("the unit is missing; {expected}")),
        other => return Err(format!("`{other}` is not a unit of time; {expected}")),
    };
    let amount = parse_amount(number, expected)?;
    Duration::try_from_secs_f64(amount * seconds).map_err(|_| format!("`{text}` is too long; {expected}"))
}

/// `250M`, `8G`, `1.5GiB`; the prefixes are powers of 1024.
pub fn parse_size(text: &str) -> Result<u64, String> {
    let expected = "write a number and a unit, as in 250M or 8G";
    let (number, unit) = split(text);
    let stem = unit.strip_suffix("iB").or_else(|| unit.strip_suffix('B')).unwrap_or(unit);
    let shift = match stem {
        "K" | "k" => 10,
        "M" | "m" => 20,
        "G" | "g" => 30,
        "T" | "t" => 40,
        "" if unit.is_empty() => return Err(format!("the unit is missing; {expected}")),
        _ => return Err(format!("`{unit}` is not a unit of memory; {expected}")),
    };
    let bytes = parse_amount(number, expected)? * (1u64 << shift) as f64;
    // Beyond 2^63 bytes no machine has a limit to speak of, and the conversion below would saturate.
    if bytes >= i64::MAX as f64 {
        return Err(format!("`{text}` is too much; {expected}"));
    }
    if bytes < 1.0 {
        return Err(format!("`{text}` is no memory at all; {expected}"));
    }
    Ok(bytes as u64)
}

fn split(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    text.split_at(end)
}

fn parse_amount(number: &str, expected: &str) -> Result<f64, String> {
    match number.parse::<f64>() {
        Ok(amount) if amount.is_finite() => Ok(amount),
        Ok(_) | Err(_) => Err(format!("`{number}` is not a number; {expected}")),
    }
}

/// `2026-11-18T09:35:00`, in universal time, of a moment so long after 1970 began.
pub fn date_and_time(since_1970: Duration) -> String {
    let seconds = since_1970.as_secs();
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    // The calendar repeats after 400 years. Years that begin in March have their leap day at the end.
    let (era, day) = ((days + 719_468) / 146_097, (days + 719_468) % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, later) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}", 400 * era + year + later)
}

/// `0.08 s`
pub fn seconds(seconds: f64) -> String {
    format!("{seconds:.2} s")
}

/// `14 MB`, decimal.
pub fn memory(bytes: u64) -> String {
    let megabytes = bytes as f64 / 1e6;
    if megabytes < 10_000.0 { format!("{megabytes:.0} MB") } else { format!("{:.1} GB", megabytes / 1e3) }
}

/// A count of which the order of magnitude matters: exact below a million, then `5.4 M`, `54 M`, `1.2 G`.
pub fn rough(count: u64) -> String {
    let scaled = |unit: u64, name: &str| {
        let value = count as f64 / unit as f64;
        if value < 10.0 { format!("{value:.1} {name}") } else { format!("{value:.0} {name}") }
    };
    match count {
        0..1_000_000 => count.to_string(),
        // What would round to 1000 M is already shown as 1.0 G.
        1_000_000..999_500_000 => scaled(1_000_000, "M"),
        _ => scaled(1_000_000_000, "G"),
    }
}

/// `1 step`, `2 steps`, `2 properties`.
pub fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// The way back from a duration to what `--timeout` takes.
pub fn show_duration(duration: Duration) -> String {
    let millis = duration.as_millis();
    if !millis.is_multiple_of(1000) {
        return format!("{millis}ms");
    }
    let whole = millis / 1000;
    if whole >= 120 && whole.is_multiple_of(60) { format!("{}m", whole / 60) } else { format!("{whole}s") }
}

/// The way back from bytes to what `--memory` takes, rounded down to whole megabytes.
pub fn show_size(bytes: u64) -> String {
    let megabytes = (bytes >> 20).max(1);
    if megabytes.is_multiple_of(1024) { format!("{}G", megabytes / 1024) } else { format!("{megabytes}M") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_know_leap_years() {
        let cases = [
            (0, "1970-01-01T00:00:00"),
            (951_782_400, "2000-02-29T00:00:00"),
            (951_868_799, "2000-02-29T23:59:59"),
            (1_735_689_599, "2024-12-31T23:59:59"),
            (1_794_994_500, "2026-11-18T09:35:00"),
            (4_107_542_400, "2100-03-01T00:00:00"),
        ];
        for (seconds, expected) in cases {
            assert_eq!(date_and_time(Duration::from_secs(seconds)), expected);
        }
    }

    #[test]
    fn durations_need_a_unit_and_know_four() {
        for (text, millis) in [("500ms", 500), ("60s", 60_000), ("5m", 300_000), ("1.5h", 5_400_000), ("0s", 0)] {
            assert_eq!(parse_duration(text).map(|d| d.as_millis()), Ok(millis), "{text}");
        }
        for text in ["", "60", "s", "1.2.3s", "-5s", "5 m", "5x", "1e9999h", "99999999999999999999h"] {
            let message = parse_duration(text).expect_err(text);
            assert!(message.contains("60s"), "{text:?} gives no example: {message}");
        }
    }

    #[test]
    fn sizes_are_powers_of_1024() {
        for (text, bytes) in
            [("1K", 1 << 10), ("250M", 250 << 20), ("8G", 8 << 30), ("0.5GiB", 1 << 29), ("1TB", 1 << 40)]
        {
            assert_eq!(parse_size(text), Ok(bytes), "{text}");
        }
        for text in ["", "8", "G", "8X", "-1G", "8 G", "0M", "9999999999999T", "1iB"] {
            let message = parse_size(text).expect_err(text);
            assert!(message.contains("8G"), "{text:?} gives no example: {message}");
        }
    }

    #[test]
    fn shown_limits_can_be_typed_again() {
        for text in ["250ms", "60s", "90s", "2m"] {
            assert_eq!(parse_duration(text).map(show_duration).as_deref(), Ok(text));
        }
        for text in ["250M", "8G"] {
            assert_eq!(parse_size(text).map(show_size).as_deref(), Ok(text));
        }
    }

    #[test]
    fn rough_counts_keep_two_digits() {
        let cases = [
            (999_999, "999999"),
            (1_234_567, "1.2 M"),
            (54_000_000, "54 M"),
            (999_400_000, "999 M"),
            (999_600_000, "1.0 G"),
            (12_000_000_000, "12 G"),
        ];
        for (count, shown) in cases {
            assert_eq!(rough(count), shown);
        }
    }
}
