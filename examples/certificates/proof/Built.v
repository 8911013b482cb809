(** Why a certificate about the system that builds a stack, which is then read, shows that no run from one regular set of configurations comes to another
    one (CERTIFICATES.md, Where runs begin). *)

Require Import List.
Require Import Reach Read.
Import ListNotations.

Section Built.
Context {P Sym G L : Type}.
Variable Y : system P Sym G L.

(** The automaton of the configurations in which runs begin. *)
Variable State Carried : Type.
Variable first_edge : P -> Sym -> State -> values G L -> Carried -> Prop.
Variable edge : State -> Sym -> State -> Carried -> L -> Carried -> Prop.
Variable empty_edge : P -> State -> G -> Carried -> Prop.
Variable final : State -> Prop.
Notation accepts := (accepts State Carried edge final).
Notation in_set := (in_set State Carried first_edge edge empty_edge final).

Hypothesis same_state : forall s t : State, {s = t} + {s <> t}.

(** Runs begin in configurations of the set; as for all starts, the invariant of the symbol on top is true. *)
Definition begins (c : config P Sym G L) : Prop :=
  in_set c /\ match c with on_top h n _ => invariant Y (snd h) n | emptied _ _ => True end.

Inductive reached_from_set : config P Sym G L -> Prop :=
| from_set c : begins c -> reached_from_set c
| from_set_by_move c c' : reached_from_set c -> moves Y c c' -> reached_from_set c'.

(** ** The system that builds *)

(** Control locations: those of the system, [@begin], and [@begin s]; symbols: those of the system, and [@top]; globals [@begun s]. *)
Inductive place : Type := here (p : P) | begin | building (s : State).
Inductive symbol : Type := mine (γ : Sym) | top.
Definition begun : Type := State -> Carried.

Definition inner (n : values (G * begun) L) : values G L := (fst (fst n), snd n).
Definition has_begun (n : values (G * begun) L) : begun := snd (fst n).

Inductive build_step : head place symbol -> values (G * begun) L -> head place symbol -> values (G * begun) L -> Prop :=
| built_step p γ n q γ' n' :
    step Y (p, γ) (inner n) (q, γ') (inner n') -> has_begun n' = has_begun n ->
    build_step (here p, mine γ) n (here q, mine γ') n'
| begins_at s g k l l' : final s -> build_step (begin, top) ((g, k), l) (building s, top) ((g, k), l')
| built p γ s g k l l' :
    first_edge p γ s (g, l') (k s) ->
    build_step (building s, top) ((g, k), l) (here p, mine γ) ((g, k), l').

Inductive build_ret : head place symbol -> values (G * begun) L -> place -> G * begun -> Prop :=
| built_ret p γ n q r : ret Y (p, γ) (inner n) q r -> build_ret (here p, mine γ) n (here q) (r, has_begun n)
| built_empty p s g k l : empty_edge p s g (k s) -> final s -> build_ret (begin, top) ((g, k), l) (here p) (g, k).

Inductive build_call : head place symbol -> values (G * begun) L -> head place symbol -> values (G * begun) L -> symbol -> L -> Prop :=
| built_call p γ n q γ' n' γ'' s :
    call Y (p, γ) (inner n) (q, γ') (inner n') γ'' s -> has_begun n' = has_begun n ->
    build_call (here p, mine γ) n (here q, mine γ') n' (mine γ'') s
| builds_frame s γ t g k k' l l' v :
    edge s γ t (k' s) v (k t) -> others_keep State Carried s k k' ->
    build_call (building t, top) ((g, k), l) (building s, top) ((g, k'), l') (mine γ) v.

Definition build : system place symbol (G * begun) L := {|
  step := build_step;
  ret := build_ret;
  call := build_call;
  invariant γ n := match γ with mine γ => invariant Y γ (inner n) | top => True end;
  start_head := (begin, top);
  start_below := [];
  start_condition n := True;
  fits γ l := match γ with mine γ => fits Y γ l | top => True end
|}.

(** A configuration of the system, with whatever has been built from. *)
Definition lift_frames (w : list (frame Sym L)) : list (frame symbol L) := map (fun f => (mine (fst f), snd f)) w.

Definition lift (k : begun) (c : config P Sym G L) : config place symbol (G * begun) L :=
  match c with
  | on_top h n w => on_top (here (fst h), mine (snd h)) ((fst n, k), snd n) (lift_frames w)
  | emptied p r => emptied (here p) (r, k)
  end.

(** Frames that the automaton accepts are built. *)
Lemma frames_are_built s c w (g : G) (l : L) :
  accepts s c w -> exists k : begun, k s = c /\ reachable build (on_top (building s, top) ((g, k), l) (lift_frames w)).
Proof.
  induction 1 as [s c fin | s c γ v t c' w takes _ [k [has_c at_t]]].
  - exists (fun _ => c). split; [reflexivity |].
    apply reached_by_move with (c := on_top (begin, top) ((g, fun _ => c), l) []).
    + apply reached_at_start. apply (starts build); simpl; auto. constructor.
    + apply (by_step build); [apply begins_at; exact fin | exact I].
  - exists (carry_on State Carried same_state k s c). split; [apply carry_on_self |].
    eapply reached_by_move; [exact at_t |].
    apply (by_call build); [| exact I].
    apply builds_frame; [rewrite carry_on_self, has_c; exact takes | apply carry_on_others].
Qed.

(** So are the configurations in which runs begin. *)
Lemma begins_built c : begins c -> inhabited L -> inhabited Carried -> exists k, reachable build (lift k c).
Proof.
  intros [inside inv] [l] [some]. destruct inside as [p γ [g m] w s c first acc | p r s c first fin].
  - destruct (frames_are_built s c w g l acc) as [k [has_c at_s]]. exists k.
    eapply reached_by_move; [exact at_s |].
    apply (by_step build); [apply built with (s := s); rewrite has_c; exact first | exact inv].
  - exists (fun _ => c). apply reached_by_move with (c := on_top (begin, top) ((r, fun _ => c), l) []).
    + apply reached_at_start. apply (starts build); simpl; auto. constructor.
    + apply (by_last_return build). apply built_empty with (s := s); auto.
Qed.

Lemma move_lifted c c' k : moves Y c c' -> reachable build (lift k c) -> reachable build (lift k c').
Proof.
  intros move at_c. destruct move as [[p γ] [g m] [q γ'] [g' m'] w rule inv | [p γ] [g m] [q γ'] [g' m'] γ'' s w rule inv
                                     | [p γ] [g m] q r δ s w rule inv | [p γ] [g m] q r rule]; simpl in *;
    (eapply reached_by_move; [exact at_c |]).
  - apply (by_step build); [apply built_step; auto | exact inv].
  - apply (by_call build); [apply built_call; auto | exact inv].
  - apply (by_return build); [apply (built_ret p γ ((g, k), m)); exact rule | exact inv].
  - apply (by_last_return build). apply (built_ret p γ ((g, k), m)). exact rule.
Qed.

(** What is reached from the set is reached when it has been built. *)
Theorem reached_built c : inhabited L -> inhabited Carried -> reached_from_set c -> exists k, reachable build (lift k c).
Proof.
  intros some some_carried. induction 1 as [c begin_c | c c' _ [k at_c] move]; [apply begins_built; auto |].
  exists k. exact (move_lifted c c' k move at_c).
Qed.

(** ** And then it is read *)

Variable hidden : head P Sym -> Prop.

(** The automaton of the configurations that are not to be reached. *)
Variable State' Carried' : Type.
Variable first_edge' : P -> Sym -> State' -> values G L -> Carried' -> Prop.
Variable edge' : State' -> Sym -> State' -> Carried' -> L -> Carried' -> Prop.
Variable empty_edge' : P -> State' -> G -> Carried' -> Prop.
Variable final' : State' -> Prop.

Variable guarded : Sym -> bool.
Hypothesis unguarded : forall γ n, guarded γ = false -> invariant Y γ n.
Hypothesis same_state' : forall s t : State', {s = t} + {s <> t}.

(** It reads what is the system's own, and nothing else. *)
Definition hidden_here (h : head place symbol) : Prop :=
  match h with (here p, mine γ) => hidden (p, γ) | _ => True end.

Definition first_here (p : place) (γ : symbol) (s : State') (n : values (G * begun) L) (c : Carried') : Prop :=
  match p, γ with here p, mine γ => first_edge' p γ s (inner n) c | _, _ => False end.

Definition edge_here (s : State') (γ : symbol) (t : State') (c : Carried') (l : L) (c' : Carried') : Prop :=
  match γ with mine γ => edge' s γ t c l c' | top => False end.

Definition empty_here (p : place) (s : State') (r : G * begun) (c : Carried') : Prop :=
  match p with here p => empty_edge' p s (fst r) c | _ => False end.

Definition guarded_here (γ : symbol) : bool := match γ with mine γ => guarded γ | top => false end.

Definition built_and_read :=
  read build hidden_here State' Carried' first_here edge_here empty_here guarded_here.

(** _No run that begins in a configuration of the first set comes to one of the second._ *)
Theorem certified_sets_do_not_meet A S :
  inhabited L -> inhabited Carried -> inhabited Carried' ->
  inductive_sets built_and_read A S -> rule7 A (target State' final') ->
  forall c, reached_from_set c -> (forall h n w, c = on_top h n w -> ~ hidden h) ->
  ~ Read.in_set State' Carried' first_edge' edge' empty_edge' final' c.
Proof.
  intros some some_carried some_carried' sets seven c at_c seen inside.
  destruct (reached_built c some some_carried at_c) as [k at_lift].
  refine (certified_set_is_not_reached build hidden_here State' Carried' first_here edge_here empty_here final' guarded_here
    _ same_state' A S some_carried' sets seven (lift k c) at_lift _ _).
  - intros [γ |] n is; simpl in *; auto.
  - intros h n w is. destruct c as [[p γ] m v | p r]; simpl in is; [| discriminate].
    inversion is; subst. exact (seen _ _ _ eq_refl).
  - destruct inside as [p γ n w s c first acc | p r s c first fin]; simpl.
    + apply in_set_on_top with (s := s) (c := c).
      * destruct n. exact first.
      * clear first seen at_c at_lift. induction acc as [s c fin | s c δ v t c' w takes _ IH]; [constructor; exact fin |].
        simpl. apply accepts_frame with (t := t) (c' := c'); [exact takes | exact IH].
    + apply in_set_emptied with (s := s) (c := c); [exact first | exact fin].
Qed.

End Built.

Print Assumptions certified_sets_do_not_meet.
