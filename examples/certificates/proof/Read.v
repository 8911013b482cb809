(** Why a certificate about the system whose stack is read shows that no run comes to a configuration of a regular set (CERTIFICATES.md, Sets of
    configurations). *)

Require Import List.
Require Import Reach.
Import ListNotations.

Section Read.
Context {P Sym G L : Type}.
Variable Y : system P Sym G L.

(** Heads that silent rules leave, in which no run is seen. *)
Variable hidden : head P Sym -> Prop.

(** An automaton that reads stacks from the top, whose states carry values: edges from control locations, from states, and from control locations that read
    nothing (none, where configurations with the empty stack do not count); states in which a stack may end. *)
Variable State Carried : Type.
Variable first_edge : P -> Sym -> State -> values G L -> Carried -> Prop.
Variable edge : State -> Sym -> State -> Carried -> L -> Carried -> Prop.
Variable empty_edge : P -> State -> G -> Carried -> Prop.
Variable final : State -> Prop.

Inductive accepts : State -> Carried -> list (frame Sym L) -> Prop :=
| accepts_end s c : final s -> accepts s c []
| accepts_frame s c γ l t c' w : edge s γ t c l c' -> accepts t c' w -> accepts s c ((γ, l) :: w).

Inductive in_set : config P Sym G L -> Prop :=
| in_set_on_top p γ n w s c : first_edge p γ s n c -> accepts s c w -> in_set (on_top (p, γ) n w)
| in_set_emptied p r s c : empty_edge p s r c -> final s -> in_set (emptied p r).

(** ** The system whose stack is read *)

(** Which symbols have an invariant; that of others is true. *)
Variable guarded : Sym -> bool.
Hypothesis unguarded : forall γ n, guarded γ = false -> invariant Y γ n.
Hypothesis same_state : forall s t : State, {s = t} + {s <> t}.

(** Symbols: those of the system, [@below] of each, and [@bottom]; control locations: those of the system, and [@state s]. *)
Inductive symbol : Type := own (γ : Sym) | below (γ : Sym) | bottom.
Definition control : Type := P + State.

(** What lies below in place of a symbol. *)
Definition low (γ : Sym) : symbol := if guarded γ then below γ else own γ.

(** The globals [@carried s]: what each state carries. After a step into t what t carries may be anything that the edge allows, others keep theirs. *)
Definition carrying : Type := State -> Carried.
Definition others_keep (t : State) (k k' : carrying) : Prop := forall s, s <> t -> k' s = k s.

Definition plain (n : values (G * carrying) L) : values G L := (fst (fst n), snd n).
Definition carries (n : values (G * carrying) L) : carrying := snd (fst n).

Inductive read_step : head control symbol -> values (G * carrying) L -> head control symbol -> values (G * carrying) L -> Prop :=
| step_of_system p γ n q γ' n' :
    step Y (p, γ) (plain n) (q, γ') (plain n') -> carries n' = carries n ->
    read_step (inl p, own γ) n (inl q, own γ') n'
| uncovered p γ n : read_step (inl p, below γ) n (inl p, own γ) n
| reads_nothing p s g k l k' l' :
    empty_edge p s g (k' s) -> others_keep s k k' ->
    read_step (inl p, bottom) ((g, k), l) (inr s, bottom) ((g, k'), l').

Inductive read_ret : head control symbol -> values (G * carrying) L -> control -> G * carrying -> Prop :=
| return_of_system p γ n q r :
    ret Y (p, γ) (plain n) q r -> read_ret (inl p, own γ) n (inl q) (r, carries n)
| reads_top p γ g k l s k' :
    ~ hidden (p, γ) -> first_edge p γ s (g, l) (k' s) -> others_keep s k k' ->
    read_ret (inl p, own γ) ((g, k), l) (inr s) (g, k')
| reads_frame s γ g k l t k' :
    edge s γ t (k s) l (k' t) -> others_keep t k k' ->
    read_ret (inr s, low γ) ((g, k), l) (inr t) (g, k').

Inductive read_call :
  head control symbol -> values (G * carrying) L -> head control symbol -> values (G * carrying) L -> symbol -> L -> Prop :=
| call_of_system p γ n q γ' n' γ'' s :
    call Y (p, γ) (plain n) (q, γ') (plain n') γ'' s -> carries n' = carries n ->
    read_call (inl p, own γ) n (inl q, own γ') n' (low γ'') s.

Definition read : system control symbol (G * carrying) L := {|
  step := read_step;
  ret := read_ret;
  call := read_call;
  invariant γ n := match γ with own γ => invariant Y γ (plain n) | _ => True end;
  start_head := (inl (fst (start_head Y)), own (snd (start_head Y)));
  start_below := map low (start_below Y) ++ [bottom];
  start_condition n := start_condition Y (plain n);
  fits γ l := match γ with own γ | below γ => fits Y γ l | bottom => True end
|}.

(** The targets: ⟨[@state s], [@bottom]⟩ for the states s in which a stack may end. *)
Inductive target : head control symbol -> Prop :=
| is_target s : final s -> target (inr s, bottom).

(** ** Runs of the system are runs of that *)

Definition low_frames (w : list (frame Sym L)) (l : L) : list (frame symbol L) :=
  map (fun f => (low (fst f), snd f)) w ++ [(bottom, l)].

(** A configuration, with whatever is carried and whatever locals [@bottom] has. *)
Definition image (k : carrying) (l : L) (c : config P Sym G L) : config control symbol (G * carrying) L :=
  match c with
  | on_top h n w => on_top (inl (fst h), own (snd h)) ((fst n, k), snd n) (low_frames w l)
  | emptied p r => on_top (inl p, bottom) ((r, k), l) []
  end.

(** What lies below has no invariant. *)
Lemma low_invariant γ n : invariant read (low γ) n.
Proof.
  unfold low. destruct (guarded γ) eqn:is; simpl; auto.
Qed.

Lemma initial_image c k : initial Y c -> exists l, reachable read (image k l c).
Proof.
  intros [[g l] w cond inv lies]. exists l. apply reached_at_start.
  apply (starts read ((g, k), l)); simpl; auto.
  apply Forall2_app; [| repeat constructor].
  induction lies as [|γ [δ m] symbols w [name fit] lies IH]; constructor; auto.
  simpl in *. subst. split; [reflexivity |]. unfold low. destruct (guarded γ); exact fit.
Qed.

(** A symbol that is uncovered becomes itself again. *)
Lemma rise p γ n w : invariant Y γ (plain n) -> reachable read (on_top (inl p, low γ) n w) -> reachable read (on_top (inl p, own γ) n w).
Proof.
  unfold low. destruct (guarded γ); [| auto]. intros inv at_c.
  eapply reached_by_move; [exact at_c |]. apply (by_step read); [apply uncovered | exact inv].
Qed.

Lemma move_image c c' k l : moves Y c c' -> reachable read (image k l c) -> reachable read (image k l c').
Proof.
  intros move at_c. destruct move as [[p γ] [g m] [q γ'] [g' m'] w rule inv | [p γ] [g m] [q γ'] [g' m'] γ'' s w rule inv
                                     | [p γ] [g m] q r δ s w rule inv | [p γ] [g m] q r rule]; simpl in *.
  - eapply reached_by_move; [exact at_c |]. apply (by_step read); [apply step_of_system; auto | exact inv].
  - eapply reached_by_move; [exact at_c |]. apply (by_call read); [apply call_of_system; auto | exact inv].
  - apply rise; [exact inv |]. eapply reached_by_move; [exact at_c |].
    apply (by_return read); [apply (return_of_system p γ ((g, k), m)); exact rule | apply low_invariant].
  - eapply reached_by_move; [exact at_c |].
    apply (by_return read); [apply (return_of_system p γ ((g, k), m)); exact rule | exact I].
Qed.

Lemma reachable_image c : reachable Y c -> forall k, exists l, reachable read (image k l c).
Proof.
  induction 1 as [c init | c c' _ IH move]; intro k; [apply initial_image; exact init |].
  destruct (IH k) as [l at_c]. exists l. exact (move_image c c' k l move at_c).
Qed.

(** ** And stacks are read *)

(** What a state carries from now on. *)
Definition carry_on (k : carrying) (t : State) (c : Carried) : carrying :=
  fun s => if same_state s t then c else k s.

Lemma carry_on_self k t c : carry_on k t c t = c.
Proof. unfold carry_on. destruct (same_state t t); congruence. Qed.

Lemma carry_on_others k t c : others_keep t k (carry_on k t c).
Proof. intros s other. unfold carry_on. destruct (same_state s t); congruence. Qed.

(** What a state accepts is read down to the bottom. *)
Lemma frames_are_read s c w g k l :
  accepts s c w -> k s = c ->
  (forall γ v rest, low_frames w l = (γ, v) :: rest -> reachable read (on_top (inr s, γ) ((g, k), v) rest)) ->
  exists t n, final t /\ reachable read (on_top (inr t, bottom) n []).
Proof.
  intros acc. revert k. induction acc as [s c fin | s c γ v t c' w takes acc IH]; intros k has_c at_c.
  - exists s, ((g, k), l). split; [exact fin |]. exact (at_c bottom l [] eq_refl).
  - subst c. apply (IH (carry_on k t c')); [apply carry_on_self |].
    intros δ u rest shape.
    apply reached_by_move with (c := on_top (inr s, low γ) ((g, k), v) (low_frames w l)).
    + exact (at_c (low γ) v (low_frames w l) eq_refl).
    + rewrite shape. apply (by_return read).
      * apply reads_frame; [rewrite carry_on_self; exact takes | apply carry_on_others].
      * destruct w as [|[ε x] w]; simpl in shape; inversion shape; [exact I | apply low_invariant].
Qed.

(** A configuration of the set is read down to a target, if it is one in which a run is seen. *)
Theorem set_is_read c :
  reachable Y c -> in_set c -> (forall h n w, c = on_top h n w -> ~ hidden h) -> inhabited Carried ->
  exists h n, target h /\ reachable read (on_top h n []).
Proof.
  intros at_c inside seen [some].
  destruct (reachable_image c at_c (fun _ => some)) as [l at_image].
  destruct inside as [p γ [g m] w s c first acc | p r s c first fin]; simpl in at_image.
  - destruct (frames_are_read s c w g (carry_on (fun _ => some) s c) l acc (carry_on_self _ _ _)) as [t [n [fin at_bottom]]].
    + intros δ u rest shape. rewrite shape in at_image. eapply reached_by_move; [exact at_image |].
      apply (by_return read).
      * apply reads_top; [apply (seen _ _ _ eq_refl) | rewrite carry_on_self; exact first | apply carry_on_others].
      * destruct w as [|[ε x] w]; simpl in shape; inversion shape; [exact I | apply low_invariant].
    + exists (inr t, bottom), n. split; [constructor; exact fin | exact at_bottom].
  - exists (inr s, bottom), ((r, carry_on (fun _ => some) s c), l). split; [constructor; exact fin |].
    eapply reached_by_move; [exact at_image |].
    apply (by_step read); [| exact I]. apply reads_nothing; [rewrite carry_on_self; exact first | apply carry_on_others].
Qed.

(** _No run comes to the set._ *)
Theorem certified_set_is_not_reached A S :
  inhabited Carried -> inductive_sets read A S -> rule7 A target ->
  forall c, reachable Y c -> (forall h n w, c = on_top h n w -> ~ hidden h) -> ~ in_set c.
Proof.
  intros some sets seven c at_c seen inside.
  destruct (set_is_read c at_c inside seen some) as [h [n [is at_target]]].
  exact (no_target_is_reached read A S sets target seven h n [] is at_target).
Qed.

End Read.

Print Assumptions certified_set_is_not_reached.
