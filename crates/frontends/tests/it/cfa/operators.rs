//! Operators, one row each: what is written, and what it gives. Quotients and remainders of integers are those of the table in the
//! language's description; those of bit-vectors are what SMT-LIB says.

use lapidary_ir::PropertyKind;

use super::evaluate::{Value, Values, evaluate};
use super::load;

/// Every row: both sides have the same value.
fn all_hold(rows: &[(&str, &str)]) {
    for (left, right) in rows {
        let formula = format!("{left} = {right}");
        let model = load("main process p { init loc A }", &[("-p", &formula)]);
        let PropertyKind::Invariant(expr) = model.properties.iter().next().unwrap().kind else {
            panic!("no invariant")
        };
        assert_eq!(evaluate(&model, &Values::new(), expr), Value::Bool(true), "{formula}");
    }
}

#[test]
fn integers_are_divided_with_a_remainder_that_is_never_negative() {
    all_hold(&[
        ("5 / 3", "1"),
        ("5 / -3", "-1"),
        ("-5 / 3", "-2"),
        ("-5 / -3", "2"),
        ("6 / -3", "-2"),
        ("0 / -3", "0"),
        ("5 mod 3", "2"),
        ("5 mod -3", "2"),
        ("-5 mod 3", "1"),
        ("-5 mod -3", "1"),
        ("6 mod -3", "0"),
    ]);
}

#[test]
fn remainders_have_the_sign_of_the_divisor() {
    all_hold(&[
        ("5 rem 3", "2"),
        ("5 rem -3", "-2"),
        ("-5 rem 3", "1"),
        ("-5 rem -3", "-1"),
        ("6 rem -3", "0"),
        ("-6 rem 3", "0"),
    ]);
}

#[test]
fn operators_of_one_strength_group_to_the_left() {
    all_hold(&[
        ("7 - 2 - 1", "4"),
        ("7 - 2 + 1", "6"),
        ("2 + 3 * 4 - 1", "13"),
        ("20 / 2 / 5 * 3 mod 4", "2"),
        ("-(2 + 1)", "-3"),
        ("- - 3", "3"),
        ("+3", "3"),
        ("-9223372036854775808 + 1", "-9223372036854775807"),
        ("(if 1 > 2 then 3 else if 2 > 1 then 4 else 5)", "4"),
        ("4'd9 bvsub 4'd3 bvadd 4'd1", "4'd7"),
        ("4'd1 bvor 4'd2 bvand 4'd3", "4'd3"),
        ("4'd6 bvxor 4'd3 bvor 4'd8", "4'd13"),
        ("4'd1 bvshl 4'd1 bvadd 4'd1", "4'd4"),
    ]);
}

#[test]
fn conditions_are_what_their_words_say() {
    all_hold(&[
        ("(true and false or true)", "true"),
        ("(true xor true xor true)", "true"),
        ("(false imply false imply false)", "true"),
        ("((false imply false) imply false)", "false"),
        ("(false iff false iff false)", "false"),
        ("(not 1 = 2)", "true"),
        ("(not true or true)", "true"),
        ("(1 < 2 = true)", "true"),
        ("(if false then true else false iff false)", "true"),
        ("(1 /= 2 and 1 <= 1 and 2 >= 2 and 3 > 2)", "true"),
    ]);
}

#[test]
fn arithmetic_of_bit_vectors_is_that_of_their_width() {
    all_hold(&[
        ("4'd9 bvadd 4'd9", "4'd2"),
        ("4'd3 bvsub 4'd5", "4'd-2"),
        ("4'd7 bvmul 4'd5", "4'd3"),
        ("bvneg 4'd1", "4'b1111"),
        ("bvneg 4'b1000", "4'b1000"),
        ("bvpos 4'd5", "4'd5"),
        ("bvnot 4'b0101", "4'b1010"),
        ("bvnot bvneg 4'd1", "4'd0"),
        ("4'b0101 bvand 4'b0110", "4'b0100"),
        ("4'b0101 bvor 4'b0110", "4'b0111"),
        ("4'b0101 bvxor 4'b0110", "4'b0011"),
        ("65'd36893488147419103231 bvadd 65'd1", "65'd0"),
    ]);
}

#[test]
fn quotients_and_remainders_of_bit_vectors() {
    all_hold(&[
        ("4'd13 bvudiv 4'd4", "4'd3"),
        ("4'd13 bvurem 4'd4", "4'd1"),
        ("4'd13 bvudiv 4'd0", "4'b1111"),
        ("4'd13 bvurem 4'd0", "4'd13"),
        ("4'd-5 bvsdiv 4'd3", "4'd-1"),
        ("4'd5 bvsdiv 4'd-3", "4'd-1"),
        ("4'd-5 bvsdiv 4'd-3", "4'd1"),
        ("4'd-8 bvsdiv 4'd-1", "4'd-8"),
        ("4'd5 bvsdiv 4'd0", "4'd-1"),
        ("4'd-5 bvsdiv 4'd0", "4'd1"),
        ("4'd-5 bvsrem 4'd3", "4'd-2"),
        ("4'd5 bvsrem 4'd-3", "4'd2"),
        ("4'd-5 bvsrem 4'd-3", "4'd-2"),
        ("4'd-5 bvsrem 4'd0", "4'd-5"),
        ("4'd-5 bvsmod 4'd3", "4'd1"),
        ("4'd5 bvsmod 4'd-3", "4'd-1"),
        ("4'd-5 bvsmod 4'd-3", "4'd-2"),
        ("4'd6 bvsmod 4'd-3", "4'd0"),
        ("4'd-5 bvsmod 4'd0", "4'd-5"),
    ]);
}

#[test]
fn shifts_go_beyond_the_width_and_rotations_around() {
    all_hold(&[
        ("4'b0011 bvshl 4'd1", "4'b0110"),
        ("4'b0011 bvshl 4'd3", "4'b1000"),
        ("4'b0011 bvshl 4'd4", "4'd0"),
        ("4'b0011 bvshl 4'd15", "4'd0"),
        ("4'b1100 bvlshr 4'd2", "4'b0011"),
        ("4'b1100 bvlshr 4'd4", "4'd0"),
        ("4'b1100 bvashr 4'd2", "4'b1111"),
        ("4'b1100 bvashr 4'd9", "4'b1111"),
        ("4'b0100 bvashr 4'd9", "4'd0"),
        ("4'b1001 bvrol 4'd1", "4'b0011"),
        ("4'b1001 bvrol 4'd0", "4'b1001"),
        ("4'b1001 bvrol 4'd4", "4'b1001"),
        ("4'b1001 bvrol 4'd7", "4'b1100"),
        ("4'b1001 bvror 4'd1", "4'b1100"),
        ("4'b1001 bvror 4'd5", "4'b1100"),
        ("3'b110 bvrol 3'd4", "3'b101"),
        ("1'b1 bvror 1'b1", "1'b1"),
    ]);
}

#[test]
fn bits_are_joined_taken_out_and_extended() {
    all_hold(&[
        ("2'b10 ++ 2'b01 ++ 1'b1", "5'b10011"),
        ("(5'b10011)[5:3]", "2'b10"),
        ("5'b10011[1:0]", "1'b1"),
        ("5'b10011[5:0]", "5'b10011"),
        ("5'b10011[4:1][2:1]", "1'b0"),
        ("2'b10 bv_zero_extend bv[4]", "4'b0010"),
        ("2'b10 bv_sign_extend bv[4]", "4'b1110"),
        ("2'b01 bv_sign_extend bv[4]", "4'b0001"),
        ("2'b10 bv_sign_extend bv[2]", "2'b10"),
        ("2'b10 ++ 1'b1 bv_zero_extend bv[2]", "4'b1001"),
        ("1'b1 bv_sign_extend bv[65]", "65'd-1"),
        ("64'xffffffffffffffff ++ 1'b0", "65'd-2"),
        ("8'xa5", "8'd165"),
        ("4'd-3", "4'd13"),
    ]);
}

#[test]
fn bit_vectors_are_compared_with_and_without_signs() {
    all_hold(&[
        ("(4'd9 bvult 4'd5)", "false"),
        ("(4'd9 bvslt 4'd5)", "true"),
        ("(4'd5 bvule 4'd5)", "true"),
        ("(4'd9 bvugt 4'd5)", "true"),
        ("(4'd5 bvuge 4'd9)", "false"),
        ("(4'd-1 bvsle 4'd-1)", "true"),
        ("(4'd-1 bvsgt 4'd-2)", "true"),
        ("(4'd-8 bvsge 4'd7)", "false"),
    ]);
}

#[test]
fn arrays_are_compared_cell_by_cell() {
    all_hold(&[
        ("[0 <- 1, 1 <- 2, default <- 0][1]", "2"),
        ("[0 <- 1, 0 <- 2, default <- 7][0]", "2"),
        ("[0 <- 1, default <- 7][5]", "7"),
        ("[<int>default <- 7][5 <- 3][5]", "3"),
        ("[<int>default <- 7][5 <- 3][5 <- 7]", "[<int>default <- 7]"),
        ("([0 <- 1, default <- 0] = [1 <- 1, default <- 0])", "false"),
        ("([0 <- 1, default <- 0] /= [0 <- 2, 0 <- 1, default <- 0])", "false"),
        ("[true <- 1, false <- 2, default <- 3]", "[false <- 2, true <- 1, default <- 5]"),
        ("[2'd1 <- [0 <- true, default <- false], default <- [<int>default <- true]][2'd1][0]", "true"),
        ("(if 1 < 2 then [0 <- 1, default <- 0] else [<int>default <- 5])[0]", "1"),
    ]);
}
