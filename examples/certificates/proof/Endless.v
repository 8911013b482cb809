(** Why no infinite run is marked infinitely often (8′, 9′, 10, 11′), and why none goes on for ever (8 to 11). *)

Require Import List Arith Lia Bool Classical Relations.
Require Import Reach Infinite Edges Circles.
Import ListNotations.

Section Marked.
Context {P Sym G L : Type}.
Notation head := (head P Sym).
Hypothesis finite_P : finite P.
Hypothesis finite_Sym : finite Sym.
Hypothesis finite_G : finite G.
Hypothesis finite_L : finite L.

Variable Y : system P Sym G L.
Variable hidden : head -> Prop.
Variable marked : head -> values G L -> G -> Prop.
Notation W := (with_met Y hidden marked).

(** The globals of a configuration. *)
Definition globals (c : config P Sym G L) : G :=
  match c with on_top _ n _ => fst n | emptied _ r => r end.

(** The step from the ith configuration of a run is marked. *)
Definition marked_at (ρ : nat -> config P Sym G L) (i : nat) : Prop :=
  exists h n w, ρ i = on_top h n w /\ ~ hidden h /\ marked h n (globals (ρ (1 + i))).

Variable A : tag P Sym (G * bool) L -> head -> values (G * bool) L -> Prop.
Variable S : tag P Sym (G * bool) L -> P -> G * bool -> Prop.
Variable edges : head -> head -> Prop.
Variable cuts : list head.
Variable T : head -> head -> values (G * bool) L -> values (G * bool) L -> Prop.
Hypothesis sets : inductive_sets W A S.
Hypothesis carried : carry W A S edges.
Hypothesis rules : marks_end Y hidden marked A S edges cuts T.

Variable ρ : nat -> config P Sym G L.
Hypothesis is_run : run Y ρ.

(** _Let [@met] be false up to_ the mth configuration, _and true from the marked step on_. *)
Definition put_met (b : bool) (c : config P Sym G L) : config P Sym (G * bool) L :=
  match c with
  | on_top h (g, l) w => on_top h ((g, b), l) w
  | emptied p r => emptied p (r, b)
  end.

Definition met_after (m i : nat) : config P Sym (G * bool) L := put_met (m <? i) (ρ i).

Lemma put_met_height b c : height (put_met b c) = height c.
Proof. destruct c as [h [g l] w | p r]; reflexivity. Qed.

Lemma put_met_globals b h n w : put_met b (on_top h n w) = on_top h ((fst n, b), snd n) w.
Proof. destruct n; reflexivity. Qed.

(** That is a run of the system with [@met]. *)
Lemma met_after_run m : marked_at ρ m -> run W (met_after m).
Proof.
  intros [hm [nm [wm [at_m [seen mark]]]]]. destruct is_run as [init go]. split.
  - unfold met_after. inversion init as [[g l] w cond inv lies start]. simpl.
    apply (starts W (g, false, l) w); simpl; auto.
  - intro i. specialize (go i). unfold met_after.
    assert (bits : forall h n w, ρ i = on_top h n w ->
      meets hidden marked h n (globals (ρ (1 + i))) (m <? i) (m <? 1 + i)).
    { intros h n w at_i. destruct (Nat.eq_dec i m) as [-> | other].
      - rewrite at_m in at_i. inversion at_i; subst. split; [intro; contradiction | auto].
      - replace (m <? 1 + i) with (m <? i).
        + split; auto.
        + destruct (m <? i) eqn:less; symmetry; [apply Nat.ltb_lt in less; apply Nat.ltb_lt | apply Nat.ltb_ge in less; apply Nat.ltb_ge]; lia. }
    simpl Nat.add in bits. destruct go as [h n h' n' w rule inv | h n h' n' γ s w rule inv | h n p r γ s w rule inv | h n p r rule];
      specialize (bits h n _ eq_refl); rewrite ?put_met_globals; simpl in bits |- *.
    + destruct n, n'. apply (by_step W); simpl; auto.
    + destruct n, n'. apply (by_call W); simpl; auto.
    + destruct n. apply (by_return W); simpl; auto.
    + destruct n. apply (by_last_return W); simpl; auto.
Qed.

(** Where a run lasts, it does so whatever [@met] is. *)
Lemma met_after_lasting m i : lasting (met_after m) i <-> lasting ρ i.
Proof.
  unfold lasting, met_after. split; intros last j later; specialize (last j later); rewrite !put_met_height in *; exact last.
Qed.

Lemma met_after_next m i j : next ρ i j -> next (met_after m) i j.
Proof.
  intros [last [last' [less none]]]. repeat split; try apply met_after_lasting; auto.
  intros k above below now. apply met_after_lasting in now. exact (none k above below now).
Qed.

(** The head on top. *)
Definition head_at (i : nat) (h : head) : Prop := exists n w, ρ i = on_top h n w.

Lemma some_head i : exists h, head_at i h.
Proof.
  destruct (has_top Y ρ is_run i) as [h [n [w at_i]]]. exists h, n, w. exact at_i.
Qed.

(** Heads that last infinitely often. *)
Definition returns (h : head) : Prop := often (fun i => lasting ρ i /\ head_at i h).

Hypothesis marked_often : often (marked_at ρ).

(** Edges lead from each lasting head to the next. *)
Lemma next_edge i j h h' : next ρ i j -> head_at i h -> head_at j h' -> edges h h'.
Proof.
  intros following [n [w at_i]] [n' [w' at_j]]. destruct (marked_often 0) as [m [_ mark]].
  pose proof (met_after_run m mark) as run_m. apply (met_after_next m) in following.
  assert (at_i' : met_after m i = on_top h (fst n, m <? i, snd n) w) by (unfold met_after; rewrite at_i; apply put_met_globals).
  assert (at_j' : met_after m j = on_top h' (fst n', m <? j, snd n') w') by (unfold met_after; rewrite at_j; apply put_met_globals).
  apply (carried h (fst n, m <? i, snd n) h' (fst n', m <? j, snd n')).
  - eapply run_in_A; eauto.
  - eapply next_goes; eauto.
Qed.

(** Among heads of which something is so of all that last from N on, edges lead from each of those to any later one. *)
Lemma path N (allowed : head -> Prop) i j h h' :
  (forall k l, N <= k -> lasting ρ k -> head_at k l -> allowed l) ->
  N <= i -> i < j -> lasting ρ i -> lasting ρ j -> head_at i h -> head_at j h' ->
  clos_trans head (among allowed edges) h h'.
Proof.
  intros all later less last last' at_i at_j.
  pose proof (lasting_chain ρ i j last last' less) as chain. clear less last'.
  revert h' at_j. induction chain as [j following | j k following chain IH]; intros h' at_j.
  - apply t_step. split; [eauto using next_edge |]. destruct following as [_ [last' [less _]]].
    split; [apply (all i h) | apply (all j h')]; auto; lia.
  - destruct (some_head j) as [hj at_hj]. apply t_trans with hj; [auto |].
    assert (i < j) by eauto using chain_later.
    apply t_step. split; [eauto using next_edge |]. destruct following as [last_j [last' [less _]]].
    split; [apply (all j hj) | apply (all k h')]; auto; lia.
Qed.

(** Heads that last infinitely often are on circles with each other, from some time on. *)
Lemma circles N (allowed : head -> Prop) h h' :
  (forall k l, N <= k -> lasting ρ k -> head_at k l -> allowed l) ->
  returns h -> returns h' -> clos_trans head (among allowed edges) h h'.
Proof.
  intros all back back'. destruct (back N) as [i [later [last at_i]]]. destruct (back' (1 + i)) as [j [less [last' at_j]]].
  eapply path; eauto.
Qed.

(** A marked step lies between some lasting configuration and the next. *)
Lemma marked_between i m : lasting ρ i -> i <= m -> exists j k, next ρ j k /\ i <= j /\ j <= m /\ m < k.
Proof.
  intros last later. destruct (first (fun k => m < k /\ lasting ρ k)) as [k [[less last_k] none]].
  { destruct (lasting_often ρ (1 + m)) as [k [above now]]. eauto. }
  pose proof (lasting_chain ρ i k last last_k ltac:(lia)) as chain.
  assert (bounded : forall j, next ρ j k -> j <= m).
  { intros j [last_j [_ [below _]]]. destruct (le_lt_dec j m) as [fine | more]; [exact fine |].
    exfalso. apply (none j); auto. }
  inversion chain as [following | j k' following chain']; subst.
  - exists i, k. auto.
  - exists j, k. repeat split; try apply following; auto.
    assert (i < j) by eauto using chain_later.
    lia.
Qed.

(** Of cuts that return some is the first one. *)
Lemma first_cut (among_cuts : list head) :
  (exists c, In c among_cuts /\ returns c) ->
  exists c, In c among_cuts /\ returns c /\ forall d, before among_cuts c d -> ~ returns d.
Proof.
  induction among_cuts as [|x rest IH]; intros [c [inside back]]; [destruct inside |].
  destruct (classic (returns x)) as [this | seldom].
  - exists x. split; [left; auto |]. split; [exact this |]. intros d [different _]. contradiction.
  - destruct IH as [c' [inside' [back' least]]].
    { destruct inside as [-> | inside]; [contradiction | eauto]. }
    exists c'. split; [right; auto |]. split; [exact back' |].
    intros d [different [<- | earlier]]; auto.
Qed.

(** There is no such run. *)
Lemma marked_run_impossible : False.
Proof.
  destruct (settles head (fun i h => lasting ρ i /\ head_at i h) (finite_pairs _ _ finite_P finite_Sym)) as [N settled].
  assert (settled' : forall i h, N <= i -> lasting ρ i -> head_at i h -> returns h)
    by (intros i h later last at_i; apply (settled i h later); auto).
  clear settled. rename settled' into settled.
  destruct (classic (exists c, In c cuts /\ returns c)) as [some | none].
  - (* Some cut returns; c is the first one. *)
    apply first_cut in some as [c [is_cut [back least]]].
    assert (allowed : forall k l, N <= k -> lasting ρ k -> head_at k l -> ~ before cuts c l)
      by (intros k l later last at_k earlier; exact (least l earlier (settled k l later last at_k))).
    assert (circle : forall k l, N <= k -> lasting ρ k -> head_at k l -> on_circle cuts edges c l)
      by (intros k l later last at_k; split; eapply circles; eauto).
    (* It does so infinitely often with the same values n. *)
    destruct (pigeonhole (values G L) (fun i => lasting ρ i /\ head_at i c) (fun i n => exists w, ρ i = on_top c n w))
      as [n same].
    { apply finite_pairs; auto. }
    { exact back. }
    { intros i [_ [n [w at_i]]]. eauto. }
    destruct (same N) as [i [later [[last _] [w at_i]]]].
    destruct (marked_often i) as [m [after mark]].
    destruct (same (1 + m)) as [j [after' [[last' _] [w' at_j]]]].
    pose proof (met_after_run m mark) as run_m.
    (* All on the way is in T. *)
    assert (in_T : forall k, clos_trans_n1 nat (next ρ) i k -> forall h n' v,
      ρ k = on_top h n' v -> T c h (fst n, false, snd n) (fst n', m <? k, snd n')).
    { assert (low : (m <? i) = false) by (apply Nat.ltb_ge; lia).
      assert (at_i' : met_after m i = on_top c (fst n, false, snd n) w)
        by (unfold met_after; rewrite at_i, low; apply put_met_globals).
      induction 1 as [k following | k k' following chain IH]; intros h n' v at_k.
      - assert (at_k' : met_after m k = on_top h (fst n', m <? k, snd n') v)
          by (unfold met_after; rewrite at_k; apply put_met_globals).
        apply (rule9' _ _ _ _ _ _ _ _ rules); auto.
        + eapply run_in_A; eauto.
        + eapply next_goes; eauto using met_after_next.
        + destruct following as [_ [last_k [less _]]]. apply (circle k); auto; [lia |]. exists n', v. exact at_k.
      - destruct (has_top Y ρ is_run k) as [hk [nk [wk at_hk]]]. specialize (IH hk nk wk at_hk).
        assert (less : i < k) by eauto using chain_later.
        assert (at_hk' : met_after m k = on_top hk (fst nk, m <? k, snd nk) wk)
          by (unfold met_after; rewrite at_hk; apply put_met_globals).
        assert (at_k' : met_after m k' = on_top h (fst n', m <? k', snd n') v)
          by (unfold met_after; rewrite at_k; apply put_met_globals).
        apply (rule10' _ _ _ _ _ _ _ _ rules) with (h := hk) (n := (fst nk, m <? k, snd nk)); auto.
        + destruct following as [last_k _]. apply (circle k); auto; [lia |]. exists nk, wk. exact at_hk.
        + eapply run_in_A; eauto.
        + eapply next_goes; eauto using met_after_next.
        + destruct following as [_ [last_k [less' _]]]. apply (circle k'); auto; [lia |]. exists n', v. exact at_k. }
    assert (high : (m <? j) = true) by (apply Nat.ltb_lt; lia).
    assert (found : T c c (fst n, false, snd n) (fst n, true, snd n)).
    { rewrite <- high. apply (in_T j) with (v := w'); [| exact at_j]. apply lasting_chain; auto; lia. }
    exact (rule11' _ _ _ _ _ _ _ _ rules c _ _ is_cut found eq_refl eq_refl eq_refl).
  - (* No cut returns: all edges are on circles of the graph without cuts, and some count. *)
    assert (allowed : forall k l, N <= k -> lasting ρ k -> head_at k l -> ~ In l cuts)
      by (intros k l later last at_k is_cut; apply none; eauto).
    destruct (lasting_often ρ N) as [i0 [later0 last0]].
    destruct (marked_often i0) as [m [after mark]].
    destruct (marked_between i0 m last0 after) as [i [j [following [later [low high]]]]].
    pose proof (met_after_run m mark) as run_m.
    destruct (has_top Y ρ is_run i) as [h [n [w at_i]]]. destruct (has_top Y ρ is_run j) as [h' [n' [w' at_j]]].
    pose proof following as [last [last' [less _]]].
    assert (there : head_at i h) by (exists n, w; exact at_i).
    assert (there' : head_at j h') by (exists n', w'; exact at_j).
    apply (rule8' _ _ _ _ _ _ _ _ rules h h').
    + exists (fst n, false, snd n), (fst n', true, snd n').
      assert (not_yet : (m <? i) = false) by (apply Nat.ltb_ge; lia).
      assert (now : (m <? j) = true) by (apply Nat.ltb_lt; lia).
      assert (at_i' : met_after m i = on_top h (fst n, false, snd n) w)
        by (unfold met_after; rewrite at_i, not_yet; apply put_met_globals).
      assert (at_j' : met_after m j = on_top h' (fst n', true, snd n') w')
        by (unfold met_after; rewrite at_j, now; apply put_met_globals).
      repeat split; [eapply run_in_A; eauto | eapply next_goes; eauto using met_after_next].
    + apply (allowed i); auto; lia.
    + apply (allowed j); auto; lia.
    + apply trans_refl. apply (circles N); [exact allowed | |].
      * apply (settled j); auto; lia.
      * apply (settled i); auto; lia.
Qed.

End Marked.

(** _No infinite run of the watched system is marked infinitely often._ *)
Theorem no_run_is_marked_for_ever {P Sym G L : Type} :
  finite P -> finite Sym -> finite G -> finite L ->
  forall (Y : system P Sym G L) hidden marked A S edges cuts T,
  inductive_sets (with_met Y hidden marked) A S -> carry (with_met Y hidden marked) A S edges ->
  marks_end Y hidden marked A S edges cuts T ->
  forall ρ, run Y ρ -> ~ often (marked_at hidden marked ρ).
Proof.
  intros fP fSym fG fL Y hidden marked A S edges cuts T sets carried rules ρ is_run always.
  exact (marked_run_impossible fP fSym fG fL Y hidden marked A S edges cuts T sets carried rules ρ is_run always).
Qed.

(** ** Termination: the same with every step marked and without the bit *)
Section Termination.
Context {P Sym G L : Type}.
Hypothesis finite_P : finite P.
Hypothesis finite_Sym : finite Sym.
Hypothesis finite_G : finite G.
Hypothesis finite_L : finite L.

Variable Y : system P Sym G L.

(** The symbols of [end] and [fail]. *)
Variable rests : Sym -> Prop.

(** No edges lead from these: those of CERTIFICATES.md are the edges of the system without their rules. *)
Definition going_on : system P Sym G L := {|
  step h n h' n' := step Y h n h' n' /\ ~ rests (snd h);
  ret h n p r := ret Y h n p r /\ ~ rests (snd h);
  call h n h' n' γ s := call Y h n h' n' γ s /\ ~ rests (snd h);
  invariant := invariant Y;
  start_head := start_head Y;
  start_below := start_below Y;
  start_condition := start_condition Y;
  fits := fits Y
|}.

Variable A : tag P Sym G L -> head P Sym -> values G L -> Prop.
Variable S : tag P Sym G L -> P -> G -> Prop.
Variable edges : head P Sym -> head P Sym -> Prop.
Variable cuts : list (head P Sym).
Variable T : head P Sym -> head P Sym -> values G L -> values G L -> Prop.
Hypothesis sets : inductive_sets Y A S.
Hypothesis carried : carry going_on A S edges.
Hypothesis rules : ends going_on A S edges cuts T.

(** Sets that are inductive are so with fewer rules. *)
Lemma going_on_sets : inductive_sets going_on A S.
Proof.
  destruct sets as [r1 r2 r3 r4 r5 r6]. constructor.
  - exact r1.
  - intros t h n h' n' inA [rule _] inv. exact (r2 _ _ _ _ _ inA rule inv).
  - intros t h n p r inA [rule _]. exact (r3 _ _ _ _ _ inA rule).
  - intros t h n h' n' γ s inA [rule _] inv. exact (r4 _ _ _ _ _ _ _ inA rule inv).
  - intros t h n h' n' γ s p r inA [rule _] inv inS inv'. exact (r5 _ _ _ _ _ _ _ _ _ inA rule inv inS inv').
  - exact r6.
Qed.

(** Every step is marked, none is silent, and the sets know nothing of [@met]. *)
Notation W := (with_met going_on (fun _ => False) (fun _ _ _ => True)).

Definition bare_tag (t : tag P Sym (G * bool) L) : tag P Sym G L :=
  match t with start m => start m | entered h e => entered h (bare e) end.

Definition A_met t h n := A (bare_tag t) h (bare n).
Definition S_met t p (r : G * bool) := S (bare_tag t) p (fst r).
Definition T_met c h m n := T c h (bare m) (bare n).

Lemma met_sets : inductive_sets W A_met S_met.
Proof.
  destruct going_on_sets as [r1 r2 r3 r4 r5 r6]. constructor.
  - intros n [cond _] inv. exact (r1 _ cond inv).
  - intros t h n h' n' inA [rule _] inv. exact (r2 _ _ _ _ _ inA rule inv).
  - intros t h n p r inA [rule _]. exact (r3 _ _ _ _ _ inA rule).
  - intros t h n h' n' γ s inA [rule _] inv. exact (r4 _ _ _ _ _ _ _ inA rule inv).
  - intros t h n h' n' γ s p r inA [rule _] inv inS inv'. exact (r5 _ _ _ _ _ _ _ _ _ inA rule inv inS inv').
  - intros m p r γ l inS nth fit inv. exact (r6 _ _ _ _ _ inS nth fit inv).
Qed.

Lemma met_goes h n h' n' : goes W S_met h n h' n' -> goes going_on S h (bare n) h' (bare n').
Proof.
  destruct 1 as [h n h' n' [rule _] inv | h n h' n' γ s [rule _] inv | h n h' n' γ s p r [rule _] inv back inv'].
  - apply goes_step; auto.
  - eapply goes_call; eauto.
  - eapply goes_back; eauto.
Qed.

Lemma met_in_A h n : in_some_A A_met h n -> in_some_A A h (bare n).
Proof. intros [t inA]. exists (bare_tag t). exact inA. Qed.

Lemma met_carried : carry W A_met S_met edges.
Proof.
  intros h n h' n' inA go. exact (carried h (bare n) h' (bare n') (met_in_A h n inA) (met_goes h n h' n' go)).
Qed.

Lemma met_rules : marks_end going_on (fun _ => False) (fun _ _ _ => True) A_met S_met edges cuts T_met.
Proof.
  destruct rules as [r8 r9 r10 r11]. unfold T_met. constructor.
  - intros h h' [n [n' [inA [go _]]]] no no' back.
    assert (e : among (fun d => ~ In d cuts) edges h h') by (split; [exact (met_carried h n h' n' inA go) | auto]).
    apply (r8 h). apply refl_trans in back as [-> | back]; [apply t_step; exact e |].
    apply t_trans with h'; [apply t_step; exact e | exact back].
  - intros c n h n' is_cut inA _ go circle.
    exact (r9 c _ h _ is_cut (met_in_A _ _ inA) (met_goes _ _ _ _ go) circle).
  - intros c h m n h' n' is_cut inT circle inA go circle'.
    exact (r10 c h _ _ h' _ is_cut inT circle (met_in_A _ _ inA) (met_goes _ _ _ _ go) circle').
  - intros c n r is_cut inT same _ _. rewrite <- same in inT. exact (r11 c _ is_cut inT).
Qed.

(** _There is no infinite run_ but those that come to [end] or [fail]. *)
Theorem every_run_ends ρ : run Y ρ -> exists i h n w, ρ i = on_top h n w /\ rests (snd h).
Proof.
  intros [init go]. apply NNPP. intro never.
  assert (moving : forall i h n w, ρ i = on_top h n w -> ~ rests (snd h)) by (intros i h n w at_i r; apply never; exists i, h, n, w; auto).
  assert (is_run : run going_on ρ).
  { split.
    - destruct init as [n w cond inv lies]. exact (starts going_on n w cond inv lies).
    - intro i. specialize (go i). specialize (moving i).
      destruct go as [h n h' n' w rule inv | h n h' n' γ s w rule inv | h n p r γ s w rule inv | h n p r rule];
        specialize (moving _ _ _ eq_refl).
      + exact (by_step going_on h n h' n' w (conj rule moving) inv).
      + exact (by_call going_on h n h' n' γ s w (conj rule moving) inv).
      + exact (by_return going_on h n p r γ s w (conj rule moving) inv).
      + exact (by_last_return going_on h n p r (conj rule moving)). }
  apply (no_run_is_marked_for_ever finite_P finite_Sym finite_G finite_L _ _ _ _ _ _ _ _ met_sets met_carried met_rules ρ is_run).
  intro N. exists N. split; [auto |].
  destruct (has_top _ _ is_run N) as [h [n [w at_N]]]. exists h, n, w. auto.
Qed.

(** If their only rules are loops without guard or effect, it rests there for ever. *)
Corollary every_run_rests :
  (forall h n h' n', rests (snd h) -> step Y h n h' n' -> h' = h /\ n' = n) ->
  (forall h n p r, rests (snd h) -> ~ ret Y h n p r) ->
  (forall h n h' n' γ s, rests (snd h) -> ~ call Y h n h' n' γ s) ->
  forall ρ, run Y ρ -> exists i, forall j, i <= j -> ρ j = ρ i.
Proof.
  intros loops no_ret no_call ρ is_run. destruct (every_run_ends ρ is_run) as [i [h [n [w [at_i resting]]]]].
  exists i. induction 1 as [|j later IH]; [auto |].
  destruct is_run as [_ go]. specialize (go j). rewrite IH, at_i in *.
  apply moves_from in go as [[h' [n' [rule [_ to]]]] | [[h' [n' [γ [s [rule _]]]]] | [p [r [rule _]]]]].
  - destruct (loops h n h' n' resting rule) as [-> ->]. congruence.
  - exfalso. eapply no_call; eauto.
  - exfalso. eapply no_ret; eauto.
Qed.

End Termination.

Print Assumptions no_run_is_marked_for_ever.
Print Assumptions every_run_rests.
