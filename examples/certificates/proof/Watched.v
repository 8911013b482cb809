(** The word of a run, systems that are watched (CERTIFICATES.md), by whatever reads words, and why it cannot mark a word infinitely often if
    a certificate shows that no run of the watched system is marked infinitely often. *)

Require Import List Arith Lia Bool Classical ClassicalDescription Relations.
Require Import Reach Infinite Edges Circles Endless Formulas.
Import ListNotations.

Section Watched.
Context {P Sym G L atom : Type}.
Notation head := (head P Sym).

Variable Y : system P Sym G L.

(** Heads that are not seen, and the propositions that are true in a configuration. *)
Variable hidden : head -> Prop.
Variable holds : atom -> head -> values G L -> Prop.

(** The word of a run: the letters of those configurations that are not hidden; [count i] of them come before the ith configuration. *)
Definition seen (ρ : nat -> config P Sym G L) (i : nat) : Prop :=
  exists h n w, ρ i = on_top h n w /\ ~ hidden h.

Definition counts_seen (ρ : nat -> config P Sym G L) (count : nat -> nat) : Prop :=
  count 0 = 0 /\ forall i, (seen ρ i -> count (1 + i) = 1 + count i) /\ (~ seen ρ i -> count (1 + i) = count i).

Definition word_of (ρ : nat -> config P Sym G L) (word : @word atom) : Prop :=
  often (seen ρ) /\
  exists count, counts_seen ρ count /\
    forall i h n w, ρ i = on_top h n w -> ~ hidden h -> forall a, word (count i) a <-> holds a h n.

(** ** Every infinite run has a word *)

(** Silent rules have one symbol on the right, and never lead round in a circle of heads. *)
Definition silent_step (h h' : head) : Prop := hidden h /\ exists n n', step Y h n h' n'.

Definition silent_rules_end : Prop :=
  (forall h n p r, hidden h -> ~ ret Y h n p r) /\
  (forall h n h' n' γ s, hidden h -> ~ call Y h n h' n' γ s) /\
  (forall h, ~ clos_trans head silent_step h h).

Lemma seen_often ρ : finite P -> finite Sym -> silent_rules_end -> run Y ρ -> often (seen ρ).
Proof.
  intros fP fSym [no_ret [no_call no_circle]] [_ go]. apply NNPP. intro seldom.
  apply not_often in seldom as [N never].
  (* Some head comes twice among hidden ones. *)
  destruct (pigeonhole head (fun i => N <= i) (fun i h => exists n w, ρ i = on_top h n w)) as [h twice].
  { apply finite_pairs; auto. }
  { intro M. exists (N + M). lia. }
  { intros i _. specialize (go i). inversion go; eauto. }
  destruct (twice N) as [i [_ [later [n [w at_i]]]]].
  destruct (twice (1 + i)) as [j [less [_ [n' [w' at_j]]]]].
  assert (path : forall k h' m v, ρ (1 + i + k) = on_top h' m v -> clos_trans head silent_step h h').
  { assert (one : forall k h1 n1 w1 h2 n2 w2, N <= k -> ρ k = on_top h1 n1 w1 -> ρ (1 + k) = on_top h2 n2 w2 -> silent_step h1 h2).
    { intros k h1 n1 w1 h2 n2 w2 after at_k at_next.
      assert (hid : hidden h1) by (apply NNPP; intro vis; apply (never k after); exists h1, n1, w1; auto).
      pose proof (go k) as move. rewrite at_k in move.
      apply moves_from in move as [[h' [m [rule [_ to]]]] | [[h' [m [γ [s [rule _]]]]] | [p [r [rule _]]]]].
      - simpl in at_next. rewrite at_next in to. inversion to; subst. split; eauto.
      - exfalso. eapply no_call; eauto.
      - exfalso. eapply no_ret; eauto. }
    induction k as [|k IH]; intros h' m v at_k.
    - rewrite Nat.add_0_r in at_k. apply t_step. eapply (one i); eauto.
    - rewrite Nat.add_succ_r in at_k. pose proof (go (1 + i + k)) as move.
      assert (exists h1 n1 w1, ρ (1 + i + k) = on_top h1 n1 w1) as [h1 [n1 [w1 at_1]]] by (inversion move; eauto).
      apply t_trans with h1; [eauto |]. apply t_step. apply (one (1 + i + k) h1 n1 w1 h' m v); auto. lia. }
  apply (no_circle h). apply (path (j - (1 + i)) h n' w'). replace (1 + i + (j - (1 + i))) with j by lia. exact at_j.
Qed.

(** How many configurations before the ith one are seen. *)
Fixpoint number_seen (ρ : nat -> config P Sym G L) (i : nat) : nat :=
  match i with
  | 0 => 0
  | Datatypes.S i => if excluded_middle_informative (seen ρ i) then 1 + number_seen ρ i else number_seen ρ i
  end.

Lemma number_seen_counts ρ : counts_seen ρ (number_seen ρ).
Proof.
  split; [reflexivity |]. intro i. simpl. destruct (excluded_middle_informative _); split; intro; try contradiction; reflexivity.
Qed.

Lemma number_seen_grows ρ i j : i < j -> seen ρ i -> number_seen ρ i < number_seen ρ j.
Proof.
  intros less is_seen. induction less as [|j less IH]; simpl.
  - destruct (excluded_middle_informative _); [lia | contradiction].
  - destruct (excluded_middle_informative _); lia.
Qed.

(** It is the only one. *)
Theorem run_has_word ρ : finite P -> finite Sym -> silent_rules_end -> run Y ρ -> exists word, word_of ρ word.
Proof.
  intros fP fSym ending is_run.
  exists (fun k a => exists i h n w, ρ i = on_top h n w /\ ~ hidden h /\ number_seen ρ i = k /\ holds a h n).
  split; [apply seen_often; auto |]. exists (number_seen ρ). split; [apply number_seen_counts |].
  intros i h n w at_i vis a. split.
  - intros [j [h' [n' [w' [at_j [vis' [same truth]]]]]]].
    assert (j = i) as ->.
    { destruct (lt_eq_lt_dec j i) as [[less | equal] | more]; [exfalso | exact equal | exfalso].
      - pose proof (number_seen_grows ρ j i less ltac:(exists h', n', w'; auto)). lia.
      - pose proof (number_seen_grows ρ i j more ltac:(exists h, n, w; auto)). lia. }
    rewrite at_i in at_j. inversion at_j; subst. exact truth.
  - intro truth. exists i, h, n, w. auto.
Qed.

(** ** The system that is watched *)

(** Values of the globals that watch, those at the start, what a step that is not silent has to be in addition, and when it is marked; all that
    depends on which propositions are true, and on nothing else of a configuration. *)
Variable Watch : Type.
Variable at_start : Watch -> Prop.
Variable follows marks : @letter atom -> Watch -> Watch -> Prop.

Definition depends_on_letters (relation : @letter atom -> Watch -> Watch -> Prop) : Prop :=
  forall l m o o', (forall a, l a <-> m a) -> relation l o o' -> relation m o o'.

(** The values of the system itself, those of what watches, and the letter of a configuration. *)
Definition inner (n : values (G * Watch) L) : values G L := (fst (fst n), snd n).
Definition outer (n : values (G * Watch) L) : Watch := snd (fst n).
Definition letter_at (h : head) (n : values G L) : @letter atom := fun a => holds a h n.

(** Silent rules leave it as it is. *)
Definition watches (h : head) (n : values G L) (o o' : Watch) : Prop :=
  (hidden h -> o' = o) /\ (~ hidden h -> follows (letter_at h n) o o').

Definition watched : system P Sym (G * Watch) L := {|
  step h n h' n' := step Y h (inner n) h' (inner n') /\ watches h (inner n) (outer n) (outer n');
  ret h n p r := ret Y h (inner n) p (fst r) /\ watches h (inner n) (outer n) (snd r);
  call h n h' n' γ s := call Y h (inner n) h' (inner n') γ s /\ watches h (inner n) (outer n) (outer n');
  invariant γ n := invariant Y γ (inner n);
  start_head := start_head Y;
  start_below := start_below Y;
  start_condition n := start_condition Y (inner n) /\ at_start (outer n);
  fits := fits Y
|}.

Definition marked (h : head) (n : values (G * Watch) L) (r : G * Watch) : Prop :=
  marks (letter_at h (inner n)) (outer n) (snd r).

Hypothesis follows_letters : depends_on_letters follows.
Hypothesis marks_letters : depends_on_letters marks.

(** A run together with what watches it. *)
Definition put (o : Watch) (c : config P Sym G L) : config P Sym (G * Watch) L :=
  match c with
  | on_top h (g, l) w => on_top h ((g, o), l) w
  | emptied p r => emptied p (r, o)
  end.

Lemma put_on_top o h n w : put o (on_top h n w) = on_top h ((fst n, o), snd n) w.
Proof. destruct n; reflexivity. Qed.

Lemma put_globals o c : globals (put o c) = (globals c, o).
Proof. destruct c as [h [g l] w | p r]; reflexivity. Qed.

(** From each configuration on, each later letter is that of some configuration. *)
Lemma every_letter ρ count : often (seen ρ) -> counts_seen ρ count ->
  forall N k, count N <= k -> exists i, N <= i /\ seen ρ i /\ count i = k.
Proof.
  intros visible [_ counts].
  assert (next_seen : forall N, exists i, N <= i /\ seen ρ i /\ count i = count N).
  { intro N. destruct (first (fun i => N <= i /\ seen ρ i)) as [i [[later vis] before]].
    { destruct (visible N) as [i both]. eauto. }
    exists i. repeat split; auto.
    assert (same : forall k, N + k <= i -> count (N + k) = count N).
    { induction k as [|k IH]; intro low; [rewrite Nat.add_0_r; reflexivity |].
      rewrite Nat.add_succ_r. rewrite <- IH by lia. apply (counts (N + k)). intro early.
      apply (before (N + k)); [lia |]. split; [lia | exact early]. }
    specialize (same (i - N)). replace (N + (i - N)) with i in same by lia. apply same. lia. }
  intros N k above. replace k with (count N + (k - count N)) by lia.
  induction (k - count N) as [|d [i [later [vis here]]]].
  - rewrite Nat.add_0_r. apply next_seen.
  - destruct (next_seen (1 + i)) as [j [later' [vis' here']]]. exists j.
    assert (count (1 + i) = 1 + count i) by (apply counts; exact vis).
    split; [lia |]. split; [exact vis' | lia].
Qed.

(** If a word can be followed, there is a run of the watched system over each run that has it, with infinitely many marked steps if there are
    infinitely many of the word. *)
Theorem followed_run ρ word (o : nat -> Watch) :
  run Y ρ -> word_of ρ word ->
  at_start (o 0) -> (forall i, follows (word i) (o i) (o (1 + i))) -> often (fun i => marks (word i) (o i) (o (1 + i))) ->
  exists count : nat -> nat,
    let ρ' i := put (o (count i)) (ρ i) in run watched ρ' /\ often (marked_at hidden marked ρ').
Proof.
  intros [init go] [visible [count [counting letters]]] starting conjuncts marks_often.
  pose proof counting as [begins counts].
  assert (onward : forall i h n w, ρ i = on_top h n w -> ~ hidden h -> count (1 + i) = 1 + count i)
    by (intros i h n w at_i vis; apply counts; exists h, n, w; auto).
  assert (watching : forall i h n w, ρ i = on_top h n w -> watches h n (o (count i)) (o (count (1 + i)))).
  { intros i h n w at_i. split.
    - intro hid. assert (same : count (1 + i) = count i).
      { apply counts. intros [h' [n' [w' [at_i' vis]]]]. rewrite at_i in at_i'. inversion at_i'; subst. contradiction. }
      rewrite same. reflexivity.
    - intro vis. apply follows_letters with (word (count i)); [exact (letters i h n w at_i vis) |].
      rewrite (onward i h n w at_i vis). apply conjuncts. }
  exists count. split; [split |].
  - inversion init as [[g l] w cond inv lies start]. simpl.
    apply (starts watched (g, o (count 0), l) w); simpl; auto.
    split; [exact cond |]. rewrite begins. exact starting.
  - intro i. specialize (go i). specialize (watching i).
    destruct go as [h n h' n' w rule inv | h n h' n' γ s w rule inv | h n p r γ s w rule inv | h n p r rule];
      specialize (watching h n _ eq_refl); rewrite ?put_on_top; simpl Nat.add in watching.
    + destruct n, n'. apply (by_step watched); simpl; auto.
    + destruct n, n'. apply (by_call watched); simpl; auto.
    + destruct n. apply (by_return watched); simpl; auto.
    + destruct n. apply (by_last_return watched); simpl; auto.
  - intro N. destruct (marks_often (count N)) as [k [above mark]].
    destruct (every_letter ρ count visible counting N k above) as [i [later [[h [n [w [at_i vis]]]] here]]].
    exists i. split; [exact later |]. exists h, (fst n, o (count i), snd n), w.
    split; [rewrite at_i; apply put_on_top |]. split; [exact vis |].
    unfold marked. rewrite put_globals. cbn [snd]. rewrite (onward i h n w at_i vis), here.
    apply marks_letters with (word k); [| exact mark]. rewrite <- here.
    intro a. unfold inner. cbn [fst snd]. rewrite (letters i h n w at_i vis). destruct n; reflexivity.
Qed.

(** So if a certificate shows that no run of the watched system is marked infinitely often, words of runs are not followed with infinitely many marks. *)
Theorem never_followed A S edges cuts T :
  finite P -> finite Sym -> finite G -> finite L -> finite Watch ->
  inductive_sets (with_met watched hidden marked) A S -> carry (with_met watched hidden marked) A S edges ->
  marks_end watched hidden marked A S edges cuts T ->
  forall ρ word, run Y ρ -> word_of ρ word ->
  forall o : nat -> Watch, at_start (o 0) -> (forall i, follows (word i) (o i) (o (1 + i))) ->
  ~ often (fun i => marks (word i) (o i) (o (1 + i))).
Proof.
  intros fP fSym fG fL fW sets carried rules ρ word is_run is_word o starting conjuncts marks_often.
  destruct (followed_run ρ word o is_run is_word starting conjuncts marks_often) as [count [run_o often_o]].
  exact (no_run_is_marked_for_ever fP fSym (finite_pairs _ _ fG fW) fL watched hidden marked A S edges cuts T sets carried rules _ run_o often_o).
Qed.

End Watched.

Print Assumptions run_has_word.
Print Assumptions never_followed.
