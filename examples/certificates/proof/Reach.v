(** Symbolic pushdown systems, inductive sets, and why these have everything in them that is reached: rules 1 to 7 of
    CERTIFICATES.md (in spds-format/). Names are those of that text. *)

Require Import List Arith Lia.
Import ListNotations.

(** ** Systems (SPEC.md)

    Control locations [P], stack symbols [Sym], values of all globals [G], and values of the locals of a frame [L], of whatever
    frame: which of them are values of the frame of a symbol is told by [fits]. *)

Section Systems.
Context {P Sym G L : Type}.

(** A head ⟨p, γ⟩; the values now, of the globals and of the locals of the symbol on top; a suspended frame, with its locals. *)
Definition head : Type := P * Sym.
Definition values : Type := G * L.
Definition frame : Type := Sym * L.

(** The rules are given by what they mean, all those from one head to another one together: a rule is a relation over values
    before and after, of which guard, updates, relation and implicit frame make one; two rules are their union. Silent rules are rules.
    [call h n h' n' γ s]: a rule h → ⟨q, γ' γ⟩, where h' = ⟨q, γ'⟩, leads from n to n' on top and leaves γ below, with locals s. *)
Record system : Type := {
  step : head -> values -> head -> values -> Prop;
  ret : head -> values -> P -> G -> Prop;
  call : head -> values -> head -> values -> Sym -> L -> Prop;
  invariant : Sym -> values -> Prop;
  start_head : head;
  start_below : list Sym;
  start_condition : values -> Prop;
  fits : Sym -> L -> Prop
}.

(** A configuration: a head, values, and what lies below, topmost first; or the empty stack, from which nothing goes on. *)
Inductive config : Type :=
| on_top (h : head) (n : values) (below : list frame)
| emptied (p : P) (r : G).

Definition height (c : config) : nat :=
  match c with on_top _ _ below => S (length below) | emptied _ _ => 0 end.

Variable Y : system.

(** Steps of configurations. The invariant is asked of the symbol that is on top after the step, and of no other. *)
Inductive moves : config -> config -> Prop :=
| by_step h n h' n' w :
    step Y h n h' n' -> invariant Y (snd h') n' ->
    moves (on_top h n w) (on_top h' n' w)
| by_call h n h' n' γ s w :
    call Y h n h' n' γ s -> invariant Y (snd h') n' ->
    moves (on_top h n w) (on_top h' n' ((γ, s) :: w))
| by_return h n p r γ s w :
    ret Y h n p r -> invariant Y γ (r, s) ->
    moves (on_top h n ((γ, s) :: w)) (on_top (p, γ) (r, s) w)
| by_last_return h n p r :
    ret Y h n p r ->
    moves (on_top h n []) (emptied p r).

(** What a step from a stack that is not empty does: a step, a call, or a return. *)
Lemma moves_from h n w c :
  moves (on_top h n w) c ->
  (exists h' n', step Y h n h' n' /\ invariant Y (snd h') n' /\ c = on_top h' n' w) \/
  (exists h' n' γ s, call Y h n h' n' γ s /\ invariant Y (snd h') n' /\ c = on_top h' n' ((γ, s) :: w)) \/
  (exists p r, ret Y h n p r /\
    match w with
    | [] => c = emptied p r
    | (γ, s) :: below => invariant Y γ (r, s) /\ c = on_top (p, γ) (r, s) below
    end).
Proof.
  inversion 1; subst; eauto 9.
Qed.

(** Frames that the start stack may have below its top: these symbols, each with any locals of its own. *)
Definition lie (symbols : list Sym) (w : list frame) : Prop :=
  Forall2 (fun γ f => fst f = γ /\ fits Y γ (snd f)) symbols w.

(** Start configurations satisfy the condition of the start and the invariant of the topmost symbol. *)
Inductive initial : config -> Prop :=
| starts n w :
    start_condition Y n -> invariant Y (snd (start_head Y)) n -> lie (start_below Y) w ->
    initial (on_top (start_head Y) n w).

Inductive reachable : config -> Prop :=
| reached_at_start c : initial c -> reachable c
| reached_by_move c c' : reachable c -> moves c c' -> reachable c'.

(** An infinite run. *)
Definition run (ρ : nat -> config) : Prop :=
  initial (ρ 0) /\ forall i, moves (ρ i) (ρ (S i)).

(** ** Inductive sets (CERTIFICATES.md) *)

(** A tag, together with the values at the entry if it is one of a call: [A (entered h e) k n] is (e, n) ∈ A(h, k), and
    [A (start m) k n] says that n is in A(start m, k), which knows of no entry. *)
Inductive tag : Type :=
| start (m : nat)
| entered (h : head) (e : values).

Variable A : tag -> head -> values -> Prop.
Variable S : tag -> P -> G -> Prop.

(** Rules 1 to 6. *)
Record inductive_sets : Prop := {
  rule1 : forall n,
    start_condition Y n -> invariant Y (snd (start_head Y)) n ->
    A (start 0) (start_head Y) n;
  rule2 : forall t h n h' n',
    A t h n -> step Y h n h' n' -> invariant Y (snd h') n' ->
    A t h' n';
  rule3 : forall t h n p r,
    A t h n -> ret Y h n p r ->
    S t p r;
  rule4 : forall t h n h' n' γ s,
    A t h n -> call Y h n h' n' γ s -> invariant Y (snd h') n' ->
    A (entered h' n') h' n';
  rule5 : forall t h n h' n' γ s p r,
    A t h n -> call Y h n h' n' γ s -> invariant Y (snd h') n' ->
    S (entered h' n') p r -> invariant Y γ (r, s) ->
    A t (p, γ) (r, s);
  rule6 : forall m p r γ l,
    S (start m) p r -> nth_error (start_below Y) m = Some γ -> fits Y γ l -> invariant Y γ (r, l) ->
    A (start (m + 1)) (p, γ) (r, l)
}.

(** Rule 7, of some targets. *)
Definition rule7 (target : head -> Prop) : Prop :=
  forall t h n, target h -> ~ A t h n.

(** ** What is kept by a run *)

(** [above t0 base t w]: the frames w lie below a part of the stack with tag t; they are [base], which lies below a part with tag t0, and
    above it frames each of which was suspended by a call from values in A of its own tag, which entered with the values of the tag
    of the part above it. *)
Inductive above (t0 : tag) (base : list frame) : tag -> list frame -> Prop :=
| above_here : above t0 base t0 base
| above_call t w h n h' n' γ s :
    above t0 base t w -> A t h n -> call Y h n h' n' γ s -> invariant Y (snd h') n' ->
    above t0 base (entered h' n') ((γ, s) :: w).

(** A configuration whose top is in A of its tag, and in which all is well down to [base]. *)
Inductive covered (t0 : tag) (base : list frame) : config -> Prop :=
| is_covered t h n w : A t h n -> above t0 base t w -> covered t0 base (on_top h n w).

(** What lies above [base] is [base] itself, or higher. *)
Lemma above_higher t0 base t w :
  above t0 base t w -> (t = t0 /\ w = base) \/ length base < length w.
Proof.
  induction 1 as [|t w h n h' n' γ s _ [[_ ->] | higher]]; simpl; auto with arith.
Qed.

(** At the height of [base] and one more, the tag is the first one and the frames below are [base]. *)
Lemma covered_low t0 base h n w :
  covered t0 base (on_top h n w) -> length w <= length base -> A t0 h n /\ w = base.
Proof.
  inversion 1 as [t h0 n0 w0 inA ab]; subst.
  destruct (above_higher _ _ _ _ ab) as [[-> ->] | higher]; [auto | lia].
Qed.

Hypothesis sets : inductive_sets.

(** Rules 2 to 5: a step that does not return into [base] keeps what is above it covered. *)
Lemma move_covered t0 base c c' :
  covered t0 base c -> moves c c' -> length base < height c' -> covered t0 base c'.
Proof.
  intros [t h n w inA ab] move high.
  inversion move; subst; simpl in high.
  - econstructor; eauto using rule2.
  - econstructor; eauto using rule4, above_call.
  - inversion ab as [|t' w' h1 n1 h' n' γ' s' ab' inA' called inv]; subst; simpl in high; [lia |].
    econstructor; eauto using rule3, rule5.
  - lia.
Qed.

(** The whole stack of a run: what is above those frames of the start stack that have not been uncovered yet. *)
Inductive well : config -> Prop :=
| is_well m base c : covered (start m) base c -> lie (skipn m (start_below Y)) base -> well c
| is_emptied p r : well (emptied p r).

(** The symbols after the first m + 1 begin with the one that is there. *)
Lemma skipn_nth m (symbols : list Sym) γ rest :
  skipn m symbols = γ :: rest -> nth_error symbols m = Some γ /\ skipn (m + 1) symbols = rest.
Proof.
  revert symbols; induction m as [|m IH]; intros [|δ symbols] same; simpl in *; try discriminate.
  - inversion same; auto.
  - auto.
Qed.

(** Rule 1: runs begin so. *)
Lemma initial_well c : initial c -> well c.
Proof.
  intros [n w cond inv lies].
  apply is_well with (m := 0) (base := w); [| exact lies].
  econstructor; [apply (rule1 sets); auto | apply above_here].
Qed.

(** And steps keep it: rule 6, where a frame of the start stack is uncovered. *)
Lemma move_well c c' : well c -> moves c c' -> well c'.
Proof.
  intros [m base c1 cov lies | p r] move; [| inversion move].
  destruct (le_lt_dec (height c') (length base)) as [low | high].
  2: eauto using is_well, move_covered.
  destruct cov as [t h n w inA ab].
  destruct (above_higher _ _ _ _ ab) as [[-> ->] | higher].
  - inversion move; subst; simpl in *; try lia; [| constructor].
    inversion lies as [|γ0 f rest w1 [name fit] lies' same]; simpl in *; subst.
    symmetry in same. apply skipn_nth in same as [nth rest_is].
    apply is_well with (m := m + 1) (base := w); [| rewrite rest_is; exact lies'].
    econstructor; [| apply above_here].
    eauto using rule3, rule6.
  - inversion move; subst; simpl in *; try lia.
    (* A return from a frame above [base] uncovers one that is above it, too. *)
Qed.

(** _Inductive sets have everything in them that is reached._ *)
Theorem reachable_well c : reachable c -> well c.
Proof.
  induction 1; eauto using initial_well, move_well.
Qed.

Corollary reachable_in_A h n w : reachable (on_top h n w) -> exists t, A t h n.
Proof.
  intro at_c. apply reachable_well in at_c.
  inversion at_c as [m base c cov lies |]; subst.
  inversion cov; subst; eauto.
Qed.

(** _So by 7 no run comes to a target._ *)
Theorem no_target_is_reached (target : head -> Prop) :
  rule7 target -> forall h n w, target h -> ~ reachable (on_top h n w).
Proof.
  intros seven h n w is_target at_c.
  apply reachable_in_A in at_c as [t inA].
  exact (seven t h n is_target inA).
Qed.

(** Configurations of a run are reachable. *)
Lemma run_reachable ρ : run ρ -> forall i, reachable (ρ i).
Proof.
  intros [init go] i. induction i; eauto using reached_at_start, reached_by_move.
Qed.

End Systems.

Arguments system : clear implicits.
Arguments config : clear implicits.
Arguments head : clear implicits.
Arguments values : clear implicits.
Arguments frame : clear implicits.
Arguments tag : clear implicits.

Print Assumptions reachable_well.
Print Assumptions no_target_is_reached.
