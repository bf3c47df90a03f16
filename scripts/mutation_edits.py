#!/usr/bin/env python3
"""The edits of scripts/mutation.py: small mistakes of stated kinds, found in the text of a C++ file.

    scripts/mutation_edits.py FILE...        prints all edits of the files
    scripts/mutation_edits.py --self-test    checks the edits of a few lines; status 1 if one is not as expected

    kind                 from                     to
    sign flip            a + b, x += y, -x        a - b, x -= y, x
    missing term         a + b - c, x += y;       a - c, ;
    off by one           i < n, x[i]              i <= n, x[i + 1]
    turned comparison    a < b, a == b            a > b, a != b
    dropped check        if (c), check(c, ...)    if (false && (c)), check(true || (c), ...)
    wrong constant       3, 1e-10                 4, 2e-10
    min for max          std::min(a, b)           std::max(a, b)
    and for or           a && b                   a || b

The text is not parsed. The edits rely on the layout of .clang-format: a binary operator has blanks around it, a
template's bracket and a sign have not. An edit that does not compile is not counted, so a wrong guess costs time only.
Left alone: comments, preprocessor lines, strings and what follows them in their statement (messages), static_assert,
decltype, noexcept, parameters of templates, sizes in declarations of arrays, memory that is reserved, the digits of
messages, and lines that signal processes or remove files.
"""
import re
import sys
from dataclasses import dataclass

# A wrong argument of these could do harm outside the test program.
DANGEROUS = re.compile(r"\b(kill|fork|setrlimit|unlink|rmdir|remove|remove_all|rename)\s*\(")

STRING = "\x01"  # what strings become in the masked text


@dataclass(frozen=True)
class Edit:
    kind: str
    line: int  # of the first change, from 1
    old: str  # the lines that change, without indentation
    new: str
    text: str  # the whole file after the edit


def masked(text):
    """The text with comments and preprocessor lines as blanks and strings as \\x01, of the same length."""
    token = re.compile(
        r"""//[^\n]*|/\*.*?\*/                              # comments
          |^[ \t]*\#(?:[^\n\\]|\\.)*                        # preprocessor lines, continued ones too
          |R"(?P<mark>[^\s()\\]{0,16})\(.*?\)(?P=mark)"     # raw strings
          |"(?:[^"\\\n]|\\.)*"                              # strings
          |(?<![0-9a-fA-F])'(?:[^'\\\n]|\\.)+'              # characters; 1'000 is none
        """, re.VERBOSE | re.DOTALL | re.MULTILINE)

    def blank(match):
        kept = STRING if match[0][0] in "R\"'" else " "
        return re.sub(r"[^\n]", kept, match[0])

    return token.sub(blank, text)


def closing(code, at):
    """The place of the bracket that closes the one at `at`."""
    depth = 0
    for i in range(at, len(code)):
        if code[i] in "([{":
            depth += 1
        elif code[i] in ")]}":
            depth -= 1
            if depth == 0:
                return i
    return len(code)


def end_of_term(code, at):
    """Where the summand ends that begins at `at`."""
    depth = 0
    for i in range(at, len(code)):
        if code[i] in "([{":
            depth += 1
        elif code[i] in ")]}":
            depth -= 1
            if depth < 0:
                return i
        elif depth == 0 and (code[i] in ",;?" or re.match(r"\s(?:[-+:=&|]|[<>=!]=?|&&|\|\||<<|>>)\s", code[i:i + 4])):
            return i
    return len(code)


def end_of_condition(code, at):
    """Where the first argument ends of the call whose bracket is at `at`."""
    end, i = closing(code, at), at + 1
    while i < end:
        if code[i] in "([{":
            i = closing(code, i)
        elif code[i] == ",":
            return i
        i += 1
    return end


def left_alone(code):
    """Ranges of the masked text that are not edited."""
    ranges = []
    for match in re.finditer(r"\b(?:static_assert|decltype|noexcept|reserve|precision)\s*\(", code):
        ranges.append((match.start(), closing(code, match.end() - 1)))
    for match in re.finditer(STRING + "+", code):
        end = code.find(";", match.end())
        ranges.append((match.start(), end if end >= 0 else len(code)))
    for match in re.finditer(r"\btemplate <[^(){};]*?>|\w<[^<>()\[\];]*>", code):
        ranges.append(match.span())
    # double x[3], but not: return x[3], else x[3]
    for match in re.finditer(r"\b(?!return\b|else\b|throw\b|case\b)[\w>][\w>]*[&*]? \w+(\[\w+\])+(?=[;,)={ ])", code):
        ranges.append((match.start(1), match.end()))
    for match in re.finditer(r"[^\n]*\n?", code):
        if DANGEROUS.search(match[0]):
            ranges.append(match.span())
    return ranges


def literal(text):
    """Another number in the place of a numeric literal, or None."""
    match = re.fullmatch(r"([0-9][0-9']*)([uUlLzZ]*)", text)
    if match:
        return str(int(match[1].replace("'", "")) + 1) + match[2]
    match = re.fullmatch(r"([0-9.][0-9.]*(?:[eE][-+]?[0-9]+)?)([fFlL]?)", text)
    if match:
        value = 2 * float(match[1])
        return (repr(value) if value else "1.0") + match[2] if value < 1e300 else None
    return None


def changes(code):
    """Yields (kind, [(begin, end, replacement), ...])."""
    blank = r"(?<=\s)(?:%s)(?=\s)"  # a binary operator
    for match in re.finditer(blank % r"[-+]", code):
        at, end = match.start(), match.end()
        yield "sign flip", [(at, end, "-" if match[0] == "+" else "+")]
        yield "missing term", [(at - 1, end_of_term(code, end), "")]
    for match in re.finditer(blank % r"[-+]=", code):
        at, end = match.start(), match.end()
        yield "sign flip", [(at, end, "-=" if match[0] == "+=" else "+=")]
        begin = max(code.rfind(c, 0, at) for c in ";{}") + 1
        stop = code.find(";", end)
        begin += len(code[begin:at]) - len(code[begin:at].lstrip())
        if stop > 0 and re.fullmatch(r"[\w.\[\]>*+\- ]*", code[begin:at]):
            yield "missing term", [(begin, stop, "")]
    for match in re.finditer(r"(?:(?<=[=(,{\[?:<>&|+*/-] )|(?<=[(\[{])|(?<=return ))-(?=[\w(])", code):
        yield "sign flip", [(match.start(), match.end(), "")]
    near = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
    turned = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "!=", "!=": "=="}
    for match in re.finditer(blank % r"[<>]=?|[=!]=", code):
        if match[0] in near:
            yield "off by one", [(match.start(), match.end(), near[match[0]])]
        yield "turned comparison", [(match.start(), match.end(), turned[match[0]])]
    for match in re.finditer(r"(?<=[\w\])])\[(?=[^\[\]])", code):
        end = closing(code, match.start())
        if not re.search(r"[,{;\n]", code[match.start():end]):
            yield "off by one", [(end, end, " + 1")]
    for match in re.finditer(r"\bif \(", code):
        begin = match.end()
        end = closing(code, begin - 1)
        semicolon = code.find(";", begin, end)
        begin = semicolon + 1 if semicolon >= 0 else begin
        yield "dropped check", [(begin, begin, "false && ("), (end, end, ")")]
    for match in re.finditer(r"(?<![\w.:>])check\(", code):
        end = end_of_condition(code, match.end() - 1)
        yield "dropped check", [(match.end(), match.end(), "true || ("), (end, end, ")")]
    for match in re.finditer(r"(?<![\w.])(?:[0-9][0-9']*\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?[uUlLzZfF]*(?![\w.])",
                             code):
        other = literal(match[0])
        if other:
            yield "wrong constant", [(match.start(), match.end(), other)]
    for match in re.finditer(r"(?:(?<=std::)|(?<![\w.:>]))(min|max)(?=(?:<[\w: ]+>)?\((?!\)))", code):
        yield "min for max", [(match.start(), match.end(), "max" if match[0] == "min" else "min")]
    for match in re.finditer(blank % r"&&|\|\|", code):
        yield "and for or", [(match.start(), match.end(), "||" if match[0] == "&&" else "&&")]


def lines_of(text, begin, end):
    """The whole lines from begin to end, each without indentation."""
    first = text.rfind("\n", 0, begin) + 1
    last = text.find("\n", end)
    return "\n".join(line.strip() for line in text[first:last if last >= 0 else len(text)].split("\n"))


def edits_of(text):
    """All edits of a file, those that would give the same text once."""
    code = masked(text)
    ranges = left_alone(code)
    found, seen = [], {text}
    for kind, replacements in changes(code):
        begin, end = replacements[0][0], replacements[-1][1]
        if any(a <= place < b for a, b in ranges for place in {begin, replacements[0][1]}):
            continue
        new, shift = text, 0
        for a, b, replacement in replacements:
            new = new[:a + shift] + replacement + new[b + shift:]
            shift += len(replacement) - (b - a)
        if new not in seen:
            seen.add(new)
            found.append(Edit(kind, text.count("\n", 0, begin) + 1, lines_of(text, begin, end),
                              lines_of(new, begin, end + shift), new))
    return found


def self_test():
    cases = [
        ("x = a + b * c;", ["x = a - b * c;", "x = a;"]),
        ("x = f(a - b, c);", ["x = f(a + b, c);", "x = f(a, c);"]),
        ("sum += y;", ["sum -= y;", ";"]),
        ("return -x;", ["return x;"]),
        ("for (int i = 0; i < n; ++i) {}", ["for (int i = 0; i <= n; ++i) {}", "for (int i = 0; i > n; ++i) {}",
                                            "for (int i = 1; i < n; ++i) {}"]),
        ("y = x[i];", ["y = x[i + 1];"]),
        ("if (a == b) return;", ["if (a != b) return;", "if (false && (a == b)) return;"]),
        ("check(f(a, b), \"a is \", a + 1);", ["check(true || (f(a, b)), \"a is \", a + 1);"]),
        ("double tolerance = 1e-10;", ["double tolerance = 2e-10;"]),
        ("y = 0.0;", ["y = 1.0;"]),
        ("n = 1'000u;", ["n = 1001u;"]),
        ("y = std::min(a, b);", ["y = std::max(a, b);"]),
        ("y = a && b;", ["y = a || b;"]),
        # none: comments, includes, strings and messages, static_assert, templates, sizes of arrays, references, limits
        ("// a + b", []),
        ("#define TWO 1 + 1", []),
        ("f(\"a + 1\", 3 - a);", []),
        ("static_assert(sizeof(X) == 8 && true);", []),
        ("auto f(T a) -> decltype(a.x + a.y);", []),
        ("list.reserve(2 * n);", []),
        ("message.precision(17);", []),
        ("template <int N = 3> void f(T&& x);", []),
        ("double x[3];", []),
        ("std::array<double, 3> x;", []),
        ("std::numeric_limits<int>::max();", []),
        ("kill(child, 9 + 1);", []),
        ("auto f = [&](int a) { return a; };", []),
    ]
    faults = 0
    for text, expected in cases:
        got = [edit.new for edit in edits_of(text)]
        if sorted(got) != sorted(expected):
            print(f"{text}\n  gives     {got}\n  expected  {expected}")
            faults += 1
    print(f"{len(cases) - faults} of {len(cases)} lines give the expected edits")
    return faults > 0


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    for name in sys.argv[1:]:
        for edit in edits_of(open(name, encoding="utf-8").read()):
            print(f"{name}:{edit.line}: {edit.kind}")
            print("  - " + edit.old.replace("\n", "\n  - ") + "\n  + " + edit.new.replace("\n", "\n  + "))
    return 0


if __name__ == "__main__":
    sys.exit(main())
