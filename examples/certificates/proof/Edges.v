(** The edges of CERTIFICATES.md, the values that go along them, and why a run goes along them from each configuration below which it
    never goes again to the next. *)

Require Import List Arith Lia Classical Relations.
Require Import Reach Infinite.
Import ListNotations.

Section Edges.
Context {P Sym G L : Type}.
Notation head := (head P Sym).
Notation values := (values G L).
Notation config := (config P Sym G L).
Notation tag := (tag P Sym G L).

Variable Y : system P Sym G L.
Variable A : tag -> head -> values -> Prop.
Variable S : tag -> P -> G -> Prop.

(** n is in some A(t, h). *)
Definition in_some_A (h : head) (n : values) : Prop := exists t, A t h n.

(** Heads with some value in A. *)
Definition alive (h : head) : Prop := exists n, in_some_A h n.

(** Heads with some value in A are joined by edges. *)
Inductive edge : head -> head -> Prop :=
| edge_step h n h' n' :
    alive h -> alive h' -> step Y h n h' n' -> edge h h'
| edge_call h n h' n' γ s :
    alive h -> alive h' -> call Y h n h' n' γ s -> edge h h'
| edge_back h n h' n' γ s e p r :
    alive h -> alive (p, γ) -> call Y h n h' n' γ s -> S (entered h' e) p r -> edge h (p, γ).

(** Values go along edges as they go by 2, 4 and 5. *)
Inductive goes : head -> values -> head -> values -> Prop :=
| goes_step h n h' n' :
    step Y h n h' n' -> invariant Y (snd h') n' ->
    goes h n h' n'
| goes_call h n h' n' γ s :
    call Y h n h' n' γ s -> invariant Y (snd h') n' ->
    goes h n h' n'
| goes_back h n h' n' γ s p r :
    call Y h n h' n' γ s -> invariant Y (snd h') n' -> S (entered h' n') p r -> invariant Y γ (r, s) ->
    goes h n (p, γ) (r, s).

(** Edges may also be others, as long as values of any A go along some of them. *)
Definition carry (edges : head -> head -> Prop) : Prop :=
  forall h n h' n', in_some_A h n -> goes h n h' n' -> edges h h'.

Hypothesis sets : inductive_sets Y A S.

(** Where values of some A go, there they are in some A, and there is an edge. *)
Lemma goes_along h n h' n' : in_some_A h n -> goes h n h' n' -> in_some_A h' n' /\ edge h h'.
Proof.
  intros [t inA] go.
  assert (here : alive h) by (exists n, t; exact inA).
  assert (there : in_some_A h' n') by (inversion go; subst; eexists; eauto using (rule2 Y A S sets), (rule4 Y A S sets), (rule5 Y A S sets)).
  split; [exact there |].
  assert (alive h') by (exists n'; exact there).
  inversion go; subst; eauto using edge.
Qed.

(** So those above carry them. *)
Lemma edges_carry : carry edge.
Proof.
  intros h n h' n' inA go. exact (proj2 (goes_along h n h' n' inA go)).
Qed.

Variable ρ : nat -> config.
Hypothesis is_run : run Y ρ.

(** A configuration of an infinite run has something on its stack. *)
Lemma has_top i : exists h n w, ρ i = on_top h n w.
Proof.
  destruct is_run as [_ go]. specialize (go i). inversion go; eauto.
Qed.

(** What is on top of it is in some A. *)
Lemma run_in_A i h n w : ρ i = on_top h n w -> in_some_A h n.
Proof.
  intro at_i. apply (reachable_in_A Y A S sets h n w).
  rewrite <- at_i. apply run_reachable; exact is_run.
Qed.

(** The run never again goes below what it has at i. *)
Definition lasting (i : nat) : Prop := forall j, i <= j -> height (ρ i) <= height (ρ j).

(** From one such configuration to the next. *)
Definition next (i j : nat) : Prop :=
  lasting i /\ lasting j /\ i < j /\ forall k, i < k -> k < j -> ~ lasting k.

(** There are infinitely many. *)
Lemma lasting_often : often lasting.
Proof.
  intro N. destruct (lowest (fun i => height (ρ i)) N) as [i [later low]].
  exists i. split; [exact later |]. intros j after. apply low. lia.
Qed.

(** A later one as high as one that lasts, lasts. *)
Lemma lasting_level i j : lasting i -> i <= j -> height (ρ j) <= height (ρ i) -> lasting j.
Proof.
  intros last later low k after. specialize (last k). lia.
Qed.

(** The next one is the first one after it. *)
Lemma next_is i j k : next i j -> i < k -> lasting k -> (forall m, i < m -> m < k -> ~ lasting m) -> j = k.
Proof.
  intros [_ [last_j [less none]]] less' last_k none'.
  destruct (lt_eq_lt_dec j k) as [[before | same] | after]; [exfalso | exact same | exfalso]; firstorder.
Qed.

(** As long as a run is higher than [w], what is above w stays covered. *)
Lemma stays_covered t w i j :
  covered Y A t w (ρ i) -> (forall k, i < k -> k <= i + j -> length w < height (ρ k)) -> covered Y A t w (ρ (i + j)).
Proof.
  destruct is_run as [_ go]. intros cov high. induction j as [|j IH].
  - rewrite Nat.add_0_r. exact cov.
  - rewrite Nat.add_succ_r. apply move_covered with (S := S) (c := ρ (i + j)); auto.
    + apply IH. intros k after before. apply high; lia.
    + apply high; lia.
Qed.

(** From each configuration below which a run never goes again to the next its values go along an edge. *)
Lemma next_goes i j h n w h' n' w' :
  next i j -> ρ i = on_top h n w -> ρ j = on_top h' n' w' -> goes h n h' n'.
Proof.
  intros following at_i at_j.
  pose proof following as [last_i [last_j [less none]]].
  destruct (run_in_A i h n w at_i) as [t inA].
  assert (j_is : lasting (1 + i) -> j = 1 + i).
  { intro last. apply (next_is i j (1 + i)); auto. intros m above below. lia. }
  destruct is_run as [_ go]. pose proof (go i) as move. rewrite at_i in move.
  apply moves_from in move as [[h1 [n1 [by_rule [inv to]]]] | [[h1 [n1 [γ [s [by_rule [inv to]]]]]] | [p to]]].
  - (* a step *)
    assert (j = 1 + i) as ->.
    { apply j_is. apply (lasting_level i); auto. rewrite at_i. simpl Nat.add. rewrite to. auto. }
    simpl in at_j. rewrite at_j in to. inversion to; subst. eauto using goes_step.
  - (* a call *)
    destruct (classic (lasting (1 + i))) as [for_ever | comes_back].
    { (* that never returns *)
      assert (j = 1 + i) as -> by auto.
      simpl in at_j. rewrite at_j in to. inversion to; subst. eauto using goes_call. }
    (* that returns for the first time at 1 + k *)
    destruct (first (fun k => i < k /\ height (ρ (1 + k)) <= 1 + length w)) as [k [[after low] before]].
    { apply not_all_ex_not in comes_back as [k lower]. apply imply_to_and in lower as [later lower].
      simpl Nat.add in lower. rewrite to in lower. simpl in lower.
      destruct k as [|k]; [lia |]. exists k. simpl Nat.add.
      assert (k <> i) by (intros ->; rewrite to in lower; simpl in lower; lia).
      split; lia. }
    assert (high : forall m, i < m -> m <= k -> 1 + length w < height (ρ m)).
    { intros m above below. destruct (le_lt_dec (height (ρ m)) (1 + length w)) as [low' | high']; [exfalso | exact high'].
      destruct m as [|m]; [lia |]. destruct (Nat.eq_dec m i) as [-> | other].
      - rewrite to in low'. simpl in low'. lia.
      - apply (before m); [lia |]. split; [lia | exact low']. }
    assert (last_k : lasting (1 + k)).
    { apply (lasting_level i); [auto | lia |]. rewrite at_i. exact low. }
    assert (j = 1 + k) as ->.
    { apply (next_is i j (1 + k)); [auto | lia | auto |]. intros m above below last.
      specialize (last (1 + k)). specialize (high m). lia. }
    assert (cov : covered Y A (entered h1 n1) ((γ, s) :: w) (ρ (1 + i + (k - 1 - i)))).
    { apply stays_covered.
      - simpl Nat.add. rewrite to. econstructor; [eauto using (rule4 Y A S sets) | apply above_here].
      - intros m above below. apply high; lia. }
    replace (1 + i + (k - 1 - i)) with k in cov by lia.
    specialize (high k). specialize (last_i (1 + k)). rewrite at_i in last_i. simpl in last_i.
    pose proof (go k) as back. simpl Nat.add in low, at_j. rewrite at_j in low, last_i, back.
    inversion cov as [t2 h2 n2 w2 inA2 ab at_k]. rewrite <- at_k in back, cov, high. simpl in low, high, last_i.
    apply moves_from in back as [[h3 [n3 [_ [_ to2]]]] | [[h3 [n3 [γ2 [s2 [_ [_ to2]]]]]] | [p [r [by_rule2 to2]]]]];
      [inversion to2; subst; simpl in *; lia | inversion to2; subst; simpl in *; lia |].
    destruct w2 as [|[γ2 s2] w2]; [discriminate |]. destruct to2 as [inv2 to2]. inversion to2; subst. simpl in *.
    apply covered_low in cov as [inA3 same]; [| simpl; lia].
    inversion same; subst. eauto using goes_back, (rule3 Y A S sets).
  - (* a return goes below *)
    exfalso. specialize (last_i (1 + i)). rewrite at_i in last_i. simpl in last_i.
    destruct to as [r [_ to]]. destruct w as [|[γ s] w]; [| destruct to as [_ to]]; rewrite to in last_i; simpl in last_i; lia.
Qed.

(** From each to any later one by way of all between. *)
Lemma lasting_chain i j : lasting i -> lasting j -> i < j -> clos_trans_n1 nat next i j.
Proof.
  intros last_i last_j less. induction j as [j IH] using lt_wf_ind.
  destruct (classic (exists k, i < k /\ k < j /\ lasting k)) as [between | none].
  - (* the last one before j *)
    assert (exists k, (i < k /\ k < j /\ lasting k) /\ forall m, k < m -> m < j -> ~ lasting m) as [k [[above [below last]] none]].
    { destruct between as [k known].
      destruct (first (fun d => d < j /\ i < j - d /\ 0 < d /\ lasting (j - d))) as [d [[a [b [c e]]] least]].
      { exists (j - k). replace (j - (j - k)) with k by lia. destruct known as [x [y z]]. repeat split; auto; lia. }
      exists (j - d). split; [repeat split; auto; lia |]. intros m above below last.
      apply (least (j - m)); [lia |]. replace (j - (j - m)) with m by lia. repeat split; auto; lia. }
    apply Relation_Operators.tn1_trans with k; [| apply IH; auto].
    repeat split; auto.
  - apply tn1_step. repeat split; auto. intros k above below last. apply none. eauto.
Qed.

(** All these are later. *)
Lemma chain_later i j : clos_trans_n1 nat next i j -> i < j.
Proof.
  induction 1 as [j following | j k following _ IH]; destruct following as [_ [_ [less _]]]; lia.
Qed.

End Edges.
