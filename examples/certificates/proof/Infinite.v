(** What comes infinitely often, and of finitely many things some one. With excluded middle. *)

Require Import List Arith Lia Classical.
Import ListNotations.

(** A type with finitely many elements. *)
Definition finite (X : Type) : Prop := exists all : list X, forall x, In x all.

(** It is so infinitely often. *)
Definition often (Q : nat -> Prop) : Prop := forall N, exists i, N <= i /\ Q i.

(** Pairs of finitely many things are finitely many. *)
Lemma finite_pairs X Y : finite X -> finite Y -> finite (X * Y).
Proof.
  intros [xs all_x] [ys all_y]. exists (list_prod xs ys).
  intros [x y]. apply in_prod; auto.
Qed.

(** What does not come infinitely often does not come from some time on. *)
Lemma not_often Q : ~ often Q -> exists N, forall i, N <= i -> ~ Q i.
Proof.
  intro seldom. apply NNPP. intro none. apply seldom. intro N. apply NNPP. intro never.
  apply none. exists N. intros i later now. apply never. eauto.
Qed.

Lemma often_weaker (Q R : nat -> Prop) : (forall i, Q i -> R i) -> often Q -> often R.
Proof.
  intros weaker always N. destruct (always N) as [i [later now]]. eauto.
Qed.

(** If one of finitely many things comes infinitely often, one does. *)
Lemma pigeonhole X (Q : nat -> Prop) (R : nat -> X -> Prop) :
  finite X -> often Q -> (forall i, Q i -> exists x, R i x) -> exists x, often (fun i => Q i /\ R i x).
Proof.
  intros [all everything] always some.
  assert (among : often (fun i => Q i /\ exists x, In x all /\ R i x)).
  { apply often_weaker with (2 := always). intros i now. destruct (some i now); eauto. }
  clear always some everything. induction all as [|x rest IH].
  - destruct (among 0) as [i [_ [_ [x [[] _]]]]].
  - destruct (classic (often (fun i => Q i /\ R i x))) as [this | seldom]; [eauto |].
    apply not_often in seldom as [N never]. apply IH. intro M.
    destruct (among (N + M)) as [i [later [now [y [[-> | inside] related]]]]].
    + exfalso. apply (never i); [lia | auto].
    + exists i. split; [lia | eauto].
Qed.

(** From some time on, of finitely many things only those come that come infinitely often. *)
Lemma settles X (R : nat -> X -> Prop) :
  finite X -> exists N, forall i x, N <= i -> R i x -> often (fun j => R j x).
Proof.
  intros [all everything].
  assert (list_settles : exists N, forall i x, In x all -> N <= i -> R i x -> often (fun j => R j x)).
  { clear everything. induction all as [|x rest [N IH]]; [exists 0; intros i x [] |].
    destruct (classic (often (fun j => R j x))) as [this | seldom].
    - exists N. intros i y [<- | inside]; eauto.
    - apply not_often in seldom as [M never]. exists (N + M).
      intros i y [<- | inside] later now.
      + exfalso. apply (never i); [lia | auto].
      + apply (IH i y inside); [lia | auto]. }
  destruct list_settles as [N known]. exists N. eauto.
Qed.

(** The first time that something is so. *)
Lemma first (Q : nat -> Prop) : (exists i, Q i) -> exists i, Q i /\ forall j, j < i -> ~ Q j.
Proof.
  intros [i now]. induction i as [i IH] using lt_wf_ind.
  destruct (classic (exists j, j < i /\ Q j)) as [[j [less before]] | none]; [eauto |].
  exists i. split; [exact now | intros j less before; eauto].
Qed.

(** The lowest value from some time on. *)
Lemma lowest (f : nat -> nat) N : exists i, N <= i /\ forall j, N <= j -> f i <= f j.
Proof.
  destruct (first (fun v => exists i, N <= i /\ f i = v)) as [v [[i [later here]] least]]; [eauto |].
  exists i. split; [exact later |]. intros j later'.
  destruct (le_lt_dec (f i) (f j)); [auto |]. exfalso. apply (least (f j)); [lia | eauto].
Qed.
