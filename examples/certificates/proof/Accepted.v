(** Why a certificate about the system that is watched by a Büchi automaton shows that no run is accepted by it (CERTIFICATES.md, Automata). *)

Require Import List Arith.
Require Import Reach Infinite Edges Circles Formulas Turns Watched.
Import ListNotations.

Section Accepted.
Context {P Sym G L atom : Type}.
Variable Y : system P Sym G L.
Variable hidden : head P Sym -> Prop.
Variable holds : atom -> head P Sym -> values G L -> Prop.

(** An automaton: an edge from a state to a state whose label is true of a letter, with these of the marks 0 … [number_of_marks] − 1. *)
Variable State : Type.
Variable initial_state : State.
Variable reads : State -> @letter atom -> State -> (nat -> Prop) -> Prop.
Variable number_of_marks : nat.
Hypothesis labels : forall s l m s' on, (forall a, l a <-> m a) -> reads s l s' on -> reads s m s' on.

(** A word is accepted: edges lead through it from the initial state, and each mark is on infinitely many of them. *)
Definition accepted (word : @word atom) : Prop :=
  exists (state : nat -> State) (on : nat -> nat -> Prop),
    state 0 = initial_state /\ (forall i, reads (state i) (word i) (state (1 + i)) (on i)) /\
    forall n, n < number_of_marks -> often (fun i => on i n).

(** [@state], with any finite type that can say which it is, and [@turn]. *)
Variable Turn : Type.
Variable number : Turn -> nat.
Variable turning : nat -> Turn.
Hypothesis turns_said : forall i, i = 0 \/ i < number_of_marks -> number (turning i) = i.

Definition state_at_start (o : State * Turn) : Prop := fst o = initial_state /\ number (snd o) = 0.

(** _Mark i is kept by a step if an edge with that mark can be taken so._ *)
Definition mark_kept (l : @letter atom) (o o' : State * Turn) (i : nat) : Prop :=
  exists on, reads (fst o) l (fst o') on /\ on i.

Definition state_follows (l : @letter atom) (o o' : State * Turn) : Prop :=
  (exists on, reads (fst o) l (fst o') on) /\
  turn_goes number_of_marks (mark_kept l o o') (number (snd o)) (number (snd o')).

Definition state_marks (l : @letter atom) (o o' : State * Turn) : Prop :=
  marks number_of_marks (mark_kept l o o') (number (snd o)) (number (snd o')).

Lemma mark_kept_letters l m o o' i : (forall a, l a <-> m a) -> mark_kept l o o' i -> mark_kept m o o' i.
Proof.
  intros same [on [takes is_on]]. exists on. split; [eapply labels; eauto | exact is_on].
Qed.

Lemma state_follows_letters : depends_on_letters _ state_follows.
Proof.
  intros l m o o' same [[on takes] turn_follows]. split.
  - exists on. eapply labels; eauto.
  - eapply turn_goes_same; [| exact turn_follows]. intro i. apply mark_kept_letters. exact same.
Qed.

Lemma state_marks_letters : depends_on_letters _ state_marks.
Proof.
  intros l m o o' same. apply marks_more. intro i. apply mark_kept_letters. exact same.
Qed.

Definition watched_by_automaton := watched Y hidden holds (State * Turn) state_at_start state_follows.
Definition marked_by_automaton := marked holds (State * Turn) state_marks (G := G) (L := L) (P := P) (Sym := Sym).

(** _No run is accepted._ *)
Theorem certified_never_accepted A S edges cuts T :
  finite P -> finite Sym -> finite G -> finite L -> finite State -> finite Turn ->
  inductive_sets (with_met watched_by_automaton hidden marked_by_automaton) A S -> carry (with_met watched_by_automaton hidden marked_by_automaton) A S edges ->
  marks_end watched_by_automaton hidden marked_by_automaton A S edges cuts T ->
  forall ρ word, run Y ρ -> word_of hidden holds ρ word -> ~ accepted word.
Proof.
  intros fP fSym fG fL fS fT sets carried rules ρ word is_run is_word [state [on [begins [reading on_often]]]].
  pose proof (turn_marks number_of_marks (fun i n => on i n) on_often) as marks_often.
  set (turn := turn number_of_marks (fun i n => on i n)) in *.
  set (o := fun i => (state i, turning (turn i))).
  assert (turned : forall i, number (snd (o i)) = turn i) by (intro i; apply turns_said; apply turn_small).
  assert (kept : forall i n, on i n -> mark_kept (word i) (o i) (o (1 + i)) n)
    by (intros i n is_on; exists (on i); split; [apply reading | exact is_on]).
  apply (never_followed Y hidden holds (State * Turn) state_at_start state_follows state_marks
    state_follows_letters state_marks_letters A S edges cuts T fP fSym fG fL (finite_pairs _ _ fS fT) sets carried rules ρ word is_run is_word o).
  - split; [exact begins | apply (turned 0)].
  - intro i. split; [exists (on i); apply reading |]. rewrite !turned.
    eapply turn_goes_same; [apply kept | apply turn_follows].
  - eapply often_weaker; [| exact marks_often]. intros i mark. unfold state_marks. rewrite !turned.
    eapply marks_more; [apply kept | exact mark].
Qed.
End Accepted.

Print Assumptions certified_never_accepted.
