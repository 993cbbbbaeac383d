; Horn clauses of lock.gcl: reach times = 3
; unsat: it holds, some reachable state satisfies it. sat: no reachable state does.
; an enumeration: 0 outside, 1 inside
(set-logic HORN)
(declare-fun |Inv outside outside| (Bool Int) Bool)
(declare-fun |Inv inside outside| (Bool Int) Bool)
(declare-fun |Inv outside inside| (Bool Int) Bool)
(declare-fun |Inv inside inside| (Bool Int) Bool)
; the initial states
(assert (|Inv outside outside| false 0))
; command P[0].enter
(assert (forall ((taken Bool) (times Int)) (=> (and (|Inv outside outside| taken times) (not taken)) (|Inv inside outside| true (+ times 1)))))
; command P[1].enter
(assert (forall ((taken Bool) (times Int)) (=> (and (|Inv outside outside| taken times) (not taken)) (|Inv outside inside| true (+ times 1)))))
; command P[0].leave
(assert (forall ((taken Bool) (times Int)) (=> (|Inv inside outside| taken times) (|Inv outside outside| false times))))
; command P[1].enter
(assert (forall ((taken Bool) (times Int)) (=> (and (|Inv inside outside| taken times) (not taken)) (|Inv inside inside| true (+ times 1)))))
; command P[0].enter
(assert (forall ((taken Bool) (times Int)) (=> (and (|Inv outside inside| taken times) (not taken)) (|Inv inside inside| true (+ times 1)))))
; command P[1].leave
(assert (forall ((taken Bool) (times Int)) (=> (|Inv outside inside| taken times) (|Inv outside outside| false times))))
; command P[0].leave
(assert (forall ((taken Bool) (times Int)) (=> (|Inv inside inside| taken times) (|Inv outside inside| false times))))
; command P[1].leave
(assert (forall ((taken Bool) (times Int)) (=> (|Inv inside inside| taken times) (|Inv inside outside| false times))))
; the query
(assert (forall ((taken Bool) (times Int)) (=> (and (|Inv outside outside| taken times) (= times 3)) false)))
(assert (forall ((taken Bool) (times Int)) (=> (and (|Inv inside outside| taken times) (= times 3)) false)))
(assert (forall ((taken Bool) (times Int)) (=> (and (|Inv outside inside| taken times) (= times 3)) false)))
(assert (forall ((taken Bool) (times Int)) (=> (and (|Inv inside inside| taken times) (= times 3)) false)))
(check-sat)
