(** That what theorems ask for can be had: a system that counts down, with a certificate that it ends; and one that does not end, of which each of
    rules 8 to 11 alone is all that its certificate lacks. *)

Require Import List Bool Relations.
Require Import Reach Infinite Edges Circles Endless.
Import ListNotations.

(** One control location, one symbol, one bit; steps from one value to another. *)
Definition only : head unit unit := (tt, tt).
Notation value := (values bool unit).
Notation state := (config unit unit bool unit).

Definition stepping (steps : bool -> bool -> Prop) : system unit unit bool unit := {|
  step h n h' n' := steps (fst n) (fst n');
  ret _ _ _ _ := False;
  call _ _ _ _ _ _ := False;
  invariant _ _ := True;
  start_head := only;
  start_below := [];
  start_condition _ := True;
  fits _ _ := True
|}.

(** All values are in A, and nothing returns. *)
Definition everything : tag unit unit bool unit -> head unit unit -> value -> Prop := fun _ _ _ => True.
Definition never_returns : tag unit unit bool unit -> unit -> bool -> Prop := fun _ _ _ => False.

Lemma everything_inductive steps : inductive_sets (stepping steps) everything never_returns.
Proof. constructor; unfold everything, never_returns; simpl; tauto. Qed.

Lemma one_head (h : head unit unit) : h = only.
Proof. destruct h as [[] []]. reflexivity. Qed.

Lemma finite_unit : finite unit.
Proof. exists [tt]. intros []. simpl. auto. Qed.

Lemma finite_bool : finite bool.
Proof. exists [true; false]. intros []; simpl; auto. Qed.

(** Where the only head is a cut there is no circle without one. *)
Lemma no_circle edges h : ~ clos_trans (head unit unit) (among (fun d => ~ In d [only]) edges) h h.
Proof.
  intro circle. assert (cut : forall k k', clos_trans _ (among (fun d => ~ In d [only]) edges) k k' -> ~ In k [only])
    by (induction 1 as [k k' [_ [out _]] | k k' k'' _ out _ _]; exact out).
  apply (cut h h circle). left. symmetry. apply one_head.
Qed.

Lemma goes_steps steps h n h' n' : goes (stepping steps) never_returns h n h' n' -> steps (fst n) (fst n').
Proof. destruct 1; simpl in *; [assumption | contradiction | contradiction]. Qed.

(** From true to false, and no further. *)
Definition down (a b : bool) : Prop := a = true /\ b = false.

Lemma counts_down : forall ρ : nat -> state, ~ run (stepping down) ρ.
Proof.
  intros ρ is_run.
  destruct (every_run_ends finite_unit finite_unit finite_bool finite_unit (stepping down) (fun _ => False) everything never_returns
    (edge (going_on (stepping down) (fun _ => False)) everything never_returns) [only]
    (fun _ _ m n => fst m = true /\ fst n = false)) with (ρ := ρ) as [_ [h [_ [_ [_ none]]]]]; auto.
  - apply everything_inductive.
  - apply edges_carry. apply going_on_sets. apply everything_inductive.
  - constructor.
    + apply no_circle.
    + intros c n h n' _ _ go _. destruct go as [h n h' n' [rule _] _ | h n h' n' γ s [[] _] _ | h n h' n' γ s p r [[] _] _ _ _]. exact rule.
    + intros c h m n h' n' _ [begun ended] _ _ go _.
      destruct go as [h n h' n' [[wrong _] _] _ | h n h' n' γ s [[] _] _ | h n h' n' γ s p r [[] _] _ _ _].
      simpl in wrong. rewrite ended in wrong. discriminate.
    + intros c n _ [begun ended]. rewrite begun in ended. discriminate.
Qed.

(** A loop, and one that changes the bit each time: they go on for ever. *)
Lemma goes_on (steps : bool -> bool -> Prop) (f : bool -> bool) :
  (forall b, steps b (f b)) -> exists ρ : nat -> state, run (stepping steps) ρ.
Proof.
  intro all. exists (fun i => on_top only (Nat.iter i f true, tt) []). split.
  - apply (starts (stepping steps) (true, tt)); simpl; auto. constructor.
  - intro i. apply (by_step (stepping steps)); simpl; auto.
Qed.

Section Lacking.
Variable steps : bool -> bool -> Prop.
Variable cuts : list (head unit unit).
Variable T : head unit unit -> head unit unit -> value -> value -> Prop.
Notation edges := (edge (stepping steps) everything never_returns).

(** Each rule of one that ends. *)
Definition holds8 := forall h, ~ clos_trans _ (among (fun d => ~ In d cuts) edges) h h.
Definition holds9 := forall c n h n', In c cuts -> in_some_A everything c n ->
  goes (stepping steps) never_returns c n h n' -> on_circle cuts edges c h -> T c h n n'.
Definition holds10 := forall c h m n h' n', In c cuts -> T c h m n -> on_circle cuts edges c h -> in_some_A everything h n ->
  goes (stepping steps) never_returns h n h' n' -> on_circle cuts edges c h' -> T c h' m n'.
Definition holds11 := forall c n, In c cuts -> ~ T c c n n.
End Lacking.

Definition loops (a b : bool) : Prop := a = b.
Definition toggles (a b : bool) : Prop := b = negb a.

Lemma needed8 : holds9 loops [] (fun _ _ _ _ => False) /\ holds10 loops [] (fun _ _ _ _ => False) /\ holds11 [] (fun _ _ _ _ => False).
Proof. repeat split; unfold holds9, holds10, holds11; simpl; tauto. Qed.

Lemma needed9 : holds8 loops [only] /\ holds10 loops [only] (fun _ _ _ _ => False) /\ holds11 [only] (fun _ _ _ _ => False).
Proof. split; [intro h; apply no_circle | split]; unfold holds10, holds11; tauto. Qed.

Lemma needed10 : let T := fun _ _ (m n : value) => fst n = negb (fst m) in
  holds8 toggles [only] /\ holds9 toggles [only] T /\ holds11 [only] T.
Proof.
  split; [intro h; apply no_circle | split].
  - intros c n h n' _ _ go _. exact (goes_steps _ _ _ _ _ go).
  - intros c [[] u] _ same; discriminate.
Qed.

Lemma needed11 : let T := fun _ _ (_ _ : value) => True in
  holds8 loops [only] /\ holds9 loops [only] T /\ holds10 loops [only] T.
Proof. split; [intro h; apply no_circle | split]; unfold holds9, holds10; auto. Qed.

(** And these two systems do not end. *)
Lemma endless : (exists ρ : nat -> state, run (stepping loops) ρ) /\ (exists ρ : nat -> state, run (stepping toggles) ρ).
Proof.
  split; [apply (goes_on loops (fun b => b)) | apply (goes_on toggles negb)]; intro; reflexivity.
Qed.

Print Assumptions counts_down.
