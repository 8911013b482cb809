"""Systems that are watched by a formula, as CERTIFICATES.md (in spds-format/) has them, by trying all values."""
import itertools
import re

from spds import Reader, System

TOKEN = re.compile(r'\s*(<->|->|[()!&|^]|\{[^{}]*\}|"[^"]*"|@?[A-Za-z_$][\w$./:]*|[01]|@\w+)')
INFIX = {"&", "|", "->", "<->", "^", "U", "R", "W", "M"}
DUAL = {"&": "|", "|": "&", "F": "G", "G": "F", "U": "R", "R": "U", "W": "M", "M": "W", "X": "X"}


def formula(text):
    """A formula with all its parentheses: (operator, operands…)."""
    words, at = [], 0
    while text[at:].strip():
        found = TOKEN.match(text, at)
        if not found:
            raise ValueError(f"this is no formula at `{text[at:at + 20]}`")
        words.append(found.group(1))
        at = found.end()
    parsed = side(words)
    if words:
        raise ValueError(f"nothing follows a formula, but there is `{words[0]}`")
    return parsed


def side(words):
    """Operands with one operator between them."""
    parts, op = [operand(words)], None
    while words and words[0] in INFIX:
        if op not in (None, words[0]) or op in ("->", "U", "R", "W", "M"):
            raise ValueError("there are parentheses around all operators")
        op = words.pop(0)
        parts.append(operand(words))
    return (op, *parts) if op else parts[0]


def operand(words):
    word = words.pop(0) if words else "nothing"
    if word == "(":
        inner = side(words)
        if not words or words.pop(0) != ")":
            raise ValueError("a parenthesis is not closed")
        return inner
    if word in ("!", "X", "F", "G"):
        return (word, operand(words))
    return (word in ("true", "1"),) if word in ("true", "false", "0", "1") else ("is", word)


class Watched(System):
    """A system whose runs are marked for ever again if they violate a formula; its last global is `@met`."""

    def __init__(self, text, wanted, runs):
        super().__init__(text)
        self.runs, root = runs, formula(wanted)
        order, self.parts = [], {}
        self.subformulas(root, order)
        self.taken_apart(root, True)
        signed = [(f, n) for f in order for n in (False, True) if (f, n) in self.parts]
        self.debts, self.promises = [(root, True)], []
        for one, negated in signed:
            debt = (one[1], negated) if one[0] == "X" else (one, negated)
            if one[0] in ("X", "F", "G", "U", "R", "W", "M") and debt not in self.debts:
                self.debts.append(debt)
            op = DUAL.get(one[0]) if negated else one[0]
            if op in ("F", "U", "M"):
                kept = [(part, negated) for part in (one[1:] if op == "M" else one[-1:])]
                self.promises.append((self.debts.index((one, negated)), kept))
        self.asks = [self.later(debt) for debt in self.debts]
        self.plain = list(self.globals)
        self.globals.update({f"@owed {n}": (0, None) for n in range(len(self.debts))})
        if len(self.promises) > 1:
            self.globals["@turn"] = ((len(self.promises) - 1).bit_length(), None)
        self.globals["@met"] = (0, None)
        self.known, self.sites = {}, []
        if runs == "stutter":
            self.know_below()

    def subformulas(self, one, order):
        """What a formula consists of, operands first."""
        for part in one[1:] if one[0] != "is" else ():
            self.subformulas(part, order)
        if one not in order:
            order.append(one)

    def taken_apart(self, one, negated):
        if (one, negated) in self.parts or one[0] == "is" or isinstance(one[0], bool):
            return
        signs = {"!": [(not negated,)], "->": [(not negated,), (negated,)]}.get(one[0], [(negated,)] * (len(one) - 1))
        signs = [(False, True)] * (len(one) - 1) if one[0] in ("^", "<->") else signs
        self.parts[one, negated] = [(part, sign) for part, several in zip(one[1:], signs) for sign in several]
        for part, sign in self.parts[one, negated]:
            self.taken_apart(part, sign)

    def later(self, signed):
        """What a debt asks for, after the step."""
        one, negated = signed
        if one[0] == "is" or isinstance(one[0], bool):
            return set()
        if one[0] == "X":
            return {self.debts.index((one[1], negated))}
        own = {self.debts.index(signed)} if one[0] in ("F", "G", "U", "R", "W", "M") else set()
        return own.union(*(self.later(part) for part in self.parts[signed]))

    def holds(self, signed, letter, owed):
        """Whether a formula, or its negation, holds now; `owed` is what is owed after the step."""
        one, negated = signed
        op = DUAL.get(one[0]) if negated and one[0] in DUAL else one[0]
        if isinstance(op, bool):
            return op != negated
        if op == "is":
            return letter(one[1]) != negated
        parts = [self.holds(part, letter, owed) for part in self.parts[signed]] if op != "X" else []
        if op in ("^", "<->"):
            odd, even = False, True
            for true, false in zip(parts[::2], parts[1::2]):
                odd, even = odd and false or even and true, even and false or odd and true
            return odd if ((op == "^" or len(one) % 2 == 0) != negated) else even
        if op == "X":
            return owed[self.debts.index((one[1], negated))] == 1
        if op == "!":
            return parts[0]
        if op in ("&", "|", "->"):
            return all(parts) if op == "&" or op == "->" and negated else any(parts)
        later, then, first = owed[self.debts.index(signed)] == 1, parts[-1], parts[0]
        return {"F": then or later, "G": then and later, "U": then or first and later, "W": then or first and later,
                "R": then and (first or later), "M": then and (first or later)}[op]

    def letter(self, symbol, state, stuck):
        def is_true(word):
            if word in ("@stuck", "@end", "@fail"):
                return stuck if word == "@stuck" else self.rests.get(word[1:]) == symbol
            if word[0] in '{"':
                return self.eval(Reader(word[1:-1]).expression(), [state], [symbol])[0]
            if word in self.atoms:
                frame, condition = self.atoms[word]
                return frame in (None, self.symbols[symbol]) and self.eval(condition, [state], [symbol])[0]
            if word in self.plain:
                return state[0][word] == 1
            if not any(word in labels for labels in self.labels.values()):
                raise ValueError(f"`{word}` means nothing here")
            return word in self.labels[symbol]
        return is_true

    def successors(self, control, symbol, state):
        key = (control, symbol, tuple(state[0].values()), tuple(map(str, state[1].values())))
        if key not in self.known:
            self.known[key] = list(self.watched(control, symbol, state))
        return self.known[key]

    def watched(self, control, symbol, state):
        rests = self.runs == "infinite" and symbol in self.rests.values()
        silent = self.is_hidden(control, symbol) or symbol.startswith("@start")
        for to, word, top, saved in [] if rests else super().successors(control, symbol, state):
            for own in [self.new(state)] if silent else self.after_step(symbol, state, False):
                yield to, word, ({**top[0], **own}, top[1]), saved
        if self.runs == "stutter" and not silent and self.may_be_blocked(control, symbol, state):
            for own in self.after_step(symbol, state, True):
                yield control, [symbol], ({**state[0], **own}, state[1]), {}

    def new(self, state):
        return {name: value for name, value in state[0].items() if name not in self.plain}

    def after_step(self, symbol, state, stuck):
        """What the new globals may be after a step."""
        letter, owes, count = self.letter(symbol, state, stuck), list(self.new(state).values()), len(self.promises)
        for own in itertools.product(*[range(2 ** max(self.globals[name][0], 1)) for name in self.new(state)]):
            holds = lambda signed: self.holds(signed, letter, own)
            debts = range(len(self.debts))
            if not all(not owes[n] or holds(self.debts[n]) for n in debts):
                continue
            if not all(not own[n] or any(owes[m] and n in self.asks[m] for m in debts) for n in debts):
                continue
            kept = [not owes[n] or all(map(holds, parts)) for n, parts in self.promises]
            marked = kept[0] if count == 1 else True
            if count > 1:
                turn, then = owes[-2], own[-2]
                if turn < count and then != turn and not (kept[turn] and then == (turn + 1) % count):
                    continue
                marked = turn == count - 1 and then == 0 and kept[turn]
            if not own[-1] or owes[-1] or marked:
                yield dict(zip(self.new(state), own))

    def starts(self, state):
        own = list(self.new(state).values())
        return super().starts(state) and own[0] == 1 and not any(own[1:]) and not state[1].get("@site")

    def is_hidden(self, control, symbol):
        return (control, symbol) in self.silent

    def may_be_blocked(self, control, symbol, state):
        """Whether no rule can be taken, as far as what is kept of the frame below tells."""
        steps = list(super().successors(control, symbol, state))
        if any(word and self.leads_on(to, word[0], top) for to, word, top, _ in steps):
            return False
        returns = [(to, top[0]) for to, word, top, _ in steps if not word]
        if not returns or not state[1].get("@site"):
            return not returns
        site = self.sites[state[1]["@site"] - 1]
        known = {name: state[1].get(self.kept.get((site, name)), 0) for name in self.locals(site)}
        arrays = {name: ty for name, ty in self.locals(site).items() if ty[1] is not None}
        frames = [(g, {**known, **values}, to) for to, g in returns for values in self.values(arrays)]
        return any(not any(self.allows(site, (g, l)) and self.leads_on(to, site, (g, l)) for g, l, to in frames
                           if all(l[name] == chosen[name] for name in arrays)) for chosen in self.values(arrays))

    def leads_on(self, control, symbol, state):
        return not self.is_hidden(control, symbol) or any(
            self.leads_on(to, word[0], top) for to, word, top, _ in super(Watched, self).successors(control, symbol, state))

    def know_below(self):
        """Adds to each frame where its return leads, and what is there that tells whether that is refused."""
        hidden, below = {symbol for _, symbol in self.silent}, {rule[3][1] for rule in self.rules if len(rule[3]) == 2}
        below.update(self.start[1][1:])
        self.sites = [one for one in self.symbols if one in below and (one in hidden or self.invariants[one])]
        if not self.sites:
            return
        if len(self.start[1]) > 1:
            self.build_start()
        self.kept, more = {}, {"@site": (len(self.sites).bit_length(), None)}
        for number, site in enumerate(self.sites, 1):
            told = {one[2] for one in reads(self.invariants[site] or ("value", 0)) if not one[1]}
            for place, (name, ty) in enumerate(self.locals(site).items()):
                if ty[1] is None and (site in hidden or name in told):
                    self.kept[site, name] = f"@kept {number} {place}"
                    more[f"@kept {number} {place}"] = ty
        self.rules = [self.knowing(rule, more) for rule in self.rules]
        for frame in self.frames.values():
            frame.update(more)

    def knowing(self, rule, more):
        """A rule that hands over what is known of the frame below."""
        control, symbol, to, word, guard, updates, relation = rule
        local = lambda name, time=0: ("read", False, name, time, None)
        updates = list(updates)
        if word and self.symbols[word[-1]] != self.symbols[symbol]:
            updates += [(local(name, len(word)), local(name)) for name in more]
        for name, (bits, _) in more.items() if len(word) == 2 else ():
            mine = [saved for saved in self.locals(word[1]) if self.kept.get((word[1], saved)) == name]
            if mine:
                updated = any(target[2:4] == (mine[0], 2) for target, _ in updates)
                related = relation and any(read[2:4] == (mine[0], 2) for read in reads(relation))
                if updated or related or self.symbols[word[1]] != self.symbols[symbol]:
                    same = ("=", local(name, 1), local(mine[0], 2))
                    relation = ("&", relation, same) if relation else same
                else:
                    updates.append((local(name, 1), local(mine[0])))
            elif name == "@site":
                number = self.sites.index(word[1]) + 1 if word[1] in self.sites else 0
                updates.append((local(name, 1), ("value", number)))
            else:
                updates.append((local(name, 1), ("value", 0 if bits else (False, True))))
        return control, symbol, to, word, guard, updates, relation

    def build_start(self):
        """Rules that build the start stack, from the bottom, come after the others."""
        (control, stack), condition = self.start, self.condition
        for place, symbol in enumerate(stack):
            own = f"@start {place}"
            self.symbols[own], self.labels[own], self.invariants[own] = None, [], None
            word = [f"@start {place - 1}", symbol] if place else [symbol]
            relation = condition and not place and self.on_top(condition, stack[0])
            self.rules.append((control, own, control, word, None, [], relation))
        self.start, self.condition = (control, [f"@start {len(stack) - 1}"]), None

    def on_top(self, e, symbol):
        """A condition about a configuration as one about what is on top after a step, which leaves globals as they are."""
        if e[0] == "read":
            time = 0 if self.declared(e, [symbol])[0] else 1
            return (*e[:3], time, e[4] and self.on_top(e[4], symbol))
        return tuple(self.on_top(part, symbol) if isinstance(part, tuple) and e[0] != "value" else part for part in e)
