(** Runs that may be blocked (CERTIFICATES.md, Which runs count: [stutter]): heads that are not hidden have one more rule, to themselves, guarded by a
    condition, with [@stuck] true. Why a certificate about that system shows the formula of all infinite runs, and of those that are blocked where
    the condition is true and stay there for ever; and the same of automata. *)

Require Import List Arith Lia Classical.
Require Import Reach Infinite Edges Circles Endless Formulas Turns Owed Watched Satisfied Accepted.
Import ListNotations.

Section Stutter.
Context {P Sym G L atom : Type}.
Notation head := (head P Sym).

Variable Y : system P Sym G L.
Variable hidden : head -> Prop.

(** The condition, and the propositions, which may tell whether a run is stuck. *)
Variable guard : head -> values G L -> Prop.
Variable holds : bool -> atom -> head -> values G L -> Prop.

(** What watches. *)
Variable Watch : Type.
Variable at_start : Watch -> Prop.
Variable follows marks : @letter atom -> Watch -> Watch -> Prop.

(** ** The system that certificates are about *)

(** What a rule that is stuck or not does to what watches and to [@met]. *)
Definition attends (stuck : bool) (h : head) (n : values ((G * Watch) * bool) L) (r : (G * Watch) * bool) : Prop :=
  watches hidden (holds stuck) Watch follows h (inner Watch (bare n)) (outer Watch (bare n)) (snd (fst r)) /\
  meets hidden (marked (holds stuck) Watch marks) h (bare n) (fst r) (met n) (snd r).

Definition stuttering : system P Sym ((G * Watch) * bool) L := {|
  step h n h' n' :=
    step Y h (inner Watch (bare n)) h' (inner Watch (bare n')) /\ attends false h n (fst n') \/
    ~ hidden h /\ guard h (inner Watch (bare n)) /\ h' = h /\ inner Watch (bare n') = inner Watch (bare n) /\ attends true h n (fst n');
  ret h n p r := ret Y h (inner Watch (bare n)) p (fst (fst r)) /\ attends false h n r;
  call h n h' n' γ s := call Y h (inner Watch (bare n)) h' (inner Watch (bare n')) γ s /\ attends false h n (fst n');
  invariant γ n := invariant Y γ (inner Watch (bare n));
  start_head := start_head Y;
  start_below := start_below Y;
  start_condition n := start_condition Y (inner Watch (bare n)) /\ at_start (outer Watch (bare n)) /\ met n = false;
  fits := fits Y
|}.

(** ** Another one, which guesses before each step whether it will be stuck, so that this is true of configurations *)

Definition told (n : values (G * bool) L) : bool := snd (fst n).
Definition untold (n : values (G * bool) L) : values G L := (fst (fst n), snd n).

Definition guessing : system P Sym (G * bool) L := {|
  step h n h' n' :=
    told n = false /\ step Y h (untold n) h' (untold n') \/
    told n = true /\ ~ hidden h /\ guard h (untold n) /\ h' = h /\ untold n' = untold n;
  ret h n p r := told n = false /\ ret Y h (untold n) p (fst r);
  call h n h' n' γ s := told n = false /\ call Y h (untold n) h' (untold n') γ s;
  invariant γ n := invariant Y γ (untold n);
  start_head := start_head Y;
  start_below := start_below Y;
  start_condition n := start_condition Y (untold n);
  fits := fits Y
|}.

Definition holds_told (a : atom) (h : head) (n : values (G * bool) L) : Prop := holds (told n) a h (untold n).

Definition guessing_watched := watched guessing hidden holds_told Watch at_start follows.
Definition guessing_marked := marked (P := P) (Sym := Sym) (L := L) holds_told Watch marks.
Definition guessing_met := with_met guessing_watched hidden guessing_marked.

(** Sets that know nothing of the guess. *)
Definition forget (n : values (((G * bool) * Watch) * bool) L) : values ((G * Watch) * bool) L :=
  match n with ((((g, _), o), m), l) => (((g, o), m), l) end.

Definition forget_globals (r : ((G * bool) * Watch) * bool) : (G * Watch) * bool :=
  match r with (((g, _), o), m) => ((g, o), m) end.

Definition forget_tag (t : tag P Sym (((G * bool) * Watch) * bool) L) : tag P Sym ((G * Watch) * bool) L :=
  match t with start m => start m | entered h e => entered h (forget e) end.

Lemma step_forgets h n h' n' : step guessing_met h n h' n' -> step stuttering h (forget n) h' (forget n').
Proof.
  destruct n as [[[[g b] o] m] l], n' as [[[[g' b'] o'] m'] l'].
  intros [[[[is rule] | [is rule]] watch] meet]; cbn in is; subst b; [left | right].
  - split; [exact rule | split; [exact watch | exact meet]].
  - destruct rule as [vis [holds_guard [same same_values]]].
    exact (conj vis (conj holds_guard (conj same (conj same_values (conj watch meet))))).
Qed.

Lemma ret_forgets h n p r : ret guessing_met h n p r -> ret stuttering h (forget n) p (forget_globals r).
Proof.
  destruct n as [[[[g b] o] m] l], r as [[[g' b'] o'] m'].
  intros [[[is rule] watch] meet]; cbn in is; subst b. split; [exact rule | split; [exact watch | exact meet]].
Qed.

Lemma call_forgets h n h' n' γ s : call guessing_met h n h' n' γ s -> call stuttering h (forget n) h' (forget n') γ s.
Proof.
  destruct n as [[[[g b] o] m] l], n' as [[[[g' b'] o'] m'] l'].
  intros [[[is rule] watch] meet]; cbn in is; subst b. split; [exact rule | split; [exact watch | exact meet]].
Qed.

Lemma invariant_forgets γ n : invariant guessing_met γ n -> invariant stuttering γ (forget n).
Proof. destruct n as [[[[g b] o] m] l]. auto. Qed.

Variable A : tag P Sym ((G * Watch) * bool) L -> head -> values ((G * Watch) * bool) L -> Prop.
Variable S : tag P Sym ((G * Watch) * bool) L -> P -> (G * Watch) * bool -> Prop.
Variable edges : head -> head -> Prop.
Variable cuts : list head.
Variable T : head -> head -> values ((G * Watch) * bool) L -> values ((G * Watch) * bool) L -> Prop.

(** Rules 8′, 9′, 10, 11′ of that system; n° is n without [@met]. *)
Record stuttering_ends : Prop := {
  stutter_rule8 : forall h n h' n',
    in_some_A A h n -> goes stuttering S h n h' n' -> met n = false -> met n' = true -> ~ In h cuts -> ~ In h' cuts ->
    ~ Relation_Operators.clos_refl_trans _ (among (fun d => ~ In d cuts) edges) h' h;
  stutter_rule9 : forall c n h n',
    In c cuts -> in_some_A A c n -> met n = false -> goes stuttering S c n h n' -> on_circle cuts edges c h -> T c h n n';
  stutter_rule10 : forall c h m n h' n',
    In c cuts -> T c h m n -> on_circle cuts edges c h -> in_some_A A h n -> goes stuttering S h n h' n' ->
    on_circle cuts edges c h' -> T c h' m n';
  stutter_rule11 : forall c n r, In c cuts -> T c c n r -> bare n = bare r -> met n = false -> met r = true -> False
}.

Hypothesis sets : inductive_sets stuttering A S.
Hypothesis carried : carry stuttering A S edges.
Hypothesis rules : stuttering_ends.

Definition A_told t h n := A (forget_tag t) h (forget n).
Definition S_told t p r := S (forget_tag t) p (forget_globals r).
Definition T_told c h m n := T c h (forget m) (forget n).

Lemma told_sets : inductive_sets guessing_met A_told S_told.
Proof.
  destruct sets as [r1 r2 r3 r4 r5 r6]. unfold A_told, S_told. constructor.
  - intros [[[[g b] o] m] l] [[cond starting] unmet] inv. apply (r1 (((g, o), m), l)); [| exact inv].
    split; [exact cond | split; [exact starting | exact unmet]].
  - intros t h n h' n' inA rule inv. exact (r2 _ _ _ _ _ inA (step_forgets _ _ _ _ rule) (invariant_forgets _ _ inv)).
  - intros t h n p r inA rule. exact (r3 _ _ _ _ _ inA (ret_forgets _ _ _ _ rule)).
  - intros t h n h' n' γ s inA rule inv. exact (r4 _ _ _ _ _ _ _ inA (call_forgets _ _ _ _ _ _ rule) (invariant_forgets _ _ inv)).
  - intros t h n h' n' γ s p r inA rule inv inS inv'. apply invariant_forgets in inv'.
    destruct r as [[[g b] o] m].
    exact (r5 _ _ _ _ _ _ _ _ _ inA (call_forgets _ _ _ _ _ _ rule) (invariant_forgets _ _ inv) inS inv').
  - intros m p r γ l inS nth fit inv. apply invariant_forgets in inv. destruct r as [[[g b] o] m'].
    exact (r6 _ _ _ _ _ inS nth fit inv).
Qed.

Lemma told_in_A h n : in_some_A A_told h n -> in_some_A A h (forget n).
Proof. intros [t inA]. exists (forget_tag t). exact inA. Qed.

Lemma told_goes h n h' n' : goes guessing_met S_told h n h' n' -> goes stuttering S h (forget n) h' (forget n').
Proof.
  destruct 1 as [h n h' n' rule inv | h n h' n' γ s rule inv | h n h' n' γ s p r rule inv back inv'].
  - apply goes_step; [apply step_forgets; exact rule | apply invariant_forgets; exact inv].
  - eapply goes_call; [apply call_forgets; exact rule | apply invariant_forgets; exact inv].
  - apply invariant_forgets in inv'. destruct r as [[[g b] o] m].
    exact (goes_back _ _ _ _ _ _ _ _ _ _ (call_forgets _ _ _ _ _ _ rule) (invariant_forgets _ _ inv) back inv').
Qed.

Lemma told_carried : carry guessing_met A_told S_told edges.
Proof.
  intros h n h' n' inA go. exact (carried _ _ _ _ (told_in_A _ _ inA) (told_goes _ _ _ _ go)).
Qed.

Lemma met_forgets n : met (forget n) = met n.
Proof. destruct n as [[[[g b] o] m] l]. reflexivity. Qed.

Lemma bare_forgets n r : bare n = bare r -> bare (forget n) = bare (forget r).
Proof.
  destruct n as [[[[g b] o] m] l], r as [[[[g' b'] o'] m'] l']. unfold bare. simpl. congruence.
Qed.

Lemma told_rules : marks_end guessing_watched hidden guessing_marked A_told S_told edges cuts T_told.
Proof.
  destruct rules as [r8 r9 r10 r11]. unfold T_told. constructor.
  - intros h h' [n [n' [inA [go [unmet is_met]]]]] no no'.
    apply (r8 h (forget n) h' (forget n')); auto using told_in_A; rewrite ?met_forgets; auto. apply told_goes. exact go.
  - intros c n h n' is_cut inA unmet go circle.
    apply r9; auto using told_in_A; rewrite ?met_forgets; auto. apply told_goes. exact go.
  - intros c h m n h' n' is_cut inT circle inA go circle'.
    exact (r10 _ _ _ _ _ _ is_cut inT circle (told_in_A _ _ inA) (told_goes _ _ _ _ go) circle').
  - intros c n r is_cut inT same unmet is_met.
    apply (r11 c _ _ is_cut inT (bare_forgets _ _ same)); rewrite met_forgets; auto.
Qed.

(** ** Runs that are blocked and those that are not *)

(** A configuration with a guess. *)
Definition guess (b : bool) (c : config P Sym G L) : config P Sym (G * bool) L :=
  match c with
  | on_top h (g, l) w => on_top h ((g, b), l) w
  | emptied p r => emptied p (r, b)
  end.

(** A run that goes on until i = N and stays there, or goes on for ever ([None]): its configurations, and which of its steps are stuck. *)
Definition stays (N : option nat) (i : nat) : bool :=
  match N with None => false | Some N => N <=? i end.

Definition at_most (N : option nat) (i : nat) : nat :=
  match N with None => i | Some N => Nat.min N i end.

Definition stutters (ρ : nat -> config P Sym G L) (N : option nat) : Prop :=
  initial Y (ρ 0) /\ (forall i, stays N i = false -> moves Y (ρ i) (ρ (1 + i))) /\
  forall N', N = Some N' -> exists h n w, ρ N' = on_top h n w /\ ~ hidden h /\ guard h n /\ invariant Y (snd h) n.

Definition stuttered (ρ : nat -> config P Sym G L) (N : option nat) (i : nat) : config P Sym (G * bool) L :=
  guess (stays N i) (ρ (at_most N i)).

Lemma stutters_run ρ N : stutters ρ N -> run guessing (stuttered ρ N).
Proof.
  intros [init [go blocked]]. unfold stuttered. split.
  - replace (at_most N 0) with 0 by (destruct N; simpl; lia).
    inversion init as [[g l] w cond inv lies start]. simpl. apply (starts guessing ((g, stays N 0), l)); auto.
  - intro i. destruct (stays N i) eqn:is.
    + destruct N as [N |]; [| discriminate]. simpl in is. apply Nat.leb_le in is.
      destruct (blocked N eq_refl) as [h [[g l] [w [at_N [vis [is_guard inv]]]]]].
      simpl. replace (Nat.min N i) with N by lia. replace (Nat.min N (Datatypes.S i)) with N by lia.
      rewrite at_N. simpl. apply (by_step guessing); [right; simpl; auto | exact inv].
    + specialize (go i is).
      assert (at_most N i = i) as -> by (destruct N as [N |]; simpl in *; [apply Nat.leb_gt in is; lia | reflexivity]).
      assert (at_most N (Datatypes.S i) = 1 + i) as -> by (destruct N as [N |]; simpl at_most; [simpl in is; apply Nat.leb_gt in is; lia | reflexivity]).
      destruct go as [h [g l] h' [g' l'] w rule inv | h [g l] h' [g' l'] γ s w rule inv | h [g l] p r γ s w rule inv | h [g l] p r rule].
      * apply (by_step guessing); [left; split; [reflexivity | exact rule] | exact inv].
      * apply (by_call guessing); [split; [reflexivity | exact rule] | exact inv].
      * apply (by_return guessing); [split; [reflexivity | exact rule] | exact inv].
      * apply (by_last_return guessing). split; [reflexivity | exact rule].
Qed.

End Stutter.

(** _Every run satisfies φ_, also one that is blocked where the condition is true, which stays there for ever. *)
Theorem certified_formula_holds_stuttering {P Sym G L atom : Type} (Y : system P Sym G L) hidden guard (holds : bool -> atom -> head P Sym -> values G L -> Prop)
  (f : @formula atom) (promises : list (@signed atom)) (Debts Turn : Type) is_owed owing number turning A S edges cuts T :
  (forall χ, In χ promises -> promise χ <> []) ->
  (forall Q : @signed atom -> Prop, (forall χ, Q χ -> In χ (debts f)) -> forall χ, is_owed (owing Q) χ <-> Q χ) ->
  (forall i, i = 0 \/ i < length promises -> number (turning i) = i) ->
  finite P -> finite Sym -> finite G -> finite L -> finite Debts -> finite Turn ->
  let Watch := (Debts * Turn)%type in
  let at_start := owed_at_start f Debts Turn is_owed number in
  let follows := owed_follows promises Debts Turn is_owed number in
  let marks := owed_marks promises Debts Turn is_owed number in
  let W := stuttering Y hidden guard holds Watch at_start follows marks in
  inductive_sets W A S -> carry W A S edges -> stuttering_ends Y hidden guard holds Watch at_start follows marks A S edges cuts T ->
  forall ρ N, stutters Y hidden guard ρ N ->
  forall word, word_of hidden (holds_told holds) (stuttered ρ N) word -> sat word 0 f.
Proof.
  intros are_promises owed_said turns_said fP fSym fG fL fD fT Watch at_start follows marks W sets carried rules ρ N is_run word is_word.
  assert (finite_bool : finite bool) by (exists [true; false]; intros []; simpl; auto).
  exact (certified_formula_holds (guessing Y hidden guard) hidden (holds_told holds) f promises are_promises Debts Turn is_owed owing number turning
    owed_said turns_said _ _ edges cuts _ fP fSym (finite_pairs _ _ fG finite_bool) fL fD fT
    (told_sets Y hidden guard holds Watch at_start follows marks A S sets)
    (told_carried Y hidden guard holds Watch at_start follows marks A S edges carried)
    (told_rules Y hidden guard holds Watch at_start follows marks A S edges cuts T rules)
    (stuttered ρ N) word (stutters_run Y hidden guard ρ N is_run) is_word).
Qed.

(** _No run is accepted_, nor one that is blocked and stays there. *)
Theorem certified_never_accepted_stuttering {P Sym G L atom : Type} (Y : system P Sym G L) hidden guard (holds : bool -> atom -> head P Sym -> values G L -> Prop)
  (State : Type) initial_state (reads : State -> @letter atom -> State -> (nat -> Prop) -> Prop) number_of_marks
  (Turn : Type) number turning A S edges cuts T :
  (forall s l m s' on, (forall a, l a <-> m a) -> reads s l s' on -> reads s m s' on) ->
  (forall i, i = 0 \/ i < number_of_marks -> number (turning i) = i) ->
  finite P -> finite Sym -> finite G -> finite L -> finite State -> finite Turn ->
  let Watch := (State * Turn)%type in
  let at_start := state_at_start State initial_state Turn number in
  let follows := state_follows State reads number_of_marks Turn number in
  let marks := state_marks State reads number_of_marks Turn number in
  let W := stuttering Y hidden guard holds Watch at_start follows marks in
  inductive_sets W A S -> carry W A S edges -> stuttering_ends Y hidden guard holds Watch at_start follows marks A S edges cuts T ->
  forall ρ N, stutters Y hidden guard ρ N ->
  forall word, word_of hidden (holds_told holds) (stuttered ρ N) word -> ~ accepted State initial_state reads number_of_marks word.
Proof.
  intros labels turns_said fP fSym fG fL fS fT Watch at_start follows marks W sets carried rules ρ N is_run word is_word.
  assert (finite_bool : finite bool) by (exists [true; false]; intros []; simpl; auto).
  exact (certified_never_accepted (guessing Y hidden guard) hidden (holds_told holds) State initial_state reads number_of_marks labels Turn number turning
    turns_said _ _ edges cuts _ fP fSym (finite_pairs _ _ fG finite_bool) fL fS fT
    (told_sets Y hidden guard holds Watch at_start follows marks A S sets)
    (told_carried Y hidden guard holds Watch at_start follows marks A S edges carried)
    (told_rules Y hidden guard holds Watch at_start follows marks A S edges cuts T rules)
    (stuttered ρ N) word (stutters_run Y hidden guard ρ N is_run) is_word).
Qed.

Print Assumptions certified_formula_holds_stuttering.
Print Assumptions certified_never_accepted_stuttering.
