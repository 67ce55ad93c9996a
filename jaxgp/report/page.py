"""Style and script of the report: plain CSS and JavaScript, without libraries or anything else to load."""

STYLE = """
:root { color-scheme: light dark; --ink: #1d2430; --soft: #5d6778; --paper: #fbfbfa; --card: #ffffff;
  --line: #d9dde3; --accent: #1f6fb2; --inner: #e6f0f9; --leaf: #fdf1df; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e8ee; --soft: #9aa5b5; --paper: #14181d; --card: #1c2127;
  --line: #343c46; --accent: #6db3ea; --inner: #1f3a52; --leaf: #4a3a1e; } }
* { box-sizing: border-box; }
[hidden] { display: none !important; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 72rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 1rem; }
h1, .replay p, figcaption { overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; margin: 2.2rem 0 .7rem; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(7.8rem, 1fr)); gap: .6rem; margin: 0; }
.tiles div, figure, .replay { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; }
.tiles div { padding: .6rem .8rem; display: flex; flex-direction: column; justify-content: space-between; }
.tiles dt { color: var(--soft); font-size: .8rem; }
.tiles dd { margin: 0; font-size: 1.35rem; font-variant-numeric: tabular-nums; }
pre { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: .8rem; overflow: auto;
  font: .85rem/1.5 ui-monospace, monospace; max-height: 32rem; }
.expression { white-space: pre-wrap; overflow-wrap: anywhere; max-height: 16rem; }
.scroll { overflow: auto; max-height: 36rem; border: 1px solid var(--line); border-radius: .5rem;
  background: var(--card); }
#tree { padding: 1rem; }
.tree { display: block; margin: 0 auto; }
.tree.fit { max-width: 100%; height: auto; }
.tree path { stroke: var(--soft); stroke-width: 1; fill: none; }
.tree rect { stroke: var(--soft); fill: var(--inner); }
.tree .leaf rect { fill: var(--leaf); }
.tree text { fill: var(--ink); font: 12px ui-monospace, monospace; text-anchor: middle; }
* + .plots { margin-top: .8rem; }
.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(26rem, 100%), 1fr)); gap: .8rem; }
figure { margin: 0; padding: .6rem; }
figure svg { display: block; width: 100%; height: auto; }
figcaption { color: var(--soft); font-size: .85rem; }
a { color: var(--accent); }
table { border-collapse: collapse; width: 100%; font-size: .88rem; }
th, td { padding: .35rem .7rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
.pairs th { color: var(--soft); font-weight: 500; white-space: nowrap; width: 1%; }
.pairs td { overflow-wrap: anywhere; }
@media (max-width: 40rem) { .pairs th { white-space: normal; width: 35%; } }
.numbers th, .numbers td { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.numbers .words { text-align: left; white-space: normal; }
.numbers thead th { position: sticky; top: 0; background: var(--card); color: var(--soft); font-weight: 500; }
.replay { padding: .8rem 1rem; }
.replay:focus-visible, .scroll:focus-visible { outline: 2px solid var(--accent); }
#frame { overflow-x: auto; }
#frame svg { display: block; width: 100%; max-width: 46rem; height: auto; margin: 0 auto; }
#caption { min-height: 1.5em; text-align: center; }
.controls { display: flex; flex-wrap: wrap; gap: .4rem; align-items: center; }
#frame.alone svg { min-width: 34rem; }
.controls input { flex: 1; min-width: 4rem; accent-color: var(--accent); }
select { max-width: 100%; }
button, select { font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--line);
  border-radius: .4rem; padding: .25rem .7rem; cursor: pointer; }
button:hover, select:hover { border-color: var(--accent); }
output { min-width: 5rem; text-align: right; font-variant-numeric: tabular-nums; color: var(--soft); }
@media (max-width: 40rem) { .controls input { flex-basis: 100%; order: -1; }
  output { min-width: 0; margin-left: auto; } }
details { margin: .4rem 0; }
summary { cursor: pointer; }
"""

SCRIPT = """
"use strict";
const byId = (id) => document.getElementById(id);
const tree = byId("tree");
if (tree) {
  const root = tree.querySelector("g rect");
  byId("fit").addEventListener("change", (event) => {
    tree.querySelector("svg").classList.toggle("fit", event.target.checked);
    if (root) tree.scrollLeft = root.x.baseVal.value + root.width.baseVal.value / 2 - tree.clientWidth / 2;
  });
}
if (byId("replay")) {
  const games = JSON.parse(byId("games").textContent);
  let game = Number(byId("game").value), at = 0, timer = null;
  const choice = byId("game"), title = byId("title");
  const name = () => {  // a choice that is long is cut where it is shown
    title.textContent = choice.selectedOptions[0].text;
    title.hidden = choice.length > 1 && title.textContent.length < 40;
  };
  const show = (index) => {
    const { frames, captions } = games[game];
    at = Math.max(0, Math.min(index, frames.length - 1));
    byId("frame").innerHTML = frames[at];
    byId("frame").classList.toggle("alone", frames.length === 1);
    byId("controls").hidden = frames.length === 1;
    byId("caption").textContent = captions[at];
    byId("slider").max = frames.length - 1;
    byId("slider").value = at;
    byId("place").textContent = at + " / " + (frames.length - 1);
  };
  const pause = () => { clearInterval(timer); timer = null; byId("play").textContent = "play"; };
  const play = () => {
    if (timer !== null) { pause(); return; }
    if (at === games[game].frames.length - 1) show(0);
    byId("play").textContent = "pause";
    timer = setInterval(() => {
      show(at + 1);
      if (at === games[game].frames.length - 1) pause();
    }, 900);
  };
  const go = (index) => { pause(); show(index); };
  const end = () => games[game].frames.length - 1;
  const start = () => games[game].ends ? end() : 0;
  byId("game").addEventListener("change", (event) => { game = Number(event.target.value); name(); go(start()); });
  byId("first").addEventListener("click", () => go(0));
  byId("back").addEventListener("click", () => go(at - 1));
  byId("play").addEventListener("click", play);
  byId("next").addEventListener("click", () => go(at + 1));
  byId("last").addEventListener("click", () => go(end()));
  byId("slider").addEventListener("input", (event) => go(Number(event.target.value)));
  byId("replay").addEventListener("keydown", (event) => {
    if (event.target.tagName === "SELECT") return;
    const keys = { ArrowLeft: () => go(at - 1), ArrowRight: () => go(at + 1), Home: () => go(0), End: () => go(end()) };
    if (event.target.tagName !== "BUTTON") keys[" "] = play;
    const action = keys[event.key];
    if (action) { event.preventDefault(); action(); }
  });
  name();
  show(start());
}
"""
