; Horn clauses of sum.lir: invariant never_less
; sat: it holds, every reachable state satisfies it. unsat: some reachable state does not.
(set-logic HORN)
(declare-fun Inv (Int Int) Bool)
(declare-fun |loop 1| (Int Int Int) Bool)
; the initial states
(assert (forall ((n Int)) (=> (and (<= 0 n) (<= n 100)) (Inv n 0))))
; command add
(assert (forall ((n Int) (sum Int)) (=> (and (Inv n sum) (<= 0 n) (<= n 100)) (|loop 1| n sum 0))))
(assert (forall ((n Int) (sum Int) (i Int)) (=> (and (|loop 1| n sum i) (<= 0 n) (<= n 100) (<= 0 i) (<= i 100) (< i n) (<= (+ i 1) 100)) (|loop 1| n (+ sum i) (+ i 1)))))
(assert (forall ((n Int) (sum Int) (i Int)) (=> (and (|loop 1| n sum i) (<= 0 n) (<= n 100) (<= 0 i) (<= i 100) (not (< i n))) (Inv n sum))))
; the query
(assert (forall ((n Int) (sum Int)) (=> (and (Inv n sum) (<= 0 n) (<= n 100) (not (<= 0 sum))) false)))
(check-sat)
