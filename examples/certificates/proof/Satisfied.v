(** Why a certificate about the system that is watched by a formula shows that every run satisfies it (CERTIFICATES.md, Formulas). *)

Require Import List Arith Lia ClassicalDescription.
Require Import Reach Infinite Edges Circles Formulas Turns Owed Watched.
Import ListNotations.

Section Satisfied.
Context {P Sym G L atom : Type}.
Variable Y : system P Sym G L.
Variable hidden : head P Sym -> Prop.
Variable holds : atom -> head P Sym -> values G L -> Prop.
Variable f : @formula atom.

(** The promises that are looked after, in any order; a formula that promises nothing is none. *)
Variable promises : list (@signed atom).
Hypothesis are_promises : forall χ, In χ promises -> promise χ <> [].

(** Values of all the [@owed], and of [@turn]: any finite types that can say what has to be said. *)
Variable Debts Turn : Type.
Variable is_owed : Debts -> @signed atom -> Prop.
Variable owing : (@signed atom -> Prop) -> Debts.
Variable number : Turn -> nat.
Variable turning : nat -> Turn.
Hypothesis owed_said :
  forall Q : @signed atom -> Prop, (forall χ, Q χ -> In χ (debts f)) -> forall χ, is_owed (owing Q) χ <-> Q χ.
Hypothesis turns_said : forall i, i = 0 \/ i < length promises -> number (turning i) = i.

(** At the start [@owed] is true of ¬φ and of nothing else, and [@turn] is 0. *)
Definition owed_at_start (o : Debts * Turn) : Prop :=
  (forall χ, is_owed (fst o) χ <-> χ = (f, true)) /\ number (snd o) = 0.

(** The conjuncts, and when a step is marked. *)
Definition keeps (l : @letter atom) (o o' : Debts * Turn) : nat -> Prop :=
  kept_number promises l (is_owed (fst o)) (is_owed (fst o')).

Definition owed_follows (l : @letter atom) (o o' : Debts * Turn) : Prop :=
  owes l (is_owed (fst o)) (is_owed (fst o')) /\ turn_goes (length promises) (keeps l o o') (number (snd o)) (number (snd o')).

Definition owed_marks (l : @letter atom) (o o' : Debts * Turn) : Prop :=
  marks (length promises) (keeps l o o') (number (snd o)) (number (snd o')).

Lemma owed_follows_letters : depends_on_letters _ owed_follows.
Proof.
  intros l m o o' same [debts_follow turn_follows]. split.
  - eapply owes_same; eauto; reflexivity.
  - eapply turn_goes_same; [| exact turn_follows]. intro i. apply kept_same; auto; reflexivity.
Qed.

Lemma owed_marks_letters : depends_on_letters _ owed_marks.
Proof.
  intros l m o o' same. apply marks_more. intro i. apply kept_same; auto; reflexivity.
Qed.

Definition watched_by_formula := watched Y hidden holds (Debts * Turn) owed_at_start owed_follows.
Definition marked_by_formula := marked holds (Debts * Turn) owed_marks (G := G) (L := L) (P := P) (Sym := Sym).

(** _Every run satisfies φ._ *)
Theorem certified_formula_holds A S edges cuts T :
  finite P -> finite Sym -> finite G -> finite L -> finite Debts -> finite Turn ->
  inductive_sets (with_met watched_by_formula hidden marked_by_formula) A S -> carry (with_met watched_by_formula hidden marked_by_formula) A S edges ->
  marks_end watched_by_formula hidden marked_by_formula A S edges cuts T ->
  forall ρ word, run Y ρ -> word_of hidden holds ρ word -> sat word 0 f.
Proof.
  intros fP fSym fG fL fD fT sets carried rules ρ word is_run is_word. apply Classical_Prop.NNPP. intro violated.
  destruct (violations_are_owed promises f word are_promises violated)
    as [owed [turn [first_owed [first_turn [conjuncts [marks_often [owed_in turn_in]]]]]]].
  set (o := fun i => (owing (owed i), turning (turn i))).
  assert (said : forall i χ, owed i χ <-> is_owed (fst (o i)) χ)
    by (intros i χ; symmetry; apply owed_said; apply owed_in).
  assert (turned : forall i, number (snd (o i)) = turn i) by (intro i; apply turns_said; apply turn_in).
  assert (kept_said : forall i n, kept_number promises (word i) (owed i) (owed (1 + i)) n -> keeps (word i) (o i) (o (1 + i)) n)
    by (intros i n; apply kept_same; [reflexivity | apply said | apply said]).
  apply (never_followed Y hidden holds (Debts * Turn) owed_at_start owed_follows owed_marks
    owed_follows_letters owed_marks_letters A S edges cuts T fP fSym fG fL (finite_pairs _ _ fD fT) sets carried rules ρ word is_run is_word o).
  - split; [| rewrite turned; exact first_turn]. intro χ. rewrite <- said. apply first_owed.
  - intro i. destruct (conjuncts i) as [debts_follow turn_follows]. split.
    + eapply owes_same; [reflexivity | apply said | apply said | exact debts_follow].
    + rewrite !turned. eapply turn_goes_same; [apply kept_said | exact turn_follows].
  - eapply often_weaker; [| exact marks_often]. intros i mark. unfold owed_marks. rewrite !turned.
    eapply marks_more; [apply kept_said | exact mark].
Qed.
End Satisfied.

Print Assumptions certified_formula_holds.

(** ** There are such values: a bit for each debt, and numbers up to that of promises *)

Fixpoint bits (n : nat) : Type := match n with 0 => unit | Datatypes.S n => (bool * bits n)%type end.

Fixpoint numbers (n : nat) : Type := match n with 0 => unit | Datatypes.S n => option (numbers n) end.

Lemma finite_bits n : finite (bits n).
Proof.
  induction n as [|n IH]; [exists [tt]; intros []; left; reflexivity |].
  apply finite_pairs; [| exact IH]. exists [true; false]. intros []; simpl; auto.
Qed.

Lemma finite_numbers n : finite (numbers n).
Proof.
  induction n as [|n [all everything]]; [exists [tt]; intros []; left; reflexivity |].
  exists (None :: map Some all). intros [x|]; simpl; [right; apply in_map; auto | auto].
Qed.

(** Which of the listed debts a row of bits says to be owed. *)
Fixpoint says {X : Type} (listed : list X) : bits (length listed) -> X -> Prop :=
  match listed with
  | [] => fun _ _ => False
  | δ :: rest => fun b χ => χ = δ /\ fst b = true \/ says rest (snd b) χ
  end.

Fixpoint said_of {X : Type} (listed : list X) (Q : X -> Prop) : bits (length listed) :=
  match listed with
  | [] => tt
  | δ :: rest => (if excluded_middle_informative (Q δ) then true else false, said_of rest Q)
  end.

Lemma says_said {X : Type} (listed : list X) Q χ : says listed (said_of listed Q) χ <-> In χ listed /\ Q χ.
Proof.
  induction listed as [|δ rest IH]; simpl; [tauto |].
  destruct (excluded_middle_informative (Q δ)) as [yes | no]; rewrite IH; split.
  - intros [[-> _] | [inside is]]; auto.
  - intros [[<- | inside] is]; auto.
  - intros [[_ wrong] | [inside is]]; [discriminate | auto].
  - intros [[<- | inside] is]; [contradiction | auto].
Qed.

Fixpoint value {n : nat} : numbers n -> nat :=
  match n with
  | 0 => fun _ => 0
  | Datatypes.S n => fun x => match x with None => 0 | Some y => Datatypes.S (value y) end
  end.

Fixpoint number_of (n i : nat) : numbers n :=
  match n, i with
  | 0, _ => tt
  | Datatypes.S n, 0 => None
  | Datatypes.S n, Datatypes.S i => Some (number_of n i)
  end.

Lemma value_number n i : i <= n -> value (number_of n i) = i.
Proof.
  revert i; induction n as [|n IH]; intros [|i] low; simpl; auto; [lia |]. rewrite IH; lia.
Qed.

Theorem values_can_be_said {atom : Type} (f : @formula atom) (promises : list (@signed atom)) :
  exists (Debts Turn : Type) is_owed owing number turning,
    finite Debts /\ finite Turn /\
    (forall Q : @signed atom -> Prop, (forall χ, Q χ -> In χ (debts f)) -> forall χ, is_owed (owing Q : Debts) χ <-> Q χ) /\
    (forall i, i = 0 \/ i < length promises -> number (turning i : Turn) = i).
Proof.
  exists (bits (length (debts f))), (numbers (length promises)).
  exists (says (debts f)), (said_of (debts f)), value, (number_of (length promises)).
  split; [apply finite_bits |]. split; [apply finite_numbers |]. split.
  - intros Q inside χ. rewrite says_said. split; [tauto | auto].
  - intros i low. apply value_number. lia.
Qed.

Print Assumptions values_can_be_said.
