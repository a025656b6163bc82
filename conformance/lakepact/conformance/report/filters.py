"""Search and filters of the HTML report: a form, and the script that hides the requirements that do
not fit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from lakepact.conformance.evidence.escaping import html as escape

#: Elements with `data-outcome` are requirements. Groups and sections without a requirement that
#: fits are hidden.
SCRIPT = """
const form = document.getElementById("filters"), { text, outcome, severity, area, fold, reset } = form.elements;
const items = [...document.querySelectorAll("[data-outcome]")].map(item => ({ item, said: item.textContent.toLowerCase() }));
const groups = [...document.querySelectorAll("details.group, details.more, section.findings")];
const folded = () => [...document.querySelectorAll("details.group, details.more")];
function filter() {
  const words = text.value.toLowerCase().split(/\\s+/).filter(Boolean);
  const chosen = [outcome, severity, area].filter(choice => choice.value);
  let fitting = 0;
  for (const { item, said } of items) {
    const fits = chosen.every(choice => item.dataset[choice.name] === choice.value) && words.every(word => said.includes(word));
    item.hidden = !fits;
    fitting += fits;
  }
  for (const group of groups) group.hidden = !group.querySelector("[data-outcome]:not([hidden])");
  const filtered = words.length > 0 || chosen.length > 0;
  form.querySelector("output").value = filtered ? `${fitting} of ${items.length} requirements` : "";
  if (words.length) openAll(folded().filter(group => !group.hidden));
}
function openAll(groups, open = true) {
  for (const group of groups) group.open = open;
  fold.textContent = open && groups.length ? "Fold all" : "Open all";
}
function clear() {
  for (const control of [text, outcome, severity, area]) control.value = "";
  openAll(folded(), false);
  filter();
}
function reveal() {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  if (target.closest("[hidden]")) clear();
  for (let group = target.closest("details"); group; group = group.parentElement.closest("details")) group.open = true;
  target.scrollIntoView();
}
form.hidden = false;
form.addEventListener("input", filter);
form.addEventListener("submit", event => event.preventDefault());
reset.addEventListener("click", clear);
fold.addEventListener("click", () => openAll(folded(), fold.textContent === "Open all"));
addEventListener("keydown", event => {
  if (event.key === "Escape") clear();
  if (event.key !== "/" || event.ctrlKey || event.metaKey || /^(INPUT|SELECT)$/.test(event.target.tagName)) return;
  event.preventDefault();
  text.focus();
});
for (const commands of document.querySelectorAll("pre")) {
  const button = document.createElement("button");
  button.textContent = "Copy";
  button.className = "copy";
  button.addEventListener("click", () => navigator.clipboard.writeText(commands.textContent)
    .then(() => { button.textContent = "Copied" }, () => getSelection().selectAllChildren(commands)));
  commands.before(button);
}
addEventListener("hashchange", reveal);
filter();
reveal();
"""


def form(choices: Mapping[str, Iterable[str]]) -> str:
    """Return the form, which the script shows.

    Args:
        choices: the values of each `data-` attribute that can be chosen: `outcome`, `severity` and
            `area`.
    """
    selects = "".join(
        f'<label>{name} <select name="{name}"><option value="">all</option>'
        + "".join(f'<option value="{escape(value)}">{escape(value)}</option>' for value in values)
        + "</select></label>"
        for name, values in choices.items()
    )
    return (
        '<form id="filters" role="search" hidden><label>search <input type="search" name="text"'
        f' autocomplete="off" placeholder="id or text; press /"></label>{selects}<button'
        ' type="button" name="fold">Open all</button><button type="button"'
        ' name="reset">Clear</button><output></output></form>'
    )
