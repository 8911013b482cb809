(** Formulas of linear temporal logic, what they mean, and the table of CERTIFICATES.md: what it takes for one to hold now. *)

Require Import List Arith Lia Bool Classical.
Require Import Infinite.
Import ListNotations.

Section Formulas.
(** Propositions. *)
Context {atom : Type}.

Inductive formula : Type :=
| Constant (b : bool)
| Is (a : atom)
| Not (f : formula)
| And (f g : formula)
| Or (f g : formula)
| Implies (f g : formula)
| Iff (f g : formula)
| Xor (f g : formula)
| X (f : formula)
| F (f : formula)
| G (f : formula)
| U (f g : formula)
| R (f g : formula)
| W (f g : formula)
| M (f g : formula).

(** Which propositions are true; an infinite word of that. *)
Definition letter : Type := atom -> Prop.
Definition word : Type := nat -> letter.

(** The formula is true of the word from its ith letter on. *)
Fixpoint sat (w : word) (i : nat) (f : formula) : Prop :=
  match f with
  | Constant b => b = true
  | Is a => w i a
  | Not f => ~ sat w i f
  | And f g => sat w i f /\ sat w i g
  | Or f g => sat w i f \/ sat w i g
  | Implies f g => sat w i f -> sat w i g
  | Iff f g => sat w i f <-> sat w i g
  | Xor f g => ~ (sat w i f <-> sat w i g)
  | X f => sat w (1 + i) f
  | F f => exists j, i <= j /\ sat w j f
  | G f => forall j, i <= j -> sat w j f
  | U f g => exists j, i <= j /\ sat w j g /\ forall k, i <= k -> k < j -> sat w k f
  | R f g => forall j, i <= j -> sat w j g \/ exists k, i <= k /\ k < j /\ sat w k f
  | W f g => (exists j, i <= j /\ sat w j g /\ forall k, i <= k -> k < j -> sat w k f) \/ (forall j, i <= j -> sat w j f)
  | M f g => exists j, i <= j /\ sat w j f /\ forall k, i <= k -> k <= j -> sat w k g
  end.

(** A signed formula: one, or (with [true]) the negation of one. *)
Definition signed : Type := formula * bool.

Definition sat_signed (w : word) (i : nat) (χ : signed) : Prop :=
  if snd χ then ~ sat w i (fst χ) else sat w i (fst χ).

(** What the table says, taken apart until only literals, and debts after the step ([later]), are left: h of CERTIFICATES.md. *)
Fixpoint now (l : letter) (later : signed -> Prop) (f : formula) (negated : bool) : Prop :=
  let h := now l later in
  let debt := later (f, negated) in
  match f with
  | Constant b => b = negb negated
  | Is a => if negated then ~ l a else l a
  | Not f => h f (negb negated)
  | And f g => if negated then h f true \/ h g true else h f false /\ h g false
  | Or f g => if negated then h f true /\ h g true else h f false \/ h g false
  | Implies f g => if negated then h f false /\ h g true else h f true \/ h g false
  | Iff f g => if negated then h f false /\ h g true \/ h f true /\ h g false else h f false /\ h g false \/ h f true /\ h g true
  | Xor f g => if negated then h f false /\ h g false \/ h f true /\ h g true else h f false /\ h g true \/ h f true /\ h g false
  | X f => later (f, negated)
  | F f => if negated then h f true /\ debt else h f false \/ debt
  | G f => if negated then h f true \/ debt else h f false /\ debt
  | U f g | W f g => if negated then h g true /\ (h f true \/ debt) else h g false \/ h f false /\ debt
  | R f g | M f g => if negated then h g true \/ h f true /\ debt else h g false /\ (h f false \/ debt)
  end.

(** With the same propositions and more debts after the step what holds now, holds. *)
Lemma now_more (l m : letter) (later more : signed -> Prop) f negated :
  (forall a, l a <-> m a) -> (forall χ, later χ -> more χ) -> now l later f negated -> now m more f negated.
Proof.
  intros same all. revert negated.
  induction f; intros negated; destruct negated; simpl; rewrite ?same; auto;
    repeat match goal with IH : forall b, now l later ?f b -> _ |- _ => pose proof (IH true); pose proof (IH false); clear IH end; intuition auto.
Qed.

(** The debts in that. *)
Fixpoint asks (f : formula) (negated : bool) : list signed :=
  match f with
  | Constant _ | Is _ => []
  | Not f => asks f (negb negated)
  | And f g | Or f g => asks f negated ++ asks g negated
  | Implies f g => asks f (negb negated) ++ asks g negated
  | Iff f g | Xor f g => asks f false ++ asks f true ++ asks g false ++ asks g true
  | X f => [(f, negated)]
  | F a | G a => (f, negated) :: asks a negated
  | U a b | R a b | W a b | M a b => (f, negated) :: asks a negated ++ asks b negated
  end.

(** What a formula promises: nothing, or all of these. *)
Definition promise (χ : signed) : list signed :=
  match χ with
  | (F a, false) => [(a, false)]
  | (G a, true) => [(a, true)]
  | (U a b, false) => [(b, false)]
  | (R a b, true) => [(b, true)]
  | (W a b, true) => [(a, true); (b, true)]
  | (M a b, false) => [(a, false); (b, false)]
  | _ => []
  end.

(** What can be owed, of a formula as it is taken apart. *)
Fixpoint owable (f : formula) (negated : bool) : list signed :=
  match f with
  | Constant _ | Is _ => []
  | Not f => owable f (negb negated)
  | And f g | Or f g => owable f negated ++ owable g negated
  | Implies f g => owable f (negb negated) ++ owable g negated
  | Iff f g | Xor f g => owable f false ++ owable f true ++ owable g false ++ owable g true
  | X f => (f, negated) :: owable f negated
  | F a | G a => (f, negated) :: owable a negated
  | U a b | R a b | W a b | M a b => (f, negated) :: owable a negated ++ owable b negated
  end.

(** All debts of the negation of a formula. *)
Definition debts (f : formula) : list signed := (f, true) :: owable f true.

(** What is asked for can be owed. *)
Lemma asks_owable f negated χ : In χ (asks f negated) -> In χ (owable f negated).
Proof.
  revert negated; induction f; intro negated; simpl; rewrite ?in_app_iff; intuition auto.
Qed.

(** What can be owed asks only for what can be owed. *)
Lemma owable_closed f negated χ ψ : In χ (owable f negated) -> In ψ (asks (fst χ) (snd χ)) -> In ψ (owable f negated).
Proof.
  revert negated; induction f; intros negated; simpl; rewrite ?in_app_iff; intros inside asked;
    repeat match goal with
    | H : _ \/ _ |- _ => destruct H
    | H : _ = χ |- _ => subst χ; simpl in asked; rewrite ?in_app_iff in asked
    | H : False |- _ => destruct H
    end; subst; eauto 6 using asks_owable.
Qed.

Lemma debts_closed f χ ψ : In χ (debts f) -> In ψ (asks (fst χ) (snd χ)) -> In ψ (debts f).
Proof.
  intros [<- | inside] asked; right; eauto using asks_owable, owable_closed.
Qed.

(** ** Each row of the table, from one letter to the next *)

Lemma unfold_F w i f : sat w i (F f) <-> sat w i f \/ sat w (1 + i) (F f).
Proof.
  simpl; split.
  - intros [j [later true_j]]. destruct (Nat.eq_dec j i) as [-> | other]; [auto |]. right. exists j. split; [lia | auto].
  - intros [here | [j [later true_j]]]; [exists i | exists j]; split; auto; lia.
Qed.

Lemma unfold_G w i f : sat w i (G f) <-> sat w i f /\ sat w (1 + i) (G f).
Proof.
  simpl; split.
  - intros always. split; [auto |]. intros j later. apply always. lia.
  - intros [here always] j later. destruct (Nat.eq_dec j i) as [-> | other]; [auto |]. apply always. lia.
Qed.

Lemma unfold_U w i f g : sat w i (U f g) <-> sat w i g \/ sat w i f /\ sat w (1 + i) (U f g).
Proof.
  simpl; split.
  - intros [j [later [true_j until]]]. destruct (Nat.eq_dec j i) as [-> | other]; [auto |].
    right. split; [apply until; lia |]. exists j. repeat split; auto; [lia |]. intros k above below. apply until; lia.
  - intros [here | [here [j [later [true_j until]]]]].
    + exists i. repeat split; auto. lia.
    + exists j. repeat split; auto; [lia |]. intros k above below.
      destruct (Nat.eq_dec k i) as [-> | other]; [auto |]. apply until; lia.
Qed.

Lemma unfold_R w i f g : sat w i (R f g) <-> sat w i g /\ (sat w i f \/ sat w (1 + i) (R f g)).
Proof.
  simpl; split.
  - intro all. split.
    + destruct (all i) as [here | [k [above [below _]]]]; auto; lia.
    + destruct (classic (sat w i f)) as [here | no]; [auto |]. right. intros j later.
      destruct (all j) as [now | [k [above [below freed]]]]; [lia | auto |].
      right. exists k. repeat split; auto. destruct (Nat.eq_dec k i) as [-> | other]; [contradiction | lia].
  - intros [here onward] j later. destruct (Nat.eq_dec j i) as [-> | other]; [auto |].
    destruct onward as [freed | all]; [right; exists i; repeat split; auto; lia |].
    destruct (all j) as [now | [k [above [below freed]]]]; [lia | auto |].
    right. exists k. repeat split; auto. lia.
Qed.

Lemma unfold_W w i f g : sat w i (W f g) <-> sat w i g \/ sat w i f /\ sat w (1 + i) (W f g).
Proof.
  pose proof (unfold_U w i f g) as until. pose proof (unfold_G w i f) as always.
  change (sat w i (U f g) \/ sat w i (G f) <-> sat w i g \/ sat w i f /\ (sat w (1 + i) (U f g) \/ sat w (1 + i) (G f))).
  tauto.
Qed.

Lemma unfold_M w i f g : sat w i (M f g) <-> sat w i g /\ (sat w i f \/ sat w (1 + i) (M f g)).
Proof.
  simpl; split.
  - intros [j [later [true_j until]]]. split; [apply until; lia |].
    destruct (Nat.eq_dec j i) as [-> | other]; [auto |].
    right. exists j. repeat split; auto; [lia |]. intros k above below. apply until; lia.
  - intros [here [freed | [j [later [true_j until]]]]].
    + exists i. repeat split; auto. intros k above below. replace k with i by lia. exact here.
    + exists j. repeat split; auto; [lia |]. intros k above below.
      destruct (Nat.eq_dec k i) as [-> | other]; [auto |]. apply until; lia.
Qed.

(** _Whatever is true at a letter holds in the sense of the table_, if what is asked for and true at the next letter is owed there. *)
Lemma true_now w i (later : signed -> Prop) f negated :
  (forall χ, In χ (asks f negated) -> sat_signed w (1 + i) χ -> later χ) ->
  sat_signed w i (f, negated) -> now (w i) later f negated.
Proof.
  revert negated.
  induction f as [b | a | f IHf | f IHf g IHg | f IHf g IHg | f IHf g IHg | f IHf g IHg | f IHf g IHg | f IHf | f IHf | f IHf
                 | f IHf g IHg | f IHf g IHg | f IHf g IHg | f IHf g IHg];
    intros negated asked truth; unfold sat_signed in *; cbn [fst snd] in *; cbn [asks] in asked;
    try (assert (f_false := IHf false); assert (f_true := IHf true));
    try (assert (g_false := IHg false); assert (g_true := IHg true)); cbn [fst snd] in *.
  all: try (assert (debt := asked _ (or_introl eq_refl)); cbn [fst snd] in debt).
  all: destruct negated; cbn [now negb] in *.
  all: repeat match goal with
    | H : (forall χ, In χ (asks ?f ?b) -> _) -> _ |- _ =>
        first [specialize (H (fun χ inside => asked χ ltac:(simpl; rewrite ?in_app_iff; auto 6))) | clear H]
    end.
  all: rewrite ?(unfold_F w i), ?(unfold_G w i), ?(unfold_U w i), ?(unfold_R w i), ?(unfold_W w i), ?(unfold_M w i) in truth.
  all: clear asked; try clear IHf; try clear IHg; cbn [fst snd] in *.
  all: try tauto.
  all: cbn [sat] in truth; try tauto.
  destruct b; congruence.
Qed.

(** What a formula that is true promises is true at some letter. *)
Lemma promise_kept w i χ : promise χ <> [] -> sat_signed w i χ -> exists j, i <= j /\ Forall (sat_signed w j) (promise χ).
Proof.
  destruct χ as [f negated]. unfold sat_signed at 1.
  destruct f; destruct negated; simpl; try congruence; intros _ truth.
  - destruct truth as [j [later here]]. exists j. auto.
  - apply not_all_ex_not in truth as [j truth]. apply imply_to_and in truth as [later here]. exists j. auto.
  - destruct truth as [j [later [here _]]]. exists j. auto.
  - apply not_all_ex_not in truth as [j truth]. apply imply_to_and in truth as [later here]. exists j. split; [auto |].
    repeat constructor. intro holds. apply here. left. exact holds.
  - (* neither f for ever, nor f until g: where f is false for the first time, g is, too *)
    apply not_or_and in truth as [no_until no_always].
    apply not_all_ex_not in no_always as [j no].
    destruct (first (fun j => i <= j /\ ~ sat w j f1)) as [k [[later here] before]].
    { exists j. apply imply_to_and in no. exact no. }
    exists k. split; [auto |]. repeat constructor; [exact here |]. intro holds.
    apply no_until. exists k. repeat split; auto. intros m above below.
    apply NNPP. intro wrong. apply (before m); auto.
  - destruct truth as [j [later [here until]]]. exists j. split; [auto |]. repeat constructor; [exact here |].
    apply until; auto.
Qed.

(** It asks for nothing that the formula does not ask for. *)
Lemma promise_asks χ ψ δ : In ψ (promise χ) -> In δ (asks (fst ψ) (snd ψ)) -> In δ (asks (fst χ) (snd χ)).
Proof.
  destruct χ as [f negated]. destruct f; destruct negated; simpl; try tauto; intros inside asked;
    repeat destruct inside as [<- | inside]; try destruct inside; simpl in asked; rewrite ?in_app_iff; auto.
Qed.

End Formulas.

