"""Symbolic pushdown systems: the notation of SPEC.md (in spds-format/), and what rules mean, by trying all values."""
import itertools
import re

SKIP = re.compile(r"(?:\s|//[^\n]*)*")
STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.S)
VARIABLE = re.compile(r"[A-Za-z_$@][A-Za-z0-9_$@]*")
NAME = re.compile(r"[A-Za-z_$@][A-Za-z0-9_$@]*(?:[/.][A-Za-z0-9_$@]+)*")
NUMBER = re.compile(r"[0-9]+")
SIGN = re.compile(r"<->|->|:=|\.\.|::|''|<<|>>|<=|>=|!=|[][<>{}(),;:?!*/%+=&^|'-]")
ANYTHING = re.compile(r".", re.S)
LEVELS = [["<->"], ["->"], ["|"], ["^"], ["&"], ["=", "!=", "<", "<=", ">", ">="], ["<<", ">>"], ["+", "-"], ["*", "/", "%"]]


class Reader:
    """A text from its beginning on."""

    def __init__(self, text):
        self.text, self.at = text, 0

    def find(self, *patterns):
        self.at = SKIP.match(self.text, self.at).end()
        return next((found.group() for found in (p.match(self.text, self.at) for p in patterns) if found), None)

    def take(self, *patterns):
        word = self.find(*patterns)
        if word is None:
            raise ValueError(f"something is wrong at `{self.text[self.at:self.at + 30]}`")
        self.at += len(word)
        return word

    def sees(self, *words):
        return self.find(NAME, SIGN) in words

    def sign(self, *words):
        """One of these signs or words, if it is next."""
        return self.take(NAME, SIGN) if self.sees(*words) else None

    def need(self, word):
        if not self.sign(word):
            raise ValueError(f"expected `{word}` at `{self.text[self.at:self.at + 30]}`")

    def name(self, pattern=NAME):
        word = self.take(STRING, pattern)
        plain = {"n": "\n", "r": "\r", "t": "\t"}
        inner = lambda m: chr(int(m.group(1), 16)) if m.group(1) else plain.get(m.group(2), m.group(2))
        return re.sub(r"\\(?:u\{([0-9a-fA-F]+)\}|(.))", inner, word[1:-1]) if word[0] == '"' else word

    def names(self):
        found = [self.name()]
        while self.sign(","):
            found.append(self.name())
        return found

    def expression(self, level=-1):
        if level < 0:
            condition = self.expression(0)
            if not self.sign("?"):
                return condition
            then, _ = self.expression(), self.need(":")
            return ("?", condition, then, self.expression())
        if level == len(LEVELS):
            return self.operand()
        left = self.expression(level + 1)
        while op := self.sign(*LEVELS[level]):
            # An implication groups to the right.
            left = (op, left, self.expression(level if op == "->" else level + 1))
        return left

    def operand(self):
        if self.sign("!"):
            return ("!", self.operand())
        if self.sign("*"):
            return ("any",)
        if self.sign("("):
            inner, _ = self.expression(), self.need(")")
            return inner
        if self.find(NUMBER):
            return ("value", int(self.take(NUMBER)))
        if word := self.sign("true", "false"):
            return ("value", (word == "true", word == "false"))
        if self.sign("schoose"):
            _, a, _, b, _ = self.need("["), self.expression(), self.need(","), self.expression(), self.need("]")
            return ("schoose", a, b)
        return self.reference()

    def reference(self):
        top, name, index = bool(self.sign("::")), self.name(VARIABLE), None
        time = {"'": 1, "''": 2}.get(self.sign("''", "'"), 0)
        if self.sign("["):
            index, _ = self.expression(), self.need("]")
        return ("read", top, name, time, index)

    def configuration(self):
        _, control, stack = self.need("<"), self.name(), []
        self.sign(",")
        while not self.sign(">"):
            stack.append(self.name())
        return control, stack


class System:
    """What a text in the notation of SPEC.md says."""

    def __init__(self, text):
        self.globals, self.frames, self.controls, self.rules = {}, {None: {}}, [], []
        self.symbols, self.invariants, self.start, self.condition = {}, {}, None, None
        self.labels, self.atoms, self.rests, self.silent = {}, {}, {}, set()
        r = Reader(text)
        r.need("spds"), r.take(NUMBER), r.sign(";")
        while r.find(ANYTHING):
            self.statement(r, r.name())
            r.sign(";")

    def statement(self, r, word):
        if word == "global":
            self.globals.update(self.variables(r))
        elif word == "frame":
            name, _, self.frames[name], _ = (name := r.name()), r.need("{"), self.variables(r), r.need("}")
        elif word == "control":
            self.controls += r.names()
        elif word == "symbol":
            name = r.name()
            self.symbols[name] = r.name() if r.sign("in") else None
            if r.sign("at"):
                r.name(), r.need(":"), r.take(NUMBER), r.need(":"), r.take(NUMBER)
            self.labels[name] = r.names() if r.sign("labels") else []
            self.invariants[name] = r.expression() if r.sign("invariant") else None
        elif word == "start":
            self.start, self.condition = r.configuration(), r.expression() if r.sign("when") else None
        elif word in ("rule", "silent"):
            r.sign("rule")
            is_silent = word == "silent"
            (control, (symbol,)), _, (to, word) = r.configuration(), r.need("->"), r.configuration()
            self.silent |= {(control, symbol)} if is_silent else set()
            guard, updates = r.expression() if r.sign("when") else None, []
            if r.sign("{"):
                while not r.sign("}"):
                    updates.append((r.reference(), r.need(":="), r.expression())[::2])
                    r.sign(";")
            self.rules.append((control, symbol, to, word, guard, updates, r.expression() if r.sign("with") else None))
            r.name() if r.sign("label") else None
        elif word == "atom":
            name, frame = r.name(), r.name() if r.sign("in") else None
            r.need("when")
            self.atoms[name] = (frame, r.expression())
        elif word in ("end", "fail"):
            self.rests[word] = r.name()
        else:
            while not r.sees(";"):  # files
                r.take(STRING, NAME, NUMBER, SIGN)

    def variables(self, r):
        """Names, each with its number of bits (of a Boolean none) and the indices of an array."""
        found = {}
        while not r.sees("}", ";"):
            r.sign("hidden")
            name, _, kind, cells = r.name(VARIABLE), r.need(":"), r.name(VARIABLE), None
            if r.sign("["):
                cells = range(int(r.take(NUMBER)), (r.need(".."), int(r.take(NUMBER)))[1] + 1)
                r.need("]")
            found[name] = (0 if kind == "bool" else int(kind[1:]), cells)
            r.sign(",")
        return found

    def locals(self, symbol):
        return self.frames[self.symbols[symbol]]

    def values(self, variables):
        """All values, each a dictionary from names to numbers or tuples of numbers."""
        one = lambda bits: range(2 ** max(bits, 1))
        lists = [one(b) if c is None else list(itertools.product(one(b), repeat=len(c))) for b, c in variables.values()]
        return [dict(zip(variables, chosen)) for chosen in itertools.product(*lists)]

    def states(self, symbol):
        return [(g, l) for g in self.values(self.globals) for l in self.values(self.locals(symbol))]

    def starts(self, state):
        return not self.condition or self.eval(self.condition, [state], self.start[1])[0]

    def allows(self, symbol, state):
        return self.invariants[symbol] is None or self.eval(self.invariants[symbol], [state], [symbol])[0]

    def declared(self, read, symbols):
        """Whether a variable is a global, and its type."""
        _, top, name, time, _ = read
        scope = self.locals(symbols[time]) if not top and time < len(symbols) else {}
        return (False, scope[name]) if name in scope else (True, self.globals[name])

    def eval(self, e, states, symbols):
        """An integer, or None where there is none; of a Boolean whether it may be true, and whether false."""
        op, operands = e[0], [self.eval(part, states, symbols) for part in e[1:] if isinstance(part, tuple) and e[0] not in ("read", "value")]
        if op == "value":
            return e[1]
        if op == "any":
            return (True, True)
        if op == "read":
            is_global, (bits, cells) = self.declared(e, symbols)
            value = states[e[3]][0 if is_global else 1][e[2]]
            if cells is not None:
                index = self.eval(e[4], states, symbols)
                value = value[index - cells.start] if index is not None and index in cells else None
            return value if bits else (value == 1, value == 0)
        if op == "!":
            return operands[0][::-1]
        a, b, *c = operands
        if op == "?" and isinstance(b, tuple):
            (t, f), (tb, fb), (tc, fc) = a, b, c[0]
            return (t and tb or f and tc, t and fb or f and fc)
        if op == "?":
            return b if a[0] else c[0] if a[1] else None
        if op == "schoose":
            return (a[0] or a[1] and b[1], a[1])
        return boolean(op, *a, *b) if isinstance(a, tuple) else integer(op, a, b)

    def successors(self, control, symbol, state):
        """What rules lead to: (control location, symbols, values on top, locals below)."""
        for c, s, to, word, guard, updates, relation in self.rules:
            if (c, s) != (control, symbol) or guard and not self.eval(guard, [state], [symbol])[0]:
                continue
            symbols, lists, keys = [symbol] + word, [], []
            parts = [(1, True, self.globals, state[0])]
            for time, name in enumerate(word, 1):
                same = self.symbols[name] == self.symbols[symbol] and (time, len(word)) != (1, 2)
                parts.append((time, False, self.locals(name), state[1] if same else None))
            for time, is_global, variables, old in parts:
                for name, ty in variables.items():
                    mine = lambda read: read[2:4] == (name, time) and self.declared(read, symbols)[0] == is_global
                    freed = relation and any(mine(read) for read in reads(relation))
                    hits = [(t, v) for t, v in updates if mine(t)]
                    keys.append((time, is_global, name))
                    lists.append(self.after(ty, old and not freed and (old[name],), hits, lambda e: self.eval(e, [state], [symbol])))
            for chosen in itertools.product(*lists):
                pick = lambda *which: {key[2]: value for key, value in zip(keys, chosen) if key[:2] == which}
                top, saved = (pick(1, True), pick(1, False)), pick(2, False)
                holds = not relation or self.eval(relation, [state, top, ({}, saved)], symbols)[0]
                if holds and (not word or self.allows(word[0], top)):
                    yield to, word, top, saved

    def after(self, ty, old, updates, ev):
        """The values that a variable may have after a step; `old` has the one before, if it keeps it."""
        (bits, cells), lists = ty, []
        hit = [(t[4] and ev(t[4]), v) for t, v in updates]
        if any(t[4] and (index is None or index not in cells) for (t, _), (index, _) in zip(updates, hit)):
            return []
        for place in [None] if cells is None else cells:
            mine = [ev(v) if v != ("any",) else v for (t, _), (index, v) in zip(updates, hit) if not t[4] or index == place]
            possible = range(2 ** max(bits, 1))
            if not mine and old:
                possible = [old[0] if place is None else old[0][place - cells.start]]
            for value in (value for value in mine if value != ("any",)):
                possible = [x for x in possible if (value[1 - x] if isinstance(value, tuple) else value == x)]
            lists.append(possible)
        return lists[0] if cells is None else list(itertools.product(*lists))

    def bits(self, symbol, state):
        """The values of all bits, in the order of CERTIFICATES.md."""
        found = []
        for variables, values in ((self.globals, state[0]), (self.locals(symbol) if symbol else {}, state[1])):
            for name, (bits, cells) in variables.items():
                for value in [values[name]] if cells is None else values[name]:
                    found += [value >> bit & 1 for bit in range(max(bits, 1))]
        return found


def reads(e):
    parts = [part for part in e[1:] if isinstance(part, tuple) and part and isinstance(part[0], str)]
    return ([e] if e[0] == "read" else []) + [read for part in parts for read in reads(part)]


def boolean(op, ta, fa, tb, fb):
    same, other = (ta and tb or fa and fb, ta and fb or fa and tb), None
    return {"&": (ta and tb, fa or fb), "|": (ta or tb, fa and fb), "->": (fa or tb, ta and fb),
            "^": same[::-1], "!=": same[::-1], "=": same, "<->": same}[op]


def integer(op, a, b):
    none = a is None or b is None
    if op in ("=", "!=", "<", "<=", ">", ">="):
        holds = not none and {"=": a == b, "!=": a != b, "<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[op]
        return (holds, not none and not holds)
    if none or op in "/%" and b == 0 or op in ("<<", ">>") and b < 0 or op == "<<" and b > 64 or op in "&|^" and min(a, b) < 0:
        return None
    quotient = lambda: abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    return {"+": lambda: a + b, "-": lambda: a - b, "*": lambda: a * b, "<<": lambda: a << b, ">>": lambda: a >> b, "/": quotient,
            "%": lambda: a - quotient() * b, "&": lambda: a & b, "|": lambda: a | b, "^": lambda: a ^ b}[op]()
