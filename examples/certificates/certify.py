#!/usr/bin/env python3
"""Checks certificates of small systems by trying all values: certify.py SYSTEM.spds CERTIFICATE

Written from CERTIFICATES.md (in spds-format/) alone. The system is what `puch convert --to spds` prints.
Exit codes: 0 everything that is claimed is proved, 1 something is not, 2 a text is malformed, or about another one.
"""
import json
import re
import sys

sys.dont_write_bytecode = True
from ltl import Watched
from spds import System


def plain(word):
    return json.loads(word) if word[0] == '"' else int(word) if word.isdecimal() else word


class Certificate:
    """The lines from `puch-certificate` to `end`."""

    def __init__(self, lines):
        self.about, self.claim, self.targets, self.nodes, self.reached, self.returned = None, [], [], [None, None], {}, {}
        self.cuts, self.again, self.tops = [], {}, {}
        for line in lines:
            words = [plain(word) for word in re.findall(r'"(?:[^"\\]|\\.)*"|\S+', line)]
            if words[0] == "at":
                self.reached.setdefault((tuple(words[4:6]), tuple(words[1:3])), []).append(self.known(words[7]))
            elif words[0] == "return":
                self.returned.setdefault((tuple(words[3:5]), words[1]), []).append(self.known(words[6]))
            elif words[0] == "target":
                self.targets.append(tuple(words[1:]))
            elif words[0] == "about":
                self.about = line.split()[2]
            elif words[0] == "claim":
                self.claim = words[1:]
            elif words[0] == "cut":
                self.cuts.append(tuple(words[1:]))
            elif words[0] == "again":
                self.again.setdefault((tuple(words[4:6]), tuple(words[1:3])), []).append(self.known(words[7]))
            elif words[0] == len(self.nodes):
                self.nodes.append((words[2] == "now", words[3], self.known(words[5]), self.known(words[7])))
            elif words[0] == "top":
                self.tops.setdefault(tuple(words[1:3]), set()).update(words[4:])
            elif words[0] != "order" and words != ["puch-certificate", 1]:
                raise ValueError(f"this is no line of a certificate: {line}")

    def known(self, number):
        if number not in range(len(self.nodes)):
            raise ValueError(f"{number} is no set yet")
        return number

    def has(self, sets, entry, now):
        """Whether a pair of values is in one of the sets."""
        for node in sets:
            while node > 1:
                is_now, bit, high, low = self.nodes[node]
                node = high if (now if is_now else entry)[bit] else low
            if node == 1:
                return True
        return False


def gap_of_control(system, certificate):
    """The same of a certificate about control alone."""
    tops = certificate.tops
    if certificate.claim[0] in ("ltl", "termination") or certificate.reached or certificate.returned or certificate.cuts or certificate.again:
        raise ValueError("what is said of control alone is about places, and there are no sets")
    goes_on = lambda head, to: to in tops and tops[to] <= tops[head]
    control, stack = system.start
    on_top = {control}
    for symbol in stack:
        lacking = [(p, symbol) for p in on_top if (p, symbol) not in tops]
        if lacking:
            return f"the start at {lacking[0]}"
        on_top = {q for p in on_top for q in tops[p, symbol]}
    for head in tops:
        if head in certificate.targets:
            return f"the target {head}"
        for to, word in ((rule[2], rule[3]) for rule in system.rules if rule[:2] == head):
            if not word:
                fine = to in tops[head]
            elif len(word) == 1:
                fine = goes_on(head, (to, word[0]))
            else:
                entry = (to, word[0])
                fine = entry in tops and all(goes_on(head, (p, word[1])) for p in tops[entry])
            if not fine:
                return f"what follows {head}: {to, word}"
    return None


def gap(system, certificate):
    """What is not inductive, or None."""
    if certificate.tops:
        return gap_of_control(system, certificate)
    bits, exits = system.bits, [(g, {}) for g in system.values(system.globals)]
    width = max([len(bits(symbol, system.states(symbol)[0])) for symbol in system.symbols])
    padded = lambda values: values + [0] * (width - len(values))
    at = lambda tag, entry, head, state: not system.allows(head[1], state) or certificate.has(
        certificate.reached.get((tag, head), []), entry, padded(bits(head[1], state)))
    entries = lambda tag: [padded([])] if isinstance(tag[1], int) else [padded(bits(tag[1], s)) for s in system.states(tag[1])]
    back = lambda tag, entry: [(p, g) for (t, p), sets in certificate.returned.items() if t == tag for g, _ in exits
                               if certificate.has(sets, entry, padded(bits(None, (g, {}))))]
    control, stack = system.start
    for state in system.states(stack[0]):
        if system.starts(state) and not at(("start", 0), padded([]), (control, stack[0]), state):
            return f"the start at {stack[0]} with {state}"
    for depth, symbol in enumerate(stack[1:]):
        for p, g in back(("start", depth), padded([])):
            for values in system.values(system.locals(symbol)):
                if not at(("start", depth + 1), padded([]), (p, symbol), (g, values)):
                    return f"what lies below the start at {symbol} with {g, values}"
    for (tag, head), sets in certificate.reached.items():
        for state in system.states(head[1]):
            now = padded(bits(head[1], state))
            inside = [entry for entry in entries(tag) if certificate.has(sets, entry, now)]
            if inside and head in certificate.targets:
                return f"the target {head} with {state}"
            for to, word, top, saved in system.successors(*head, state) if inside else []:
                if not word:
                    fine = all(certificate.has(certificate.returned.get((tag, to), []), e, padded(bits(None, top))) for e in inside)
                elif len(word) == 1:
                    fine = all(at(tag, e, (to, word[0]), top) for e in inside)
                else:
                    own, values = (to, word[0]), padded(bits(word[0], top))
                    fine = at(own, values, own, top) and all(
                        at(tag, e, (p, word[1]), (g, saved)) for p, g in back(own, values) for e in inside)
                if not fine:
                    return f"what follows {head} with {state}: {to, word, top, saved}"
    return None


def goes_on(system, certificate):
    """Where a run may go on for ever (of a formula: and be marked again and again), or None: what CERTIFICATES.md numbers 8 to 11."""
    bits, watched = system.bits, certificate.claim[0] == "ltl"
    width = max([len(bits(symbol, system.states(symbol)[0])) for symbol in system.symbols])
    padded = lambda symbol, state: (lambda values: values + [0] * (width - len(values)))(bits(symbol, state))
    met = lambda state: bool(state[0].get("@met"))
    unmet = lambda state: ({**state[0], "@met": 0}, state[1])
    inside = {}
    for (tag, head), sets in certificate.reached.items():
        entries = [[0] * width] if isinstance(tag[1], int) else [padded(tag[1], s) for s in system.states(tag[1])]
        found = [s for s in system.states(head[1]) if any(certificate.has(sets, e, padded(head[1], s)) for e in entries)]
        inside.setdefault(head, []).extend(s for s in found if s not in inside.get(head, []))
    exits = [(g, {}) for g in system.values(system.globals)]

    def edges(head, state):
        """What values go to along edges, below which a run need not go again."""
        if not watched and head[1] in system.rests.values():
            return
        for to, word, top, saved in system.successors(*head, state):
            if word:
                yield (to, word[0]), top
            if len(word) == 2:
                own = (to, word[0])
                for (tag, p), sets in certificate.returned.items():
                    for g, _ in exits if tag == own else ():
                        if system.allows(word[1], (g, saved)) and certificate.has(sets, padded(word[0], top), padded(None, (g, {}))):
                            yield (p, word[1]), (g, saved)

    graph, counts = {head: set() for head in inside}, set()
    for head, states in inside.items():
        for state in states:
            for to, then in edges(head, state):
                graph[head].add(to)
                if not watched or not met(state) and met(then):
                    counts.add((head, to))

    def circle(head, without):
        """The heads on a circle with this one that does not go through certain others."""
        onward = {h: graph.get(h, set()) - without for h in set(graph) - without}
        reached = lambda first: closed({h: onward.get(h, set()) for h in onward}, first)
        return {other for other in reached(head) if head in reached(other)}

    for head, to in counts:
        if not {head, to} & set(certificate.cuts) and head in closed({h: graph[h] - set(certificate.cuts) for h in graph}, to) | {to}:
            return f"there is a circle without a cut from {head} to {to}"
    for place, cut in enumerate(certificate.cuts):
        around = circle(cut, set(certificate.cuts[:place]))
        again = lambda begin, head, state: certificate.has(certificate.again.get((cut, head), []), begin, padded(head[1], state))
        for begin in system.states(cut[1]):
            own = padded(cut[1], begin)
            first = [(cut, begin)] if begin in inside.get(cut, []) and not (watched and met(begin)) else []
            for head, state in first + [(h, s) for h in around for s in inside.get(h, []) if again(own, h, s)]:
                for to, then in edges(head, state):
                    if to in around and not again(own, to, then):
                        return f"what follows {head} with {state} from the cut {cut} with {begin}: {to, then}"
            if not (watched and met(begin)) and again(own, cut, ({**begin[0], "@met": 1}, begin[1]) if watched else begin):
                return f"the cut {cut} comes again with {begin}"
    return None


def closed(graph, first):
    """What is come to from a head by one edge or more."""
    found, open_ = set(), [first]
    while open_:
        for to in graph.get(open_.pop(), ()):
            if to not in found:
                found.add(to)
                open_.append(to)
    return found


def concerned(text, certificate):
    """The system that a claim is about."""
    kind, *rest = certificate.claim
    if kind == "ltl" and rest[1:2] == ["runs"]:
        return Watched(text, rest[0], rest[2])
    system = System(text)
    if kind == "assertions" and "fail" in system.rests:
        certificate.targets += [(control, system.rests["fail"]) for control in system.controls]
    if kind not in ("reach", "assertions", "termination") or len(rest) > 1 or any(
            control not in system.controls or symbol not in system.symbols for control, symbol in certificate.targets):
        raise ValueError("claims of this kind are not known here")
    return system


def main(file, certificates):
    text = open(file, encoding="utf-8").read()
    about = 0xCBF29CE484222325
    for byte in text.encode():
        about = (about ^ byte) * 0x100000001B3 % 2**64
    code, lines, found = 0, [], False
    for line in open(certificates, encoding="utf-8"):
        if line.strip() == "end":
            certificate, lines, found = Certificate(lines), [], True
            if certificate.about != f"{about:016x}":
                raise ValueError("the certificate is about another text")
            system = concerned(text, certificate)
            lacks = gap(system, certificate)
            if not lacks and certificate.claim[0] in ("ltl", "termination"):
                lacks = goes_on(system, certificate)
            claim = " ".join(map(str, certificate.claim))
            print(f"{'not ' if lacks else ''}proved: {claim}{': not covered is ' + lacks if lacks else ''}")
            code = 1 if lacks else code
        elif line.strip() and not line.startswith("//"):
            lines.append(line)
    if lines or not found:
        raise ValueError("a certificate ends with `end`")
    return code


if __name__ == "__main__":
    try:
        sys.exit(main(*sys.argv[1:]))
    except (ValueError, KeyError, IndexError, TypeError) as error:
        print(f"malformed: {error}", file=sys.stderr)
        sys.exit(2)
