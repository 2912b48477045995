// Schema 1 of `tlreport summary --json`. Every key is always there; null is what was not measured.
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/size_class.h"
#include "render/summary.h"
#include "render/text_escape.h"

namespace tl::render {

namespace {

using Json = nlohmann::ordered_json;

// Times of one report: whole nanoseconds from 1 us on, tenths below (more digits than that were not recorded), and null
// where its dump does not tell how long a tick is.
class Times {
 public:
  explicit Times(const analyze::ClockFacts& clock) : known_(clock.rate_known) {}
  Json operator()(double value) const {
    if (!known_ || !std::isfinite(value)) return nullptr;
    if (std::fabs(value) >= 1000 || value == std::floor(value)) {
      const double whole = std::round(value);
      if (std::fabs(whole) < 9e18) return static_cast<std::int64_t>(whole);
      return whole;
    }
    return std::round(value * 10) / 10;
  }
  Json operator()(const std::optional<double>& value) const { return value ? (*this)(*value) : Json(nullptr); }

 private:
  bool known_;
};

Json number(const std::optional<double>& value, double step) {
  if (!value || !std::isfinite(*value)) return nullptr;
  const double steps = std::round(1 / step);
  return std::round(*value * steps) / steps;  // 0.952381, not 0.9523809999999999
}

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}
Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(utf8(text)); }

Json latency(const analyze::Latency& from, const SummaryOptions& options, const Times& ns) {
  Json out;
  const bool any = from.count() > 0;
  const auto put = [&](const std::string& key, double value) { out[key] = any ? ns(value) : Json(nullptr); };
  put("min", from.min_ns());
  for (const std::string& percent : options.percentiles)
    put(std::string("p") + percent, from.percentile_ns(std::stod(percent)));
  put("max", from.max_ns());
  put("mean", from.mean_ns());
  put("stddev", from.stddev_ns());
  return out;
}

Json losses(const analyze::Losses& from, const Times& ns) {
  Json causes, ranges = Json::array(), advice = Json::array();
  for (unsigned cause = 0; cause < kLossCauses; ++cause) causes[kLossCauseNames[cause]] = from.by_cause[cause];
  causes["not_in_file"] = from.not_in_file;
  for (const analyze::LossSpan& span : from.ranges)
    ranges.push_back({{"thread", span.thread},
                      {"from_ns", ns(span.from_ns)},
                      {"to_ns", ns(span.to_ns)},
                      {"records", span.records},
                      {"cause", text_or_null(span.cause)}});
  for (const std::string& line : from.advice) advice.push_back(line);
  return {{"records", from.records}, {"by_cause", causes}, {"ranges", ranges}, {"advice", advice}};
}

// Null where allocation calls were not counted.
Json scope_allocations(const analyze::ScopeRow& row, const analyze::Allocations& all, const Times& ns) {
  if (!all.counted || !all.observable) return nullptr;
  const analyze::ScopeAllocations& from = row.allocations;
  const auto of_runs = [&](double percent) {
    return from.per_scope.count() == 0 ? Json(nullptr) : Json(from.per_scope.percentile(percent));
  };
  return {{"count", from.count},
          {"self_count", from.self_count},
          {"bytes", from.bytes},
          {"ns", ns(from.ns)},
          {"scopes_with", from.scopes_with},
          {"per_scope", {{"p50", of_runs(50)}, {"p99", of_runs(99)}, {"max", of_runs(100)}}}};
}

Json scope(const analyze::ScopeRow& row, const analyze::Allocations& all, const SummaryOptions& options,
           const Times& ns) {
  return {{"name", utf8(row.name)},
          {"implicit", false},
          {"thread", or_null(row.thread)},
          {"count", row.latency.count()},
          {"rate_per_s", number(row.rate_per_s, 0.001)},
          {"latency_ns", latency(row.latency, options, ns)},
          {"response_ns", row.response.count() > 0 ? latency(row.response, options, ns) : Json(nullptr)},
          {"response_count", row.response.count()},
          {"early", row.early},
          {"total_ns", ns(row.total_ns)},
          {"self_ns", ns(row.self_ns)},
          {"mismatched", row.mismatched},
          {"unfinished", row.unfinished},
          {"discarded", row.discarded},
          {"allocations", scope_allocations(row, all, ns)},
          {"tail_causes", nullptr}};
}

Json cost(const analyze::ClockFacts& clock, const analyze::OwnCost& from) {
  const auto ns = [&](double value) { return clock.rate_known ? number(value, 0.001) : Json(nullptr); };
  const auto middle = [&](const auto& one) { return one ? ns(one->p50_ns) : Json(nullptr); };
  Json pairs;
  for (unsigned pair = 0; pair < analyze::kPairs; ++pair) {
    const auto& one = from.pairs[pair];
    const auto put = [&](double value) { return one ? ns(value) : Json(nullptr); };
    const analyze::CostFacts facts = one.value_or(analyze::CostFacts{});
    pairs[analyze::kPairNames[pair]] = {{"p50", put(facts.p50_ns)},
                                        {"p99", put(facts.p99_ns)},
                                        {"min", put(facts.min_ns)},
                                        {"p90", put(facts.p90_ns)},
                                        {"max", put(facts.max_ns)},
                                        {"whole_ns", put(facts.whole_ns)},
                                        {"samples", one ? Json(facts.samples) : Json(nullptr)}};
  }
  return {{"pairs", pairs},
          {"next", middle(from.next)},
          {"pulse", middle(from.pulse)},
          {"timer_step", from.step_ns ? ns(*from.step_ns) : Json(nullptr)}};
}

Json value(const analyze::ValueRow& row, const SummaryOptions& options) {
  const analyze::SignedDistribution& from = row.values;
  Json out = {{"name", utf8(row.name)}, {"count", from.count()}, {"min", from.min()}};
  for (const std::string& percent : options.value_percentiles)
    out[std::string("p") + percent] = from.percentile(std::stod(percent));
  out["max"] = from.max();
  out["mean"] = from.mean();
  return out;
}

Json pulse(const analyze::PulseRow& row, const SummaryOptions& options, const Times& ns) {
  return {{"name", utf8(row.name)},
          {"thread", or_null(row.thread)},
          {"count", row.gaps.count()},
          {"latency_ns", latency(row.gaps, options, ns)}};
}

Json allocations(const analyze::Allocations& from, const SummaryOptions& options, const Times& ns, bool merged) {
  const bool measured = from.measured();
  const auto counted = [&](std::uint64_t n) { return measured ? Json(n) : Json(nullptr); };
  Json calls, rows = Json::array(), places = Json::array();
  for (unsigned call = 0; call < kAllocCalls; ++call) calls[kAllocCallNames[call]] = counted(from.calls[call]);
  for (const analyze::CallLatency& row : from.latency) {
    const bool is_free = row.call == static_cast<unsigned>(AllocCall::free_);
    rows.push_back({{"call", kAllocCallNames[row.call]},
                    {"size_class", is_free ? Json(nullptr) : Json(size_class_last(row.size_class))},
                    {"count", row.latency.count()},
                    {"total_ns", ns(row.latency.total_ns())},
                    {"latency_ns", latency(row.latency, options, ns)}});
  }
  for (const analyze::PlaceLatency& row : from.places)  // a null thread: calls that threads made after their own end
    places.push_back(
        {{"thread", row.orphan ? Json(nullptr) : Json(row.thread)},
         {"call", row.frees ? Json("free") : Json(nullptr)},
         {"size_class", row.frees ? Json(nullptr) : Json(size_class_last(row.size_class))},
         {"count", row.latency.count()},
         {"total_ns", ns(row.latency.total_ns())},
         {"share", from.total_ns > 0 ? number(row.latency.total_ns() / from.total_ns, 1e-6) : Json(nullptr)},
         {"latency_ns", latency(row.latency, options, ns)}});
  return {{"mode", from.timed     ? "time"
                   : from.counted ? "count"
                                  : "off"},
          {"observable", from.observable},
          {"why_not", from.observable ? Json(nullptr) : text_or_null(from.why_not)},
          {"calls", calls},
          {"failed", counted(from.failed)},
          {"bytes_requested", counted(from.bytes_requested)},
          {"frees_not_seen", nullptr},
          {"latency", rows},
          {"latency_by_thread", merged ? Json(nullptr) : places},
          {"hot", nullptr},
          {"sites", nullptr}};
}

Json thread(const analyze::ThreadRow& row, const Times& ns) {
  return {{"serial", row.serial},
          {"tid", or_null(row.tid)},
          {"name", row.name ? Json(utf8(*row.name)) : Json(nullptr)},
          {"start_ns", ns(row.start_ns)},
          {"end_ns", ns(row.end_ns)},
          {"scopes", row.scopes},
          {"allocations", or_null(row.allocations)},
          {"lost", row.lost},
          {"minor_faults", nullptr},
          {"major_faults", nullptr},
          {"switches_voluntary", nullptr},
          {"switches_involuntary", nullptr},
          {"migrations", nullptr},
          {"pin",
           {{"asked", text_or_null(row.pin_asked)},
            {"applied", text_or_null(row.pin_applied)},
            {"error", text_or_null(row.pin_error)}}}};
}

Json process(const std::optional<analyze::ProcessFacts>& from, const Times& ns) {
  if (!from) return nullptr;
  Json command = Json::array();
  for (const std::string& word : from->command) command.push_back(utf8(word));
  return {{"pid", from->pid},
          {"parent_pid", from->parent_pid},
          {"program", utf8(from->program)},
          {"command", command},
          {"host", utf8(from->host)},
          {"start_unix_ns", from->start_unix_ns},
          {"duration_ns", ns(from->duration_ns)},
          {"ended", text_or_null(from->ended)}};
}

Json texts(const std::vector<std::string>& from) {
  Json out = Json::array();
  for (const std::string& text : from) out.push_back(utf8(text));
  return out;
}

Json parts_of(const analyze::FileFacts& file) {
  Json out = Json::array();
  for (const analyze::FileFacts::Part& part : file.parts)
    out.push_back({{"path", utf8(part.path)}, {"part", part.number}});
  return out.empty() ? Json(nullptr) : out;
}

// `merged`: of several files, which have no process, clock or threads in common.
Json report(const analyze::Report& from, const SummaryOptions& options, bool merged) {
  const Times ns(from.clock);
  Json scopes = Json::array(), threads = Json::array(), warnings = Json::array();
  Json values = Json::array(), pulses = Json::array(), marks = Json::array();
  for (const analyze::ValueRow& row : from.values) values.push_back(value(row, options));
  for (const analyze::PulseRow& row : from.pulses) pulses.push_back(pulse(row, options, ns));
  for (const analyze::MarkRow& row : from.marks)
    marks.push_back({{"thread", row.thread}, {"at_ns", ns(row.at_ns)}, {"text", utf8(row.text)}});
  for (const analyze::ScopeRow& row : from.scopes) scopes.push_back(scope(row, from.allocations, options, ns));
  for (const analyze::ThreadRow& row : from.threads) threads.push_back(thread(row, ns));
  for (const analyze::Warning& warning : from.warnings)
    warnings.push_back({{"code", utf8(warning.code)}, {"text", utf8(warning.text)}});
  return {{"schema", 1},
          {"view", from.corrected ? "corrected" : "raw"},
          {"headline", texts(from.headline)},
          {"file",
           {{"path", merged ? Json(nullptr) : Json(utf8(from.file.path))},
            {"complete", from.file.complete},
            {"bytes", from.file.bytes},
            {"recovered_records", from.file.records},  // all that could be read; of a whole dump, all there were
            {"parts", parts_of(from.file)},
            {"partial", texts(from.partial)}}},
          {"process", process(from.process, ns)},
          {"clock",
           {{"source", text_or_null(from.clock.source)},
            {"ticks_per_ns", number(from.clock.ticks_per_ns, 1e-9)},
            {"error_ppm", number(from.clock.error_ppm, 1e-6)},
            {"anomalies", from.clock.anomalies}}},
          {"cost", merged ? Json(nullptr) : cost(from.clock, from.cost)},
          {"losses", losses(from.losses, ns)},
          {"scopes", scopes},
          {"values", values},
          {"pulses", pulses},
          {"marks", merged ? Json(nullptr) : marks},
          {"allocations", allocations(from.allocations, options, ns, merged)},
          {"threads", merged ? Json(nullptr) : threads},
          {"kernel", {{"source", "none"}, {"why", "this version does not record kernel events"}}},
          {"warnings", warnings}};
}

}  // namespace

std::string summary_json(const std::vector<analyze::Report>& reports, const analyze::Report* merged,
                         const SummaryOptions& options, bool several) {
  Json out;
  if (!several && merged == nullptr && reports.size() == 1) {
    out = report(reports.front(), options, false);
  } else {
    Json each = Json::array();
    for (const analyze::Report& one : reports) each.push_back(report(one, options, false));
    out = {{"schema", 1},
           {"reports", each},
           {"merged", merged == nullptr ? Json(nullptr) : report(*merged, options, true)}};
  }
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tl::render
