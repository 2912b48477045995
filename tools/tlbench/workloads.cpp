// What the programs are asked to do. Each prints a line that depends on all of it.
#include <fmt/format.h>
#include <unistd.h>

#include <fstream>

#include "tlbench/child.h"
#include "tlbench/programs.h"

namespace tl::tlbench {

namespace {

constexpr const char* kSql =
    "CREATE TABLE t(k INTEGER, v TEXT);"
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 120000) "
    "INSERT INTO t SELECT i % 997, printf('%d of a text that is longer than the smallest, %d', i, i * 7) FROM n;"
    "SELECT count(*), sum(c), sum(l) FROM (SELECT count(*) AS c, length(group_concat(v)) AS l FROM t GROUP BY k);";

constexpr const char* kPerl = R"(my %h;
for my $i (1 .. 200000) { push @{$h{"key " . $i * 7919 % 10007}}, "value $i"; }
my $n = 0;
$n += @{$h{$_}} for sort keys %h;
print scalar(keys %h), " $n\n";
)";

// Texts and dicts of more than 512 bytes: smaller ones come from pools of Python's own.
constexpr const char* kPython = R"(columns = ["column %d" % i for i in range(20)]
rows = {}
for i in range(60000):
    row = dict.fromkeys(columns, i)
    row["text"] = "a part of text %d, " % i * 40
    rows.setdefault("key %d" % (i * 7919 % 10007), []).append(row)
print(len(rows), sum(len(row["text"]) for each in rows.values() for row in each))
)";

// Of distinct types, so that each has its own templates to be made.
std::string cpp_source() {
  std::string out = "#include <map>\n#include <string>\n#include <vector>\n";
  for (int i = 1; i <= 2; ++i)
    out += fmt::format(
        "struct T{0} {{ std::string name; int number; }};\n"
        "int f{0}(int n) {{\n  std::map<std::string, std::vector<T{0}>> all;\n"
        "  for (int i = 0; i < n; ++i) all[std::to_string(i % {0})].push_back({{std::to_string(i), i}});\n"
        "  return static_cast<int>(all.size());\n}}\n",
        i);
  return out;
}

// The command prints the path of the program, and has run it: its files are in memory then.
Workload installed(const std::string& name, const std::string& command, std::vector<std::string> arguments) {
  Workload out;
  out.program = printed_by(command);
  // g++ prints the bare name of what it does not have.
  if (out.program.empty() || out.program[0] != '/' || access(out.program.c_str(), X_OK) != 0)
    out.why_not = name + " is not installed";
  arguments.insert(arguments.begin(), name);
  out.arguments = std::move(arguments);
  return out;
}

Workload cc1plus(const std::string& directory) {
  const std::string source = directory + "/generated.cpp", text = directory + "/generated.ii";
  Workload out = installed("cc1plus", "g++ -print-prog-name=cc1plus",
                           {"-quiet", "-fpreprocessed", text, "-o", directory + "/generated.s"});
  if (!out.why_not.empty()) return out;
  std::ofstream(source) << cpp_source();
  printed_by("g++ -E -P '" + source + "' -o '" + text + "'");
  if (access(text.c_str(), R_OK) != 0) out.why_not = "g++ cannot preprocess a file with <map>, <string> and <vector>";
  return out;
}

}  // namespace

Workload workload_of(std::string_view name, const std::string& directory) {
  if (name == "sqlite")
    return installed("sqlite3", "sqlite3 -version >&2 && command -v sqlite3", {"-batch", ":memory:", kSql});
  if (name == "perl") return installed("perl", "perl -e 'print $^X'", {"-e", kPerl});
  // As sys says: what PATH leads to may be a script that looks for it.
  if (name == "python")
    return installed("python3", "python3 -c 'import os, sys; print(os.path.realpath(sys.executable))'",
                     {"-I", "-S", "-c", kPython});
  return cc1plus(directory);
}

}  // namespace tl::tlbench
