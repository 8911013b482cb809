(** What is owed (CERTIFICATES.md): if a word violates a formula, debts and turns can follow it with infinitely many marked steps. *)

Require Import List Arith Lia Bool Classical.
Require Import Infinite Formulas Turns.
Import ListNotations.

Section Owed.
Context {atom : Type}.
Notation formula := (@formula atom).
Notation signed := (@signed atom).
Notation letter := (@letter atom).

(** The promises that are looked after, by their numbers. *)
Variable promises : list signed.

(** ** One step: a letter, and what is owed before and after it is read *)

(** _Promise i is kept_: its formula is not owed before the step, or what it promises holds. *)
Definition kept (l : letter) (owed owed' : signed -> Prop) (χ : signed) : Prop :=
  ~ owed χ \/ Forall (fun ψ => now l owed' (fst ψ) (snd ψ)) (promise χ).

Definition kept_number (l : letter) (owed owed' : signed -> Prop) (i : nat) : Prop :=
  exists χ, nth_error promises i = Some χ /\ kept l owed owed' χ.

(** The first two conjuncts. *)
Record owes (l : letter) (owed owed' : signed -> Prop) : Prop := {
  owed_holds : forall χ, owed χ -> now l owed' (fst χ) (snd χ);
  owed_asked : forall χ, owed' χ -> exists ψ, owed ψ /\ In χ (asks (fst ψ) (snd ψ))
}.

(** All that depends only on which propositions are true and what is owed. *)
Lemma owes_same l owed owed' m m_owed m_owed' :
  (forall a, l a <-> m a) -> (forall χ, owed χ <-> m_owed χ) -> (forall χ, owed' χ <-> m_owed' χ) ->
  owes l owed owed' -> owes m m_owed m_owed'.
Proof.
  intros same_l same_owed same_owed' [holds asked]. constructor.
  - intros χ is_owed. apply now_more with (l := l) (later := owed'); firstorder.
  - intros χ is_owed. apply same_owed' in is_owed. destruct (asked χ is_owed) as [ψ [before inside]].
    exists ψ. split; [apply same_owed; exact before | exact inside].
Qed.

Lemma kept_same l owed owed' m m_owed m_owed' i :
  (forall a, l a <-> m a) -> (forall ψ, owed ψ <-> m_owed ψ) -> (forall ψ, owed' ψ <-> m_owed' ψ) ->
  kept_number l owed owed' i -> kept_number m m_owed m_owed' i.
Proof.
  intros same_l same_owed same_owed' [χ [nth [not_owed | holds]]]; exists χ; (split; [exact nth |]).
  - left. firstorder.
  - right. rewrite Forall_forall in *. intros ψ inside. apply now_more with (l := l) (later := owed'); firstorder.
Qed.

(** ** All steps *)

Hypothesis are_promises : forall χ, In χ promises -> promise χ <> [].

Variable f : formula.
Variable w : @word atom.

(** _Let [@owed χ] be true at a letter if χ is true there and, but for ¬φ at the first letter, some ψ that is owed at the letter before asks for it._ *)
Fixpoint owed (i : nat) (χ : signed) : Prop :=
  match i with
  | 0 => χ = (f, true)
  | Datatypes.S i => sat_signed w (Datatypes.S i) χ /\ exists ψ, owed i ψ /\ In χ (asks (fst ψ) (snd ψ))
  end.

Hypothesis violated : ~ sat w 0 f.

(** What is owed is true. *)
Lemma owed_true i χ : owed i χ -> sat_signed w i χ.
Proof.
  destruct i as [|i]; [intros ->; exact violated | intros [truth _]; exact truth].
Qed.

(** What is owed can be owed. *)
Lemma owed_debts i χ : owed i χ -> In χ (debts f).
Proof.
  revert χ; induction i as [|i IH]; intros χ; [intros ->; left; reflexivity |].
  intros [_ [ψ [before asked]]]. eauto using debts_closed.
Qed.

(** What is true, and is made of what a debt that is owed is taken apart into, holds in the sense of the table. *)
Lemma owed_now i χ g negated :
  owed i χ -> (forall δ, In δ (asks g negated) -> In δ (asks (fst χ) (snd χ))) -> sat_signed w i (g, negated) ->
  now (w i) (owed (1 + i)) g negated.
Proof.
  intros is_owed part truth. apply true_now; [| exact truth].
  intros δ asked true_then. split; [exact true_then |]. eauto.
Qed.

(** So the conjuncts can be kept. *)
Lemma owed_owes i : owes (w i) (owed i) (owed (1 + i)).
Proof.
  constructor.
  - intros [g negated] is_owed. apply (owed_now i (g, negated)); auto. apply owed_true. exact is_owed.
  - intros χ [_ asked]. exact asked.
Qed.

(** _Each promise is kept infinitely often._ *)
Lemma kept_often n : n < length promises -> often (fun i => kept_number (w i) (owed i) (owed (1 + i)) n).
Proof.
  intros less N. destruct (nth_error promises n) as [χ|] eqn:nth; [| apply nth_error_None in nth; lia].
  destruct (classic (owed N χ)) as [is_owed | not_owed].
  - destruct (promise_kept w N χ) as [j [later holds]].
    { apply are_promises. eapply nth_error_In; eauto. }
    { apply owed_true. exact is_owed. }
    exists j. split; [exact later |]. exists χ. split; [exact nth |].
    destruct (classic (owed j χ)) as [is_owed_then | not_owed]; [right | left; exact not_owed].
    rewrite Forall_forall in *. intros [g negated] inside. apply (owed_now j χ); [exact is_owed_then | |].
    + intros δ asked. exact (promise_asks χ (g, negated) δ inside asked).
    + exact (holds _ inside).
  - exists N. split; [auto |]. exists χ. split; [exact nth | left; exact not_owed].
Qed.

End Owed.

(** _If a run violates φ_, debts and turns follow its word with infinitely many marked steps: whichever promises are looked after, as long as they are such. *)
Theorem violations_are_owed {atom : Type} (promises : list (@signed atom)) (f : @formula atom) (w : @word atom) :
  (forall χ, In χ promises -> promise χ <> []) -> ~ sat w 0 f ->
  exists (owed : nat -> signed -> Prop) (turn : nat -> nat),
    let kept i := kept_number promises (w i) (owed i) (owed (1 + i)) in
    (forall χ, owed 0 χ <-> χ = (f, true)) /\ turn 0 = 0 /\
    (forall i, owes (w i) (owed i) (owed (1 + i)) /\ turn_goes (length promises) (kept i) (turn i) (turn (1 + i))) /\
    often (fun i => marks (length promises) (kept i) (turn i) (turn (1 + i))) /\
    (forall i χ, owed i χ -> In χ (debts f)) /\ (forall i, turn i = 0 \/ turn i < length promises).
Proof.
  intros are_promises violated.
  set (kept := fun i => kept_number promises (w i) (owed f w i) (owed f w (1 + i))).
  exists (owed f w), (turn (length promises) kept).
  split; [reflexivity |]. split; [reflexivity |].
  split; [intro i; split; [exact (owed_owes f w violated i) | apply turn_follows] |].
  split; [exact (turn_marks _ _ (kept_often promises are_promises f w violated)) |].
  split; [exact (owed_debts f w) | apply turn_small].
Qed.

Print Assumptions violations_are_owed.
