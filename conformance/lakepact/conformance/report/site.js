"use strict";
// The site of results: each address after # is a view of the content. Texts of targets are only ever text nodes.
const { groups, looks } = JSON.parse(document.getElementById("content").textContent);
const main = document.querySelector("main"), heading = document.querySelector("h1"), path = document.querySelector("nav");
const SEVERITIES = [...new Set(groups.flatMap(group => group.reports.flatMap(report => report.causes.map(cause => cause.severity))))];
const OUTCOMES = Object.keys(looks), MOST_MATCHES = 100;
for (const report of groups.flatMap(group => group.reports)) report.outcomes = [...report.outcomes].map(place => OUTCOMES[place] ?? "");
const PRESENT = OUTCOMES.filter(outcome => groups.some(group => group.reports.some(report => report.outcomes.includes(outcome))));

function element(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== false) made.setAttribute(name, value);
  }
  made.append(...children.flat(Infinity).filter(child => child !== null && child !== undefined && child !== ""));
  return made;
}

/** The address of a view. */
function address(parts, query = {}) {
  const chosen = Object.entries(query).filter(([, value]) => value);
  return "#/" + parts.map(encodeURIComponent).join("/") + (chosen.length ? "?" + new URLSearchParams(chosen) : "");
}

const link = (parts, text, query, attributes) => element("a", { ...attributes, href: address(parts, query) }, text);

/** A sentence whose code stands between backticks. */
const sentence = text => text.split("`").map((part, n) => n % 2 ? element("code", {}, part) : part);

function chip(outcome, text = "", title = looks[outcome][2]) {
  const [style, sign] = looks[outcome];
  return element("span", { class: "v " + (style || "none"), title }, `${sign} ${text}`.trim());
}

function table(head, rows) {
  const names = head.map(name => element("th", { scope: "col" }, name));
  return element("div", { class: "wide", tabindex: 0 },
    element("table", {}, element("thead", {}, element("tr", {}, names)), element("tbody", {}, rows)));
}

const row = (name, cells) => element("tr", {}, element("th", { scope: "row" }, name), cells.map(cell => element("td", { class: "c" }, cell)));
const section = (title, ...parts) => element("section", {}, element("h2", {}, title), parts);

/** The reports of a group, each name with its newest one. */
const newest = group => group.reports.filter(report => history(group, report.name)[0] === report);
const history = (group, name) => group.reports.filter(report => report.name === name).sort((a, b) => a.ended < b.ended ? 1 : -1);
const outcome = (group, report, requirement) => report.outcomes[group.requirements.indexOf(requirement)];

function counts(group, report, area) {
  const cell = { pass: 0, judged: 0, worst: "" };
  group.requirements.forEach((requirement, n) => {
    const each = report.outcomes[n];
    if (requirement.area !== area || !each || each === "not-offered") return;
    cell.judged += 1;
    cell.pass += each === "pass";
    if (!cell.worst || worse(each, cell.worst)) cell.worst = each;
  });
  return cell;
}

/** Failures are worse than warnings, and these worse than what could not be judged. */
const RANKS = ["pass", "known-fail", "blocked", "warn", "error", "unexpected-pass", "fail"];
const worse = (one, other) => RANKS.indexOf(one) > RANKS.indexOf(other);

function areaCell(group, report, area) {
  const { pass, judged, worst } = counts(group, report, area);
  if (!judged) return chip("not-offered");
  return link([group.id, "area", area], chip(worst, `${pass}/${judged}`, `${report.name}: ${pass} of ${judged} pass`), { report: report.name });
}

function requirementCell(group, report, requirement) {
  const each = outcome(group, report, requirement);
  if (!each) return element("span", { class: "v none", title: "not in this report" }, "–");
  return link([group.id, "requirement", requirement.id], chip(each), { report: report.name }, { "aria-label": `${report.name}: ${looks[each][2]}` });
}

function grid(group) {
  const reports = newest(group), areas = [...new Set(group.requirements.map(requirement => requirement.area))];
  return section(group.title, table(
    ["area", ...reports.map(report => link([group.id, "report", report.name], report.name))],
    areas.map(area => row(link([group.id, "area", area], area), reports.map(report => areaCell(group, report, area))))));
}

/** The field of a query; what is typed stands in the address. */
function search(query, show) {
  return element("input", { type: "search", value: query.q ?? "", placeholder: "id or words; press /", "aria-label": "search",
    oninput: event => change({ q: event.target.value }, show) });
}

function choice(name, values, query, show) {
  return element("label", {}, name + " ", element("select", { onchange: event => change({ [name]: event.target.value }, show) },
    ["", ...values].map(value => element("option", { value, ...(query[name] === value && { selected: "" }) }, value || "all"))));
}

function change(values, show) {
  const { parts, query } = place();
  window.history.replaceState(null, "", address(parts, { ...query, ...values }));
  show(place().query);
}

function fits(requirement, text = "") {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const whole = [requirement.id, requirement.area, requirement.sentence, ...requirement.operations].join(" ").toLowerCase();
  return words.every(word => whole.includes(word));
}

function requirementRows(group, reports, requirements) {
  return table(["requirement", ...reports.map(report => link([group.id, "report", report.name], report.name))],
    requirements.map(requirement => row(
      [link([group.id, "requirement", requirement.id], requirement.id), element("small", {}, `${requirement.level}: `, sentence(requirement.sentence))],
      reports.map(report => requirementCell(group, report, requirement)))));
}

/** A part of a view that is drawn again for each query. */
function drawn(draw) {
  const part = element("div");
  const show = query => part.replaceChildren(...[draw(query)].flat());
  return [part, show];
}

const views = {
  front(query) {
    const [part, show] = drawn(({ q }) => {
      if (!q) return groups.map(grid);
      const matches = groups.map(group => [group, group.requirements.filter(each => fits(each, q))]).filter(([, requirements]) => requirements.length);
      return matches.length
        ? matches.map(([group, requirements]) => section(`${group.title} (${requirements.length})`,
          requirementRows(group, newest(group), requirements.slice(0, MOST_MATCHES))))
        : element("p", {}, "No requirement has these words.");
    });
    show(query);
    return { title: "Results", parts: [element("form", { id: "filters", role: "search", onsubmit: stay }, search(query, show)), legend(), part] };
  },

  area(group, query, area) {
    const reports = newest(group);
    const [part, show] = drawn(({ q, report, outcome: shown }) => {
      const columns = report ? reports.filter(each => each.name === report) : reports;
      const rows = group.requirements.filter(each => each.area === area && fits(each, q)
        && (!shown || columns.some(column => outcome(group, column, each) === shown)));
      return rows.length ? requirementRows(group, columns, rows) : element("p", {}, "No requirement fits.");
    });
    show(query);
    const form = element("form", { id: "filters", role: "search", onsubmit: stay }, search(query, show),
      choice("report", reports.map(each => each.name), query, show), choice("outcome", PRESENT, query, show));
    return { title: area, parts: [form, legend(), part] };
  },

  requirement(group, query, id) {
    const requirement = group.requirements.find(each => each.id === id);
    if (!requirement) return views.unknown();
    const reports = newest(group), by = groupBy(reports, report => outcome(group, report, requirement));
    const sections = [...RANKS].reverse().concat("not-offered").filter(each => by.has(each)).map(each => section(
      `${looks[each][2]} (${by.get(each).length})`,
      by.get(each).map(report => verdict(group, report, requirement, query.report === report.name))));
    const dates = reports.filter(report => history(group, report.name).length > 1);
    const past = dates.length ? section("History", table(["report", "outcome by date"], dates.map(report => row(report.name,
      [history(group, report.name).map(each => outcome(group, each, requirement) ? [chip(outcome(group, each, requirement), each.ended.slice(0, 10)), " "] : [])])))) : "";
    const terms = [["level", requirement.level], ["clause", requirement.clause], ["operations", requirement.operations.join(", ")], ["interpretation", requirement.interpretation]];
    return { title: id, above: [[group.id, "area", requirement.area], requirement.area],
      parts: [element("p", {}, sentence(requirement.sentence)), definitions(terms), sections, past] };
  },

  report(group, query, name, ended) {
    const all = history(group, name), report = ended ? all.find(each => each.ended === ended) : all[0];
    if (!report) return views.unknown();
    const seen = PRESENT.map(each => [each, report.outcomes.filter(one => one === each).length]).filter(([, n]) => n);
    const others = all.filter(each => each !== report);
    const parts = [
      definitions([["target", report.target], ["checked", `${report.ended} UTC`], ["verdict", report.verdict]]),
      element("ul", { class: "tally" }, seen.map(([each, n]) => element("li", {}, chip(each, `${n} ${looks[each][2]}`)))),
      element("p", {}, element("a", { href: report.address }, "The whole report, with every request")),
      others.map(each => element("p", {}, link([group.id, "changes", name, ...[each.ended, report.ended].sort()], `Changes between ${each.ended} and ${report.ended}`))),
    ];
    for (const severity of SEVERITIES) {
      const causes = report.causes.filter(cause => cause.severity === severity);
      if (causes.length) parts.push(section(`${severity} (${causes.length})`, element("ol", {}, causes.map(cause => element("li", { value: cause.number },
        chip(cause.outcome), " ", sentence(cause.title), " ", cause.requirements.map(id => [link([group.id, "requirement", id], id, { report: name }), " "]))))));
    }
    return { title: name, parts };
  },

  changes(group, query, name, from, to) {
    const [before, after] = [from, to].map(ended => history(group, name).find(each => each.ended === ended));
    if (!before || !after) return views.unknown();
    const changed = group.requirements.filter(each => outcome(group, before, each) !== outcome(group, after, each));
    const shown = (report, each) => outcome(group, report, each) ? chip(outcome(group, report, each), looks[outcome(group, report, each)][2]) : "not in this report";
    const inBoth = each => outcome(group, before, each) && outcome(group, after, each);
    const kinds = [
      ["No longer pass", each => inBoth(each) && outcome(group, before, each) === "pass", after],
      ["Pass now", each => inBoth(each) && outcome(group, after, each) === "pass", before],
      ["Other changes", inBoth, after], ["Only in one of the reports", () => true, after]];
    const cause = (report, each) => report.causes.find(one => one.requirements.includes(each.id))?.title;
    const told = new Set();
    const parts = kinds.map(([title, belongs, report]) => {
      const rows = changed.filter(each => !told.has(each) && belongs(each));
      rows.forEach(each => told.add(each));
      return rows.length ? section(`${title} (${rows.length})`, table(["requirement", from, to], rows.map(each => row(
        [link([group.id, "requirement", each.id], each.id, { report: name }), element("small", {}, sentence(each.sentence)), element("small", {}, sentence(cause(report, each) ?? ""))],
        [shown(before, each), shown(after, each)])))) : "";
    });
    return { title: `${name}: changes`, above: [[group.id, "report", name], name], parts: changed.length ? parts : [element("p", {}, "Every requirement has the same outcome.")] };
  },

  unknown: () => ({ title: "No such page", parts: [element("p", {}, link([], "All results"))] }),
};

const stay = event => event.preventDefault();
const legend = () => element("p", { class: "lead" }, "passed/applicable; ", PRESENT.map(each => [chip(each, looks[each][2]), " "]));
const definitions = terms => element("dl", {}, terms.filter(([, text]) => text).map(([name, text]) => [element("dt", {}, name), element("dd", {}, sentence(text))]));

function groupBy(items, key) {
  const result = new Map();
  for (const item of items) result.set(key(item), [...(result.get(key(item)) ?? []), item]);
  return result;
}

/** One report's outcome for a requirement, with the exchange that shows it. */
function verdict(group, report, requirement, isOpen) {
  const findings = report.findings.filter(each => each.requirement === requirement.id), each = outcome(group, report, requirement);
  const name = [link([group.id, "report", report.name], report.name), ` ${report.ended.slice(0, 10)}`];
  if (!findings.length) return element("p", {}, name);
  return element("details", { class: "group cause", open: isOpen || findings.length < 3 ? "" : undefined },
    element("summary", {}, chip(each), " ", name),
    findings.map(finding => {
      const cause = report.causes.find(one => one.number === finding.cause);
      return element("article", { class: looks[each][0] },
        cause ? element("p", {}, element("b", {}, cause.severity), ": ", sentence(cause.title)) : "",
        element("dl", {}, finding.terms.map(([label, text]) => [element("dt", {}, label), element("dd", {}, element("code", {}, text))])),
        element("p", {}, element("a", { href: `${report.address}#${cause ? `cause-${cause.number}` : requirement.id}` }, "All requests, in the report")));
    }));
}

function place() {
  const [way, query] = location.hash.replace(/^#\/?/, "").split("?");
  const parts = way.split("/").filter(Boolean).map(part => {
    try {
      return decodeURIComponent(part);
    } catch {
      return part;
    }
  });
  return { parts, query: Object.fromEntries(new URLSearchParams(query ?? "")) };
}

function show() {
  const { parts: [id, kind, ...rest], query } = place(), group = groups.find(each => each.id === id);
  const view = !id ? views.front(query) : group && Object.hasOwn(views, kind ?? "") && rest.length ? views[kind](group, query, ...rest) : views.unknown();
  heading.textContent = document.title = view.title;
  path.replaceChildren(...id ? [link([], "All results"), group ? group.title : "", view.above ? link(...view.above) : ""] : []);
  path.hidden = !id;
  main.replaceChildren(...view.parts.flat(Infinity));
}

addEventListener("hashchange", () => { show(); scrollTo(0, 0); heading.focus(); });
addEventListener("keydown", event => {
  const field = document.querySelector("input[type=search]");
  if (event.key !== "/" || !field || event.ctrlKey || event.metaKey || /^(INPUT|SELECT)$/.test(event.target.tagName)) return;
  event.preventDefault();
  field.focus();
});
show();
