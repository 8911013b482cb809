(** Turns (CERTIFICATES.md): of k things each of which is kept infinitely often one has the turn, which goes round infinitely often. *)

Require Import Arith Lia Classical ClassicalDescription.
Require Import Infinite.

(** How many things there are. *)
Section Turns.
Variable k : nat.

(** [@turn] = i → [@turn'] = i, or i is kept and [@turn'] = i + 1 modulo k; if k ≥ 2. *)
Definition turn_goes (kept : nat -> Prop) (turn turn' : nat) : Prop :=
  2 <= k -> forall i, i < k -> turn = i -> turn' = i \/ kept i /\ turn' = (i + 1) mod k.

(** _It is marked_ always if there is none, where it is kept if there is one, and if there are more where k − 1 is kept, [@turn] = k − 1 and
    [@turn'] = 0. *)
Definition marks (kept : nat -> Prop) (turn turn' : nat) : Prop :=
  match k with
  | 0 => True
  | 1 => kept 0
  | S last => kept last /\ turn = last /\ turn' = 0
  end.

(** All that is so, too, if more is kept. *)
Lemma turn_goes_same (kept kept' : nat -> Prop) t t' :
  (forall i, kept i -> kept' i) -> turn_goes kept t t' -> turn_goes kept' t t'.
Proof.
  intros more goes several i less is_turn. destruct (goes several i less is_turn) as [stays | [is_kept on]]; auto.
Qed.

Lemma marks_more (kept kept' : nat -> Prop) t t' :
  (forall i, kept i -> kept' i) -> marks kept t t' -> marks kept' t t'.
Proof.
  intro more. unfold marks. destruct k as [|[|last]]; intuition auto.
Qed.

(** What is kept by each step. *)
Variable kept_at : nat -> nat -> Prop.

(** The turn goes on whenever it can. *)
Fixpoint turn (i : nat) : nat :=
  match i with
  | 0 => 0
  | S i => if excluded_middle_informative (turn i < k /\ kept_at i (turn i)) then (turn i + 1) mod k else turn i
  end.

(** It is that of some thing, if there are any. *)
Lemma turn_small i : turn i = 0 \/ turn i < k.
Proof.
  induction i as [|i IH]; [auto |]. simpl.
  destruct (excluded_middle_informative _) as [[small _] | _]; [right; apply Nat.mod_upper_bound; lia | exact IH].
Qed.

Lemma turn_follows i : turn_goes (kept_at i) (turn i) (turn (1 + i)).
Proof.
  intros several n less is_turn. simpl. rewrite is_turn.
  destruct (excluded_middle_informative _) as [[_ kept] | _]; auto.
Qed.

Hypothesis often_kept : forall n, n < k -> often (fun i => kept_at i n).

(** From each time on there is one when it goes on. *)
Lemma turn_on i : 0 < k ->
  exists j, i <= j /\ turn j = turn i /\ kept_at j (turn i) /\ turn (1 + j) = (turn i + 1) mod k.
Proof.
  intro some. assert (small : turn i < k) by (destruct (turn_small i); lia).
  destruct (first (fun j => i <= j /\ kept_at j (turn i))) as [j [[later kept] before]].
  { destruct (often_kept (turn i) small i) as [j both]. eauto. }
  assert (same : forall d, i + d <= j -> turn (i + d) = turn i).
  { induction d as [|d IH]; intro low; [rewrite Nat.add_0_r; reflexivity |].
    rewrite Nat.add_succ_r. simpl. rewrite IH by lia.
    destruct (excluded_middle_informative _) as [[_ early] | _]; [| reflexivity].
    exfalso. apply (before (i + d)); [lia |]. split; [lia | exact early]. }
  specialize (same (j - i)). replace (i + (j - i)) with j in same by lia. specialize (same (le_n j)).
  exists j. repeat split; auto. simpl. rewrite same.
  destruct (excluded_middle_informative _) as [_ | no]; [reflexivity | exfalso; apply no; auto].
Qed.

(** And one when the last one has it and it goes on to the first. *)
Lemma turn_round i last : k = S last ->
  exists j, i <= j /\ turn j = last /\ kept_at j last /\ turn (1 + j) = 0.
Proof.
  intro size. remember (last - turn i) as left eqn:is_left. revert i is_left.
  induction left as [|left IH]; intros i is_left;
    (destruct (turn_on i) as [j [later [same [kept next]]]]; [lia |]); pose proof (turn_small i) as small.
  - assert (turn i = last) as here by lia. rewrite here in *. exists j. repeat split; auto.
    rewrite next, size. replace (last + 1) with (S last) by lia. apply Nat.mod_same. lia.
  - rewrite Nat.mod_small in next by lia.
    destruct (IH (1 + j)) as [m [later' known]]; [lia |]. exists m. split; [lia | exact known].
Qed.

(** _The turn can go on infinitely often_, and a step is marked each time it has gone round. *)
Lemma turn_marks : often (fun i => marks (kept_at i) (turn i) (turn (1 + i))).
Proof.
  assert (cases : k = 0 \/ k = 1 \/ exists last, k = S (S last)) by (destruct k as [|[|last]]; eauto).
  intro N. unfold marks. destruct cases as [size | [size | [last size]]].
  - exists N. rewrite size. auto.
  - destruct (often_kept 0 ltac:(lia) N) as [j known]. exists j. rewrite size. exact known.
  - destruct (turn_round N (S last) size) as [j [later [here [kept next]]]]. exists j. rewrite size. auto.
Qed.
End Turns.
