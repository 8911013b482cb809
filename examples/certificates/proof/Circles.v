(** Cuts, the circles of a graph of heads, and rules 8′, 9′, 10, 11′ and 8, 9, 10, 11 of CERTIFICATES.md. *)

Require Import List Relations.
Require Import Reach Edges.
Import ListNotations.

Section Circles.
Context {P Sym : Type}.
Notation head := (head P Sym).

(** A graph, of those heads only of which something is so. *)
Definition among (allowed : head -> Prop) (edges : head -> head -> Prop) (h h' : head) : Prop :=
  edges h h' /\ allowed h /\ allowed h'.

(** d is listed before the first place of c. *)
Fixpoint before (cuts : list head) (c d : head) : Prop :=
  match cuts with
  | [] => False
  | x :: rest => x <> c /\ (x = d \/ before rest c d)
  end.

(** The circle of a cut c: the heads that are on a circle with c among all heads but the cuts before c. *)
Definition on_circle (cuts : list head) (edges : head -> head -> Prop) (c h : head) : Prop :=
  clos_trans head (among (fun d => ~ before cuts c d) edges) c h /\
  clos_trans head (among (fun d => ~ before cuts c d) edges) h c.

(** One edge or more are none or more, and the other way round but for none. *)
Lemma trans_refl (R : head -> head -> Prop) h h' : clos_trans head R h h' -> clos_refl_trans head R h h'.
Proof.
  induction 1; eauto using rt_step, rt_trans.
Qed.

Lemma refl_trans (R : head -> head -> Prop) h h' : clos_refl_trans head R h h' -> h = h' \/ clos_trans head R h h'.
Proof.
  induction 1 as [h h' e | h | h h' h'' _ [-> | IH] _ [-> | IH']]; eauto using t_step, t_trans.
Qed.
End Circles.

(** ** Rules 8 to 11 of a system without a mark *)
Section Ends.
Context {P Sym G L : Type}.
Variable Y : system P Sym G L.
Variable A : tag P Sym G L -> head P Sym -> values G L -> Prop.
Variable S : tag P Sym G L -> P -> G -> Prop.
Variable edges : head P Sym -> head P Sym -> Prop.
Variable cuts : list (head P Sym).
Variable T : head P Sym -> head P Sym -> values G L -> values G L -> Prop.

Record ends : Prop := {
  rule8 : forall h, ~ clos_trans _ (among (fun d => ~ In d cuts) edges) h h;
  rule9 : forall c n h n',
    In c cuts -> in_some_A A c n -> goes Y S c n h n' -> on_circle cuts edges c h ->
    T c h n n';
  rule10 : forall c h m n h' n',
    In c cuts -> T c h m n -> on_circle cuts edges c h -> in_some_A A h n ->
    goes Y S h n h' n' -> on_circle cuts edges c h' ->
    T c h' m n';
  rule11 : forall c n, In c cuts -> ~ T c c n n
}.
End Ends.

(** ** The mark that stays, and rules 8′ to 11′ *)
Section Watched.
Context {P Sym G L : Type}.

(** Values with [@met]; n°, which is without it. *)
Definition met (n : values (G * bool) L) : bool := snd (fst n).
Definition bare (n : values (G * bool) L) : values G L := (fst (fst n), snd n).

(** A system in which each step from a head that is not hidden may be [marked], as its values before and the globals after it tell. *)
Variable Y : system P Sym G L.
Variable hidden : head P Sym -> Prop.
Variable marked : head P Sym -> values G L -> G -> Prop.

(** [@met'] → [@met] or the step is marked; silent rules leave it as it is. *)
Definition meets (h : head P Sym) (n : values G L) (g' : G) (b b' : bool) : Prop :=
  (hidden h -> b' = b) /\ (~ hidden h -> b' = true -> b = true \/ marked h n g').

(** The system with [@met] as one more global, which is false at the start. *)
Definition with_met : system P Sym (G * bool) L := {|
  step h n h' n' := step Y h (bare n) h' (bare n') /\ meets h (bare n) (fst (bare n')) (met n) (met n');
  ret h n p r := ret Y h (bare n) p (fst r) /\ meets h (bare n) (fst r) (met n) (snd r);
  call h n h' n' γ s := call Y h (bare n) h' (bare n') γ s /\ meets h (bare n) (fst (bare n')) (met n) (met n');
  invariant γ n := invariant Y γ (bare n);
  start_head := start_head Y;
  start_below := start_below Y;
  start_condition n := start_condition Y (bare n) /\ met n = false;
  fits := fits Y
|}.

Variable A : tag P Sym (G * bool) L -> head P Sym -> values (G * bool) L -> Prop.
Variable S : tag P Sym (G * bool) L -> P -> G * bool -> Prop.
Variable edges : head P Sym -> head P Sym -> Prop.
Variable cuts : list (head P Sym).
Variable T : head P Sym -> head P Sym -> values (G * bool) L -> values (G * bool) L -> Prop.

(** An edge counts along which values with [@met] false, of some A, go to values with [@met] true. *)
Definition counts (h h' : head P Sym) : Prop :=
  exists n n', in_some_A A h n /\ goes with_met S h n h' n' /\ met n = false /\ met n' = true.

Record marks_end : Prop := {
  rule8' : forall h h',
    counts h h' -> ~ In h cuts -> ~ In h' cuts ->
    ~ clos_refl_trans _ (among (fun d => ~ In d cuts) edges) h' h;
  rule9' : forall c n h n',
    In c cuts -> in_some_A A c n -> met n = false -> goes with_met S c n h n' -> on_circle cuts edges c h ->
    T c h n n';
  rule10' : forall c h m n h' n',
    In c cuts -> T c h m n -> on_circle cuts edges c h -> in_some_A A h n ->
    goes with_met S h n h' n' -> on_circle cuts edges c h' ->
    T c h' m n';
  rule11' : forall c n r, In c cuts -> T c c n r -> bare n = bare r -> met n = false -> met r = true -> False
}.
End Watched.
