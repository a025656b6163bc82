"""How the page of a report looks: by day and by night, on a telephone and on paper. Colours never
stand alone: a sign says the same.
"""

from __future__ import annotations

STYLE = """
:root {
  color-scheme: light dark;
  --page: #fbfbfa; --card: #fff; --text: #1c1e21; --soft: #5d646d; --line: #e3e4e1; --shade: #f2f2ef; --link: #175cc2;
  --pass: #226b45; --fail: #b3212f; --warn: #8a5a0b; --error: #6f3fa8; --inconclusive: #5d646d;
  --pass-bg: #e3f2ea; --fail-bg: #fae3e5; --warn-bg: #faf0d8; --error-bg: #efe6f9; --inconclusive-bg: #ececeb;
}
@media (prefers-color-scheme: dark) { :root {
  --page: #14161a; --card: #1b1e23; --text: #e6e7e9; --soft: #9aa2ad; --line: #2e333b; --shade: #23272e; --link: #7fb2ff;
  --pass: #58c28d; --fail: #f2727d; --warn: #e3b457; --error: #b795e6; --inconclusive: #a3abb6;
  --pass-bg: #16352a; --fail-bg: #45202a; --warn-bg: #3d3116; --error-bg: #33264a; --inconclusive-bg: #2b2f36;
} }
* { box-sizing: border-box }
html { -webkit-text-size-adjust: 100%; scroll-behavior: smooth }
body { font: 15px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "DejaVu Sans", sans-serif;
  color: var(--text); background: var(--page); margin: 0; overflow-wrap: anywhere }
main, header.top, footer { max-width: 1120px; margin: 0 auto; padding: 0 20px }
header.top { padding-top: 36px }
.kicker { color: var(--soft); font-size: .8rem; letter-spacing: .08em; text-transform: uppercase; margin: 0 }
h1 { font-size: clamp(1.4rem, 4.5vw, 2rem); line-height: 1.2; margin: .2rem 0 .6rem; letter-spacing: -.015em }
h2 { font-size: 1.2rem; margin: 3rem 0 .4rem; letter-spacing: -.01em }
h3 { font-size: 1rem; margin: 0 }
p { margin: .4rem 0 .8rem } p.lead { color: var(--soft); max-width: 75ch }
a { color: var(--link) }
code, pre { font: .84em/1.5 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace }
nav { display: flex; flex-wrap: wrap; gap: 4px 18px; margin: 1rem 0 0; padding: 10px 0; border-block: 1px solid var(--line);
  font-size: .9rem }
nav a { text-decoration: none } nav a:hover { text-decoration: underline }
nav.causes { display: block; border-top: 0; margin: 0 } nav.causes li { margin: .35rem 0 } nav.causes small { color: var(--soft) }
.copy { float: right; font-size: .75rem; margin: 4px } pre { clear: both }
.meta { display: flex; flex-wrap: wrap; gap: 2px 22px; color: var(--soft); font-size: .9rem; margin: 0; padding: 0; list-style: none }
.meta b { color: var(--text); font-weight: 600 }
.notice { border: 1px solid var(--warn); background: var(--warn-bg); border-radius: 8px; padding: 10px 14px; margin: 1rem 0 }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(300px, 100%), 1fr)); gap: 16px; margin-top: 1.2rem }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 16px 18px; min-width: 0 }
.card h3 { display: flex; align-items: baseline; gap: 8px; flex-wrap: wrap }
[hidden] { display: none !important }
#filters { display: flex; flex-wrap: wrap; gap: 8px 10px; align-items: center; margin: 3rem 0 0; padding: 10px 0; position: sticky; top: 0;
  background: var(--page); border-bottom: 1px solid var(--line); font-size: .87rem; color: var(--soft); z-index: 1 }
#filters input { width: min(15em, 60vw) } #filters output { color: var(--text) }
input, select, button { font: inherit; color: var(--text); background: var(--card); border: 1px solid var(--line); border-radius: 6px;
  padding: 3px 8px }
button { cursor: pointer } :is(input, select, button, summary, a, pre):focus-visible { outline: 2px solid var(--link); outline-offset: 1px }
main > #filters:first-child { margin-top: .6rem }
#filters ~ section h2 { margin-top: 2rem }
section[id], article[id], li[id], details[id] { scroll-margin-top: 60px }
.cause { border-top: 1px solid var(--line); margin: 0 } .cause > summary { padding: 8px 0; font-weight: 400 }
.cause > summary small { color: var(--soft) } .cause[open] { padding-bottom: 12px }
.cause[open] > summary > span + span { font-weight: 600 }
.card .where { color: var(--soft); font-size: .8rem; margin: 0 0 10px }
.big { display: flex; align-items: baseline; gap: 10px; margin: 4px 0 10px }
.big strong { font-size: 1.5rem; line-height: 1.1; white-space: nowrap; font-variant-numeric: tabular-nums }
.big span { color: var(--soft); font-size: .85rem }
.tally { display: flex; flex-wrap: wrap; gap: 6px; margin: 10px 0 12px; padding: 0; list-style: none; font-size: .82rem }
.v { display: inline-block; border-radius: 5px; padding: 0 7px; font-weight: 600; font-variant-numeric: tabular-nums; white-space: nowrap }
.v.pass { color: var(--pass); background: var(--pass-bg) } .v.fail { color: var(--fail); background: var(--fail-bg) }
.v.warn { color: var(--warn); background: var(--warn-bg) } .v.error { color: var(--error); background: var(--error-bg) }
.v.inconclusive { color: var(--inconclusive); background: var(--inconclusive-bg) } .v.none { color: var(--soft) }
.wide { overflow-x: auto; border: 1px solid var(--line); border-radius: 8px; margin: .6rem 0 1rem;
  background: linear-gradient(270deg, var(--card) 50%, transparent) right / 60px 100% no-repeat local,
    linear-gradient(270deg, rgb(128 128 128 / .45), transparent) right / 14px 100% no-repeat var(--card) }
.wide:focus-visible { outline: 2px solid var(--link) }
table { border-collapse: collapse; font-size: .87rem; width: 100%; font-variant-numeric: tabular-nums }
th, td { text-align: left; padding: 6px 12px; border-bottom: 1px solid var(--line); vertical-align: top; overflow-wrap: normal }
tr:last-child > * { border-bottom: 0 }
thead th { font-weight: 600; color: var(--soft); font-size: .8rem; background: var(--shade); white-space: nowrap; vertical-align: bottom }
tbody th { font-weight: 500; position: sticky; left: 0; background: var(--card); white-space: nowrap }
td.shares { min-width: 90px; vertical-align: middle }
td.n, th.n { text-align: right } td.c, th.c { text-align: center; white-space: nowrap } td.says { min-width: 26ch; color: var(--soft) }
tbody th small { display: none; font-weight: 400; color: var(--soft) }
thead th:has(a) { white-space: normal; text-align: center; min-width: 6.5rem }
tbody th:has(a) { white-space: normal; min-width: 14rem } tbody th a ~ small { display: block }
td.zero { color: var(--line) }
details { margin: .5rem 0 } summary { cursor: pointer; padding: 4px 0; font-weight: 500 }
details.area { border: 1px solid var(--line); border-radius: 8px; background: var(--card); margin: 8px 0 }
details.area > summary { display: grid; grid-template-columns: minmax(9rem, 1fr) 3fr; gap: 6px 16px; align-items: center;
  padding: 8px 14px; list-style: none }
details.area > summary::-webkit-details-marker { display: none }
details.area > summary b::before { content: "▸"; display: inline-block; width: 1.1em; color: var(--soft) }
details.area[open] > summary b::before { content: "▾" }
details.area .wide { border-width: 1px 0 0; border-radius: 0 0 8px 8px; margin: 0 }
details.area > details { margin: 0; border-top: 1px solid var(--line) } details.area > details > summary { padding: 6px 14px;
  color: var(--soft) }
.bars { display: grid; gap: 3px; min-width: 0 }
.bars div { display: grid; grid-template-columns: minmax(0, 8.5rem) 1fr 4.6rem; gap: 10px; align-items: center; font-size: .8rem;
  font-weight: 400 }
.bars div > span:first-child { color: var(--soft); overflow: hidden; text-overflow: ellipsis; white-space: nowrap }
.bars div > span:last-child { text-align: right; font-variant-numeric: tabular-nums; color: var(--soft) }
.bar { display: flex; height: 9px; border-radius: 5px; overflow: hidden; background: var(--shade) }
.bar i { display: block; min-width: 2px } .bar i.pass { background: var(--pass); opacity: .75 } .bar i.fail { background: var(--fail) }
.bar i.warn { background: var(--warn) } .bar i.error { background: var(--error) } .bar i.inconclusive { background: var(--inconclusive) }
article { background: var(--card); border: 1px solid var(--line); border-left: 4px solid var(--fail); border-radius: 8px;
  padding: 12px 16px; margin: 12px 0 }
article.warn { border-left-color: var(--warn) } article.error { border-left-color: var(--error) }
article.inconclusive { border-left-color: var(--inconclusive) } article.pass { border-left-color: var(--pass) }
article > p { margin: .3rem 0 .5rem }
article .clause { color: var(--soft); font-size: .8rem; margin: 0 }
dl { margin: .4rem 0; display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 2px 14px; font-size: .87rem }
dt { color: var(--soft) } dd { margin: 0 } dd code { white-space: pre-wrap }
pre { background: var(--shade); border-radius: 6px; padding: 10px 12px; margin: .4rem 0 0; overflow-x: auto; overflow-wrap: normal }
footer { color: var(--soft); font-size: .85rem; padding-top: 2.5rem; padding-bottom: 3rem }
@media (max-width: 560px) {
  #filters { position: static } #filters label:first-child { width: 100% }
  main, header.top, footer { padding-inline: 14px } header.top { padding-top: 22px } dl { grid-template-columns: minmax(0, 1fr) }
  dd { margin-bottom: 4px }
  details.area > summary { grid-template-columns: minmax(0, 1fr) } .bars div { grid-template-columns: minmax(0, 6.5rem) 1fr 4.2rem }
  td.says, th.says { display: none } tbody th small { display: block } th, td { padding: 6px 8px }
  tbody th { white-space: normal; overflow-wrap: anywhere; min-width: 44vw }
}
@media print { header nav, #filters, .copy { display: none } body { background: #fff } .card, article { break-inside: avoid } }
"""
