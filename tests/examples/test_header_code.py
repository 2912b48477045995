#!/usr/bin/env python3
"""The instructions: what an annotation costs in the program that has it, and what a call costs in the library."""
import itertools
import re

import header_build as build
import telemetry_harness as harness

INSTRUCTION = re.compile(r"^\s*([0-9a-f]+):\s+(.*?)\s*$")
RELOCATION = re.compile(r"\t[0-9a-f]+: (R_X86_64_\w+)\t(\S+?)(?:[-+]0x[0-9a-f]+)?(?=\t|$)")
LEVELS = ("-O1", "-O2", "-O3", "-Os")
# One function for each call, so that each stands alone.
ONE_CALL_EACH = """#include <telemetry/telemetry.h>
#ifdef __cplusplus
#define EXTERN_C extern "C"
#else
#define EXTERN_C
#endif
#define FUNCTION(result, name, parameters, arguments) \\
  EXTERN_C result call_##name parameters; result call_##name parameters { return name arguments; }
#define FUNCTION_VOID(name, parameters, arguments) \\
  EXTERN_C void call_##name parameters; void call_##name parameters { name arguments; }
FUNCTION(tl_scope_id, tl_scope_register, (const char* n), (n))
#define ID(name) FUNCTION_VOID(name, (tl_scope_id id), (id))
ID(tl_scope_begin) ID(tl_scope_end) ID(tl_scope_begin_mid) ID(tl_scope_end_mid) ID(tl_scope_begin_hard) ID(tl_scope_end_hard)
ID(tl_scope_next) ID(tl_pulse)
FUNCTION_VOID(tl_scope_begin_at, (tl_scope_id id, uint64_t t), (id, t))
FUNCTION_VOID(tl_span, (tl_scope_id id, uint64_t t, uint64_t u), (id, t, u))
FUNCTION_VOID(tl_value, (tl_scope_id id, int64_t v), (id, v))
FUNCTION_VOID(tl_mark, (const char* t), (t))
#define TICKS(name) FUNCTION(uint64_t, name, (void), ())
TICKS(tl_ticks) TICKS(tl_ticks_mid) TICKS(tl_ticks_hard_begin) TICKS(tl_ticks_hard_end)
FUNCTION(double, tl_ns_from_ticks, (uint64_t t), (t))
FUNCTION(uint64_t, tl_ticks_from_ns, (double t), (t))
FUNCTION(int, tl_thread_allocations, (tl_allocations* a), (a))
FUNCTION(int, tl_recording, (void), ()) FUNCTION(int, tl_flush, (void), ())
FUNCTION_VOID(tl_pause, (void), ()) FUNCTION_VOID(tl_resume, (void), ())
FUNCTION(const char*, tl_version, (void), ()) FUNCTION(uint32_t, tl_abi_version, (void), ())
"""
CALLS = 26
# These look first whether the library is active, a word of its data.
FREQUENT = {"tl_scope_begin", "tl_scope_end", "tl_scope_next", "tl_scope_begin_at", "tl_span", "tl_pulse", "tl_value"}
# The same function with and without annotations.
STRAIGHT = """int step(int); int work(int n);
int work(int n) { %s step(n); %s step(n + 1); %s %s return step(n + 2); }
"""
LOOP = """int step(int); int work(int n);
int work(int n) {
  int i, sum = 0;
  %s
  for (i = 0; i < n; i++) { %s sum += step(i); %s }
  %s
  return sum;
}
"""
PLAIN = ("", "", "", "")
IN_C = ('tl_scope_id id = tl_scope_register("id"); TL_BEGIN("outer"); tl_pause(); tl_resume();',
        'tl_scope_begin(id); tl_scope_next(id); TL_BEGIN("inner"); tl_pulse(TL_ID("pulse")); tl_scope_begin_hard(id);',
        'tl_scope_end_hard(id); TL_END("inner"); tl_value(id, n); tl_mark("mark"); tl_span(id, tl_ticks(), tl_ticks_mid());',
        'TL_END("outer"); tl_scope_begin_at(id, tl_ticks()); if (tl_recording() != 0) step(5); tl_flush();')
IN_CPP = ('TL_SCOPE("outer"); TL_SCOPE_MID("mid"); TL_SCOPE_HARD("hard"); TL_SCOPE_AT("at", tl_ticks());',
          'telemetry::Chain stages(TL_ID("one")); const telemetry::HardScope scope(TL_ID("two")); const telemetry::Pause pause;',
          'telemetry::Span::begin(telemetry::register_scope("four")).end();', 'TL_SCOPE("last");')
ANNOTATED = {build.C: ("#include <telemetry/telemetry.h>\n", IN_C), build.CPP: ("#include <telemetry/telemetry.hpp>\n", IN_CPP)}


class CodeTest(build.HeaderTest):
    def functions(self, file):
        """{function: [instruction or (relocation, symbol)]}; padding left out."""
        functions, code = {}, None
        for line in self.tool("objdump", "-drw", "--no-show-raw-insn", file).splitlines():
            if header := re.match(r"^[0-9a-f]+ <(.+)>:$", line):
                code = functions.setdefault(header[1], [])
            elif found := INSTRUCTION.match(line):
                text = re.sub(r"\s+", " ", re.split("\t|#", found[2])[0]).strip()
                if text and not re.match(r"(data16 |cs )*(nop|xchg %ax,%ax)", text):
                    code.append(text)
                code += RELOCATION.findall(line)
        return functions

    def each_object(self, check, code, languages, levels=LEVELS, flags=()):
        """check(object file) of the code, by each compiler, for each kind of program, at each level."""
        for language, kind, level in itertools.product(languages, build.KINDS, levels):
            for compiler in build.COMPILERS[language]:
                with self.subTest(compiler=compiler, kind=kind, level=level, flags=flags):
                    source = self.write("code" + build.SUFFIX[language], code)
                    standard = build.STANDARDS[language][0]
                    check(self.compiled(source, "code.o", compiler, standard, level, *build.KINDS[kind][0], *flags, "-c"))


class Code(CodeTest):
    def assert_own(self, file, kinds):
        undefined = self.undefined(file)
        self.assertTrue(undefined)
        self.assertEqual({n: k for n, k in undefined.items() if not n.startswith("tl_") or k not in kinds}, {})

    def parts(self, file):
        """(name of the call, its relocations, its instructions), one for each call of the ABI."""
        functions = self.functions(file)
        self.assertEqual(len(functions), CALLS)
        for name, code in functions.items():
            yield name[5:], [r for r in code if not isinstance(r, str)], [text for text in code if isinstance(text, str)]

    def count(self, pattern, text):
        return sum(bool(re.match(pattern, line)) for line in text)

    def weak(self, file):
        self.assert_own(file, "w")
        for name, relocations, text in self.parts(file):
            relocations = [r for r in relocations if name != "tl_version" or r[1].startswith("tl_")]  # its "" is one, too
            looks = 3 if name in FREQUENT else 1  # is the call there, is the word there, is it not 0
            self.assertEqual({symbol for _, symbol in relocations}, {name, "tl_active"} if looks == 3 else {name})
            for kind, _ in relocations:
                self.assertRegex(kind, r"^R_X86_64_(REX_)?GOTPCREL(X)?$", name)
            self.assertEqual(self.count("test|cmp", text), looks, (name, text))
            self.assertEqual(self.count(r"j(?!mp)", text), looks, (name, text))
            self.assertEqual(self.count(r"(call|jmp) \*", text), 1, (name, text))
            self.assertEqual(self.count(r"call [^*]|.*%fs", text), 0, (name, text))

    def linked(self, file):
        self.assert_own(file, "Uw")
        for name, relocations, text in self.parts(file):
            looks = 2 if name in FREQUENT else 0
            self.assertEqual([symbol for _, symbol in relocations], ["tl_active", name] if looks else [name])
            self.assertEqual(self.count("(call|jmp) [^.]", text), 1, (name, text))
            self.assertEqual(self.count(r"j(?!mp)", text), looks, (name, text))
            self.assertEqual(self.count("test|cmp", text), looks, (name, text))
            self.assertEqual(self.count(r".*%fs", text), 0, (name, text))

    def test_weak(self):
        """Each call: the address through the global offset table, one test, one branch, one indirect call; the frequent ones
        look at a word of the library before."""
        self.each_object(self.weak, ONE_CALL_EACH, (build.C, build.CPP))

    def test_linked(self):
        """A plain call; before the frequent ones a look at a word of the library."""
        self.each_object(self.linked, ONE_CALL_EACH, (build.C, build.CPP), flags=["-DTL_LINKED"])

    def test_scopes_of_cpp_need_nothing_else(self):
        """No guard of a static, and no unwinder where nothing throws."""
        code = ('#include <telemetry/telemetry.hpp>\nextern "C" int tl_work() noexcept;\nint work();\n'
                'int work() { TL_SCOPE("a"); telemetry::Chain chain(TL_ID("b")); return tl_work(); }\n')
        for flags in ([], ["-DTL_LINKED"]):
            self.each_object(lambda file: self.assert_own(file, "wU"), code, (build.CPP,), flags=flags)

    def test_switched_off_leaves_no_code(self):
        def exact(functions):
            return functions

        def touched(functions):  # A loop of more lines may take another shape, but calls and touches nothing else.
            return {name: [part for part in code if not isinstance(part, str)] for name, code in functions.items()}

        def nothing_left(file):
            self.assertEqual([name for name in self.symbols(file) if "tl_" in name or "telemetry" in name], [])
            self.assertEqual(what(self.functions(file)), plain.pop(0))

        for language, (work, what) in itertools.product(ANNOTATED, ((STRAIGHT, exact), (LOOP, touched))):
            include, annotations = ANNOTATED[language]
            for flags in ([], ["-finstrument-functions"]):
                plain = []
                self.each_object(lambda file: plain.append(what(self.functions(file))), work % PLAIN, (language,), flags=flags)
                self.assertEqual(len(plain), 2 * 3 * len(LEVELS))
                self.each_object(nothing_left, include + work % annotations, (language,), flags=["-DTL_DISABLE", *flags])
                self.assertEqual(plain, [])

    def test_switched_off_where_nothing_is_inlined(self):
        """Not even a function that does nothing is left."""
        def check(file):
            self.assertEqual([name for name in self.symbols(file) if "tl_" in name or "telemetry" in name], [])
            self.assertEqual(len(self.functions(file)), 1)

        for language, (include, annotations) in ANNOTATED.items():
            self.each_object(check, include + LOOP % annotations, (language,), ["-O0"], ["-DTL_DISABLE"])

    def test_the_comparison(self):
        """What is annotated and not switched off is other code, so that the test above can fail."""
        plain, annotated = [], []
        self.each_object(lambda file: plain.append(self.functions(file)), STRAIGHT % PLAIN, (build.C,), ["-O2"])
        self.each_object(lambda file: annotated.append(self.functions(file)),
                         '#include <telemetry/telemetry.h>\n' + STRAIGHT % ("", "tl_scope_begin(1);", "", ""), (build.C,), ["-O2"])
        self.assertEqual([one == other for one, other in zip(plain, annotated)], [False] * 6)


class Library(CodeTest):
    STAMPS = re.compile(r"\b(rdtscp?|[lms]fence)\b")

    def setUp(self):
        super().setUp()
        self.shipped = self.functions(harness.LIBRARY)

    def paths_without_call(self, name):
        """The ways through a function from its entry to a return that make no call: as lists of instructions."""
        listing = self.tool("objdump", "-d", "--no-show-raw-insn", "-w", f"--disassemble={name}", harness.LIBRARY)
        code = [(int(m[1], 16), m[2]) for m in map(INSTRUCTION.match, listing.splitlines()) if m]
        places = {address: i for i, (address, _) in enumerate(code)}
        found, open_paths = [], [(0, ())]
        while open_paths:
            i, path = open_paths.pop()
            while i < len(code) and i not in path:
                text = code[i][1]
                path += (i,)
                if re.match(r"(repz )?ret", text):
                    found.append([code[j][1] for j in path])
                    break
                if re.match(r"call|jmp +\*|ud2", text):
                    break
                if jump := re.match(r"j\w+ +([0-9a-f]+)", text):
                    target = places.get(int(jump[1], 16))  # None: another function's, in the cold
                    if text.startswith("jmp"):
                        if target is None:
                            break
                        i = target
                        continue
                    if target is not None:
                        open_paths.append((target, path))
                i += 1
            self.assertLess(len(open_paths) + len(found), 10000, name)
        return found

    def check(self, name, *stamps):
        self.assertTrue(name in self.shipped, f"{name} is not there")
        whole = [line for line in self.shipped[name] if isinstance(line, str)]
        self.assertEqual([self.STAMPS.search(line)[0] for line in whole if self.STAMPS.search(line)], list(stamps), name)
        self.assertFalse([line for line in whole if re.match(r"lock |xchg .*\(|.*@plt|.*__tls_get_addr", line)], name)
        hot = [path for path in self.paths_without_call(name) if any(self.STAMPS.search(line) for line in path)]
        self.assertTrue(hot, f"{name}: every way makes a call")
        for path in hot:
            self.assertEqual([self.STAMPS.search(line)[0] for line in path if self.STAMPS.search(line)], list(stamps), name)

    def test_fast(self):
        for name in ("tl_scope_begin", "tl_scope_end", "tl_ticks"):
            self.check(name, "rdtsc")

    def test_mid(self):
        for name in ("tl_scope_begin_mid", "tl_scope_end_mid", "tl_ticks_mid"):
            self.check(name, "rdtscp")

    def test_hard(self):
        for name in ("tl_scope_begin_hard", "tl_ticks_hard_begin"):
            self.check(name, "lfence", "rdtscp")
        for name in ("tl_scope_end_hard", "tl_ticks_hard_end"):
            self.check(name, "rdtscp", "lfence")

    def test_next(self):
        self.check("tl_scope_next", "rdtsc")


if __name__ == "__main__":
    harness.main()
