(** Frames that know what lies below them (CERTIFICATES.md, Which runs count: [stutter]): every run of a system is one of the system in which frames know
    that, after it has built its start stack, and shows the same. So a guard may tell from what is known whether a run is blocked. *)

Require Import List Arith Lia.
Require Import Reach Infinite Edges Circles Formulas Turns Owed Watched Satisfied Stutter.
Import ListNotations.

Section Known.
Context {P Sym G L atom : Type}.
Variable Y : system P Sym G L.
Variable hidden : head P Sym -> Prop.
Variable holds : bool -> atom -> head P Sym -> values G L -> Prop.

(** What a frame knows: the site below and what is kept of its locals. A call that leaves γ below with these locals begins with [told_by]; at the start
    nothing is known ([@site] = 0). *)
Variable K : Type.
Variable told_by : Sym -> L -> K.
Variable nothing : K -> Prop.

(** Symbols: those of the system, and [@start i], of no frame, for as many i as the start stack has symbols. *)
Inductive symbol : Type := own (γ : Sym) | start_number (i : numbers (length (start_below Y))).
Definition starting (i : nat) : symbol := start_number (number_of (length (start_below Y)) i).

Definition plain (n : values G (L * K)) : values G L := (fst n, fst (snd n)).
Definition known (n : values G (L * K)) : K := snd (snd n).
Notation p0 := (fst (start_head Y)).

Inductive know_step : head P symbol -> values G (L * K) -> head P symbol -> values G (L * K) -> Prop :=
| step_known p γ n q γ' n' : step Y (p, γ) (plain n) (q, γ') (plain n') -> known n' = known n -> know_step (p, own γ) n (q, own γ') n'
| start_known n n' :
    start_condition Y (plain n') -> fst n' = fst n -> known n' = known n ->
    know_step (p0, starting 0) n (p0, own (snd (start_head Y))) n'.

Inductive know_ret : head P symbol -> values G (L * K) -> P -> G -> Prop :=
| ret_known p γ n q r : ret Y (p, γ) (plain n) q r -> know_ret (p, own γ) n q r.

Inductive know_call : head P symbol -> values G (L * K) -> head P symbol -> values G (L * K) -> symbol -> L * K -> Prop :=
| call_known p γ n q γ' n' γ'' s :
    call Y (p, γ) (plain n) (q, γ') (plain n') γ'' s -> known n' = told_by γ'' s ->
    know_call (p, own γ) n (q, own γ') n' (own γ'') (s, known n)
| build_known i γ n n' s :
    nth_error (start_below Y) i = Some γ -> fits Y γ s -> fst n' = fst n -> known n' = told_by γ s ->
    know_call (p0, starting (1 + i)) n (p0, starting i) n' (own γ) (s, known n).

(** A start stack of one symbol is not built. *)
Definition knowing : system P symbol G (L * K) := {|
  step := know_step;
  ret := know_ret;
  call := know_call;
  invariant γ n := match γ with own γ => invariant Y γ (plain n) | start_number _ => True end;
  start_head := (p0, match start_below Y with [] => own (snd (start_head Y)) | below => starting (length below) end);
  start_below := [];
  start_condition n := nothing (known n) /\ match start_below Y with [] => start_condition Y (plain n) | _ => True end;
  fits γ l := match γ with own γ => fits Y γ (fst l) | start_number _ => True end
|}.

(** These are finitely many. *)
Lemma finite_symbol : finite Sym -> finite symbol.
Proof.
  intros [all everything]. destruct (finite_numbers (length (start_below Y))) as [numbered every_number].
  exists (map own all ++ map start_number numbered). intros [γ | i]; apply in_or_app; [left | right]; apply in_map; auto.
Qed.

(** What the frame above these knows. *)
Definition knows (k : K) (w : list (frame Sym L)) : K :=
  match w with [] => k | (γ, s) :: _ => told_by γ s end.

Fixpoint knowing_frames (k : K) (w : list (frame Sym L)) : list (frame symbol (L * K)) :=
  match w with [] => [] | (γ, s) :: rest => (own γ, (s, knows k rest)) :: knowing_frames k rest end.

Definition image (k : K) (c : config P Sym G L) : config P symbol G (L * K) :=
  match c with
  | on_top h n w => on_top (fst h, own (snd h)) (fst n, (snd n, knows k w)) (knowing_frames k w)
  | emptied p r => emptied p r
  end.

(** Steps are those of the system. *)
Lemma move_image k c c' : moves Y c c' -> moves knowing (image k c) (image k c').
Proof.
  destruct 1 as [[p γ] [g l] [q γ'] [g' l'] w rule inv | [p γ] [g l] [q γ'] [g' l'] γ'' s w rule inv
                | [p γ] [g l] q r δ s w rule inv | [p γ] [g l] q r rule]; simpl.
  - apply (by_step knowing); [apply step_known; auto | exact inv].
  - apply (by_call knowing _ (g, (l, knows k w)) _ (g', (l', told_by γ'' s))); [| exact inv].
    apply (call_known p γ (g, (l, knows k w))); auto.
  - apply (by_return knowing); [apply ret_known; exact rule | exact inv].
  - apply (by_last_return knowing). apply ret_known. exact rule.
Qed.

(** ** The start stack is built *)

(** How many steps that takes. *)
Definition steps_before : nat := match start_below Y with [] => 0 | below => 1 + length below end.

(** When all but the topmost i frames of the start stack, and the top, have been built. *)
Definition building (k : K) (g : G) (l : L) (w : list (frame Sym L)) (i : nat) : config P symbol G (L * K) :=
  on_top (p0, starting i) (g, (l, knows k (skipn i w))) (knowing_frames k (skipn i w)).

Lemma lie_length symbols (w : list (frame Sym L)) : lie Y symbols w -> length symbols = length w.
Proof. induction 1; simpl; auto. Qed.

Lemma lies_nth symbols (w : list (frame Sym L)) i :
  lie Y symbols w -> i < length w ->
  exists γ s, nth_error symbols i = Some γ /\ fits Y γ s /\ skipn i w = (γ, s) :: skipn (1 + i) w.
Proof.
  intros lies. revert i. induction lies as [|γ [δ s] symbols w [name fit] lies IH]; intros i less; simpl in *; [lia |].
  subst. destruct i as [|i]; [exists γ, s; auto | simpl; apply IH; lia].
Qed.

(** The run, after the steps that build its start. *)
Definition from_start (k : K) (l : L) (ρ : nat -> config P Sym G L) (i : nat) : config P symbol G (L * K) :=
  match ρ 0 with
  | on_top h n w => if i <? steps_before then building k (fst n) l w (length (start_below Y) - i) else image k (ρ (i - steps_before))
  | emptied p r => image k (ρ (i - steps_before))
  end.

Lemma from_start_later k l ρ i : from_start k l ρ (steps_before + i) = image k (ρ i).
Proof.
  unfold from_start. replace (steps_before + i - steps_before) with i by lia.
  destruct (ρ 0); [| reflexivity]. destruct (steps_before + i <? steps_before) eqn:less; [apply Nat.ltb_lt in less; lia | reflexivity].
Qed.

Lemma from_start_begins k l ρ : nothing k -> initial Y (ρ 0) -> initial knowing (from_start k l ρ 0).
Proof.
  intros none init. unfold from_start, steps_before. inversion init as [[g m] w cond inv lies start].
  pose proof (lie_length _ _ lies) as same.
  destruct (start_below Y) as [|γ rest] eqn:below.
  - destruct w; [| discriminate]. simpl. rewrite <- start. simpl.
    pose proof (starts knowing (g, (m, k)) []) as begins. simpl in begins. rewrite below in begins.
    apply begins; [auto | exact inv | constructor].
  - simpl (_ <? _). cbv iota. rewrite Nat.sub_0_r. unfold building.
    rewrite same, skipn_all. simpl.
    pose proof (starts knowing (g, (l, k)) []) as begins. simpl in begins. rewrite below in begins. rewrite <- same.
    apply begins; [auto | exact I | constructor].
Qed.

(** Each of its steps is one. *)
Lemma from_start_moves k l ρ i : initial Y (ρ 0) -> i < steps_before -> moves knowing (from_start k l ρ i) (from_start k l ρ (1 + i)).
Proof.
  intros init less. inversion init as [[g m] w cond inv lies start].
  pose proof (lie_length _ _ lies) as same.
  assert (size : steps_before = 1 + length w) by (unfold steps_before in *; destruct (start_below Y); simpl in *; lia).
  destruct (Nat.eq_dec i (length w)) as [-> | other].
  - (* the top, last of all *)
    pose proof (from_start_later k l ρ 0) as last. rewrite Nat.add_0_r, size in last. rewrite last.
    unfold from_start. rewrite <- start. simpl fst.
    replace (length w <? steps_before) with true by (symmetry; apply Nat.ltb_lt; lia).
    rewrite same, Nat.sub_diag. unfold building. simpl.
    apply (by_step knowing); [apply start_known; auto | exact inv].
  - unfold from_start. rewrite <- start. simpl fst.
    replace (i <? steps_before) with true by (symmetry; apply Nat.ltb_lt; lia).
    replace (1 + i <? steps_before) with true by (symmetry; apply Nat.ltb_lt; lia).
    rewrite same. replace (length w - i) with (1 + (length w - (1 + i))) by lia.
    destruct (lies_nth _ w (length w - (1 + i)) lies ltac:(lia)) as [γ [s [nth [fit shape]]]].
    unfold building. rewrite shape. cbn [knowing_frames knows].
    apply (by_call knowing _ (g, (l, knows k (skipn (1 + (length w - (1 + i))) w))) _ (g, (l, told_by γ s))); [| exact I].
    apply (build_known _ γ (g, (l, knows k (skipn (1 + (length w - (1 + i))) w)))); auto.
Qed.

(** ** Runs that may be blocked show the same *)

(** What is not seen, what is shown, and the condition, of the system in which frames know. *)
Definition hidden_known (h : head P symbol) : Prop :=
  match snd h with own γ => hidden (fst h, γ) | start_number _ => True end.

Definition holds_known (b : bool) (a : atom) (h : head P symbol) (n : values G (L * K)) : Prop :=
  match snd h with own γ => holds b a (fst h, γ) (plain n) | start_number _ => False end.

Variable guard : head P symbol -> values G (L * K) -> Prop.

(** A run that is blocked at N, which the guard tells from what the frame on top knows; or one that goes on for ever. *)
Definition may_be_blocked (k : K) (ρ : nat -> config P Sym G L) (N : option nat) : Prop :=
  initial Y (ρ 0) /\ (forall i, stays N i = false -> moves Y (ρ i) (ρ (1 + i))) /\
  forall N', N = Some N' -> exists h n w, ρ N' = on_top h n w /\ ~ hidden h /\ invariant Y (snd h) n /\
    guard (fst h, own (snd h)) (fst n, (snd n, knows k w)).

Definition later (N : option nat) : option nat := match N with None => None | Some N => Some (steps_before + N) end.

Lemma stays_later N i : stays (later N) (steps_before + i) = stays N i.
Proof.
  destruct N as [N |]; simpl; [| reflexivity].
  destruct (N <=? i) eqn:is; [apply Nat.leb_le in is; apply Nat.leb_le | apply Nat.leb_gt in is; apply Nat.leb_gt]; lia.
Qed.

Lemma stays_early N i : i < steps_before -> stays (later N) i = false.
Proof. intro less. destruct N as [N |]; simpl; [apply Nat.leb_gt; lia | reflexivity]. Qed.

Lemma from_start_stutters k l ρ N :
  nothing k -> may_be_blocked k ρ N -> stutters knowing hidden_known guard (from_start k l ρ) (later N).
Proof.
  intros none [init [go blocked]]. split; [apply from_start_begins; auto |]. split.
  - intros i on. destruct (le_lt_dec steps_before i) as [after | early]; [| apply from_start_moves; auto].
    replace i with (steps_before + (i - steps_before)) in * by lia. rewrite stays_later in on.
    replace (1 + (steps_before + (i - steps_before))) with (steps_before + (1 + (i - steps_before))) by lia.
    rewrite !from_start_later. apply move_image. apply go. exact on.
  - intros N' is. destruct N as [N |]; inversion is; subst.
    destruct (blocked N eq_refl) as [[p γ] [[g m] [w [at_N [vis [inv is_guard]]]]]].
    exists (p, own γ), (g, (m, knows k w)), (knowing_frames k w).
    rewrite from_start_later, at_N. repeat split; auto.
Qed.

(** The configurations, with the guess whether they are stuck. *)
Lemma stuttered_later k l ρ N i : stuttered (from_start k l ρ) (later N) (steps_before + i) = guess (stays N i) (image k (ρ (at_most N i))).
Proof.
  unfold stuttered. rewrite stays_later. f_equal.
  replace (at_most (later N) (steps_before + i)) with (steps_before + at_most N i) by (destruct N; simpl; lia).
  apply from_start_later.
Qed.

Lemma seen_later k l ρ N i :
  seen hidden_known (stuttered (from_start k l ρ) (later N)) (steps_before + i) <-> seen hidden (stuttered ρ N) i.
Proof.
  unfold seen. rewrite stuttered_later. unfold stuttered.
  destruct (ρ (at_most N i)) as [[p γ] [g m] w | p r]; simpl; split; intros [h [n [v [is vis]]]]; inversion is; subst; simpl in *; eauto 6.
Qed.

Lemma not_seen_early k l ρ N i : initial Y (ρ 0) -> i < steps_before -> ~ seen hidden_known (stuttered (from_start k l ρ) (later N)) i.
Proof.
  intros init less [h [n [v [is vis]]]]. unfold stuttered in is. rewrite stays_early in is by exact less.
  replace (at_most (later N) i) with i in is by (destruct N; simpl; lia).
  unfold from_start in is. inversion init as [n0 w cond inv lies start]. rewrite <- start in is.
  replace (i <? steps_before) with true in is by (symmetry; apply Nat.ltb_lt; lia).
  unfold building in is. simpl in is. inversion is; subst. apply vis. exact I.
Qed.

Theorem shows_the_same k l ρ N word :
  initial Y (ρ 0) -> word_of hidden (holds_told holds) (stuttered ρ N) word ->
  word_of hidden_known (holds_told holds_known) (stuttered (from_start k l ρ) (later N)) word.
Proof.
  intros init [often_seen [count [[begins counts] letters]]]. split.
  - intro M. destruct (often_seen M) as [i [after is]]. exists (steps_before + i). split; [lia |]. apply seen_later. exact is.
  - exists (fun i => count (i - steps_before)). split.
    + split; [exact begins |]. intro i. destruct (le_lt_dec steps_before i) as [after | early].
      * replace i with (steps_before + (i - steps_before)) by lia. rewrite seen_later.
        replace (1 + (steps_before + (i - steps_before)) - steps_before) with (1 + (i - steps_before)) by lia.
        replace (steps_before + (i - steps_before) - steps_before) with (i - steps_before) by lia. apply counts.
      * pose proof (not_seen_early k l ρ N i init early). split; [contradiction |]. intros _.
        replace (1 + i - steps_before) with 0 by lia. replace (i - steps_before) with 0 by lia. reflexivity.
    + intros i h n w at_i vis a. destruct (le_lt_dec steps_before i) as [after | early].
      2: { exfalso. apply (not_seen_early k l ρ N i init early). exists h, n, w. auto. }
      replace i with (steps_before + (i - steps_before)) in at_i by lia. rewrite stuttered_later in at_i.
      destruct (ρ (at_most N (i - steps_before))) as [[p γ] [g m] v | p r] eqn:at_ρ; simpl in at_i; [| discriminate].
      inversion at_i; subst. unfold hidden_known in vis. simpl in vis.
      apply (letters (i - steps_before) (p, γ) ((g, stays N (i - steps_before)), m) v); [| exact vis].
      unfold stuttered. rewrite at_ρ. reflexivity.
Qed.

End Known.

(** So a certificate that no stuttering run of the system in which frames know what lies below is marked infinitely often, whatever watches, shows the formula of all runs
    that may be blocked where the guard tells so. *)
Theorem certified_formula_holds_knowing {P Sym G L K atom : Type} (Y : system P Sym G L) hidden (holds : bool -> atom -> head P Sym -> values G L -> Prop)
  (told_by : Sym -> L -> K) nothing (guard : head P (symbol Y) -> values G (L * K) -> Prop) (f : @formula atom) (promises : list (@signed atom)) (Debts Turn : Type) is_owed owing number turning A S edges cuts T :
  (forall χ, In χ promises -> promise χ <> []) ->
  (forall Q : @signed atom -> Prop, (forall χ, Q χ -> In χ (debts f)) -> forall χ, is_owed (owing Q) χ <-> Q χ) ->
  (forall i, i = 0 \/ i < length promises -> number (turning i) = i) ->
  finite P -> finite Sym -> finite G -> finite L -> finite K -> finite Debts -> finite Turn ->
  let Watch := (Debts * Turn)%type in
  let at_start := owed_at_start f Debts Turn is_owed number in
  let follows := owed_follows promises Debts Turn is_owed number in
  let marks := owed_marks promises Debts Turn is_owed number in
  let Z := knowing Y K told_by nothing in
  let hides := hidden_known Y hidden in
  let shows := holds_known Y holds K in
  let W := stuttering Z hides guard shows Watch at_start follows marks in
  inductive_sets W A S -> carry W A S edges -> stuttering_ends Z hides guard shows Watch at_start follows marks A S edges cuts T ->
  forall k ρ N, nothing k -> may_be_blocked Y hidden K told_by guard k ρ N ->
  forall word, word_of hidden (holds_told holds) (stuttered ρ N) word -> sat word 0 f.
Proof.
  intros are_promises owed_said turns_said fP fSym fG fL fK fD fT Watch at_start follows marks Z hides shows W sets carried rules k ρ N none is_run word is_word.
  assert (exists l : L, True) as [l _] by (destruct (proj1 is_run) as [n]; exists (snd n); exact I).
  assert (run_Z := from_start_stutters Y hidden K told_by nothing guard k l ρ N none is_run).
  assert (word_Z := shows_the_same Y hidden holds K told_by k l ρ N word (proj1 is_run) is_word).
  exact (certified_formula_holds_stuttering Z hides guard shows f promises Debts Turn is_owed owing number turning A S edges cuts T
    are_promises owed_said turns_said fP (finite_symbol Y fSym) fG (finite_pairs _ _ fL fK) fD fT sets carried rules _ _ run_Z word word_Z).
Qed.

Print Assumptions certified_formula_holds_knowing.
