// The looks of a report, for its own page and for a page around it: all rules are below one class.

const light = `
  --lemmata-ground: #ffffff; --lemmata-raised: #f5f7f9; --lemmata-ink: #1b2430; --lemmata-soft: #55606e;
  --lemmata-line: #d4dae1; --lemmata-accent: #0067a3; --lemmata-positive: #0072b2; --lemmata-negative: #d55e00;
  --lemmata-warn: #a34700; --lemmata-quiet: #8792a0;
  --lemmata-series-1: #0072b2; --lemmata-series-2: #d55e00; --lemmata-series-3: #009e73; --lemmata-series-4: #cc79a7;
  --lemmata-series-5: #b27a00; --lemmata-series-6: #1b2430;`;
const dark = `
  --lemmata-ground: #14181d; --lemmata-raised: #1d232a; --lemmata-ink: #e6eaef; --lemmata-soft: #a7b1bd;
  --lemmata-line: #38424d; --lemmata-accent: #64b9ec; --lemmata-positive: #56b4e9; --lemmata-negative: #f08a3c;
  --lemmata-warn: #f3a25c; --lemmata-quiet: #6a7785;
  --lemmata-series-1: #56b4e9; --lemmata-series-2: #f08a3c; --lemmata-series-3: #2fc49a; --lemmata-series-4: #e0a0c4;
  --lemmata-series-5: #e6b84d; --lemmata-series-6: #e6eaef;`;

/**
 * Style sheet of a report. A page around it that chooses its theme itself sets data-theme="light" or "dark" on any
 * element that holds the report; else the reader's system decides.
 */
export const reportStyle = `
.lemmata-report { color-scheme: light dark; ${light}
  color: var(--lemmata-ink); background: var(--lemmata-ground); line-height: 1.55;
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", sans-serif; font-variant-numeric: tabular-nums;
  max-width: 66rem; margin: 0 auto; padding: 2rem 1.5rem 4rem; overflow-wrap: anywhere; }
@media (prefers-color-scheme: dark) { .lemmata-report { ${dark} } }
[data-theme="light"] .lemmata-report { color-scheme: light; ${light} }
[data-theme="dark"] .lemmata-report { color-scheme: dark; ${dark} }
.lemmata-report *, .lemmata-report *::before { box-sizing: border-box; }
.lemmata-report h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 .3rem; letter-spacing: -.01em; }
.lemmata-report h2 { font-size: 1.3rem; line-height: 1.3; margin: 3rem 0 .8rem; padding-top: 1.2rem; border-top: 1px solid var(--lemmata-line); }
.lemmata-report h3 { font-size: 1.02rem; line-height: 1.35; margin: 1.6rem 0 .4rem; }
.lemmata-report p, .lemmata-report ul, .lemmata-report ol { margin: .5rem 0 1rem; }
.lemmata-report p { max-width: 46rem; }
.lemmata-report a { color: var(--lemmata-accent); }
.lemmata-report small, .lemmata-report .lead, .lemmata-report figcaption, .lemmata-report .missing, .lemmata-report footer { color: var(--lemmata-soft); }
.lemmata-report nav { margin: 1.4rem 0 0; font-size: .92rem; display: flex; flex-wrap: wrap; gap: .2rem 1.1rem; }
.lemmata-report .cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(12.5rem, 1fr)); gap: .8rem; margin: 1.6rem 0 1.2rem; }
.lemmata-report .cards > div { background: var(--lemmata-raised); border: 1px solid var(--lemmata-line); border-radius: .5rem; padding: .8rem 1rem .7rem; }
.lemmata-report .cards dt { font-size: .86rem; color: var(--lemmata-soft); }
.lemmata-report .cards dd { margin: .1rem 0 0; font-size: 1.65rem; line-height: 1.25; font-weight: 600; }
.lemmata-report .cards dd small { display: block; font-size: .82rem; line-height: 1.4; font-weight: 400; margin-top: .25rem; }
.lemmata-report .verdict { border-left: 4px solid var(--lemmata-accent); padding: .1rem 0 .1rem 1.1rem; margin: 1.4rem 0; }
.lemmata-report .verdict p { margin: .45rem 0; font-size: 1.06rem; max-width: 50rem; }
.lemmata-report .scroll { overflow-x: auto; margin: 1.2rem 0; }
.lemmata-report table { border-collapse: collapse; width: 100%; font-size: .92rem; overflow-wrap: normal; }
.lemmata-report caption { text-align: left; font-weight: 600; padding: 0 0 .5rem; }
.lemmata-report th, .lemmata-report td { text-align: left; vertical-align: top; padding: .38rem .9rem .38rem 0; border-bottom: 1px solid var(--lemmata-line); font-weight: 400; }
.lemmata-report thead th { color: var(--lemmata-soft); font-size: .84rem; line-height: 1.3; vertical-align: bottom; white-space: normal; }
.lemmata-report .terms dt { font-weight: 600; font-size: .92rem; }
.lemmata-report .terms dd { margin: 0 0 .6rem; font-size: .92rem; color: var(--lemmata-soft); }
.lemmata-report tbody th[scope="row"] { min-width: 9rem; }
.lemmata-report .number { text-align: right; white-space: nowrap; }
.lemmata-report thead .number { white-space: normal; }
.lemmata-report td:last-child:not(.number) { min-width: 8rem; }
.lemmata-report td.number .missing { white-space: normal; display: inline-block; min-width: 12rem; max-width: 22rem; text-align: right; }
.lemmata-report tr > :last-child { padding-right: 0; }
.lemmata-report .group th { font-weight: 600; padding-top: 1.2rem; border-bottom-color: var(--lemmata-soft); }
.lemmata-report .formula { font-family: "Cambria Math", "STIX Two Math", "Latin Modern Math", Georgia, serif; font-size: 1.03em; }
.lemmata-report .formula sub, .lemmata-report .formula sup { font-size: .72em; line-height: 0; }
.lemmata-report figure { margin: 1.2rem 0; }
.lemmata-report figure svg { max-width: 100%; height: auto; display: block; overflow: visible; }
.lemmata-report figcaption { font-size: .88rem; max-width: 46rem; margin-top: .4rem; }
.lemmata-report .charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); gap: 1rem 2.5rem; align-items: start; }
.lemmata-report .network .picture { overflow: auto; max-height: 58rem; border: 1px solid var(--lemmata-line); border-radius: .5rem; padding: .5rem; }
.lemmata-report .network svg { margin: 0 auto; }
.lemmata-report .network.wide svg { max-width: none; }
.lemmata-report .legend { list-style: none; padding: 0; margin: .4rem 0 .6rem; display: flex; flex-wrap: wrap; gap: .2rem 1.3rem; font-size: .88rem; }
.lemmata-report .legend li { display: flex; align-items: center; gap: .45rem; }
.lemmata-report .sample { width: 1.1rem; height: .28rem; border-radius: .14rem; flex: none; }
.lemmata-report .key { width: 0; height: 1rem; border-left: 2px solid; flex: none; }
.lemmata-report .bounds { list-style: none; padding: 0; margin: .6rem 0 1.6rem; }
.lemmata-report .bounds li { display: grid; grid-template-columns: minmax(0, 19rem) minmax(0, 1fr) 8.6rem; column-gap: 1rem; align-items: stretch; min-height: 2.5rem; }
.lemmata-report .bounds .name { align-self: center; line-height: 1.3; padding: .3rem 0; font-size: .94rem; }
.lemmata-report .bounds .value { align-self: center; text-align: right; font-weight: 600; white-space: nowrap; }
.lemmata-report .bounds .value small { font-weight: 400; }
.lemmata-report .bounds .track { position: relative; grid-column: 2; }
.lemmata-report .bounds .bar, .lemmata-report .bounds .dot, .lemmata-report .bounds .mark { position: absolute; }
.lemmata-report .bounds .bar { left: 0; top: calc(50% - 2px); height: 4px; border-radius: 2px; background: currentColor; opacity: .35; }
.lemmata-report .bounds .dot { width: 13px; height: 13px; margin: -6.5px 0 0 -6.5px; top: 50%; border-radius: 50%; background: currentColor; }
.lemmata-report .bounds .beyond { position: absolute; right: -.55rem; top: 50%; transform: translateY(-54%); font-size: 1.3rem; line-height: 1; }
.lemmata-report .bounds .useful .track { color: var(--lemmata-accent); }
.lemmata-report .bounds .heldout .track { color: var(--lemmata-series-3); }
.lemmata-report .bounds .vacuous .track { color: var(--lemmata-quiet); }
.lemmata-report .bounds .vacuous .name, .lemmata-report .bounds .vacuous .value { color: var(--lemmata-soft); font-weight: 400; }
.lemmata-report .mark { top: 0; bottom: 0; width: 0; border-left: 2px solid; }
.lemmata-report .mark.one, .lemmata-report .key.one { border-left: 2px dashed var(--lemmata-soft); }
.lemmata-report .mark.test, .lemmata-report .key.test { border-left-color: var(--lemmata-series-2); }
.lemmata-report .mark.train, .lemmata-report .key.train { border-left: 2px dotted var(--lemmata-series-4); }
.lemmata-report .bounds .axis { min-height: 1.9rem; }
.lemmata-report .bounds .axis .track { border-top: 1px solid var(--lemmata-soft); font-size: .82rem; color: var(--lemmata-soft); }
.lemmata-report .bounds .axis span span { position: absolute; top: .3rem; transform: translateX(-50%); white-space: nowrap; }
.lemmata-report .bounds .axis span span::before { content: ""; position: absolute; left: 50%; top: -.3rem; height: .3rem; border-left: 1px solid; }
.lemmata-report .correlations .bar { top: calc(50% - 6px); height: 12px; opacity: 1; border-radius: 1px; }
.lemmata-report .correlations .mark.zero { border-left: 1px solid var(--lemmata-soft); }
.lemmata-report .correlations .positive .track { color: var(--lemmata-positive); }
.lemmata-report .correlations .negative .track { color: var(--lemmata-negative); }
.lemmata-report .correlations li { min-height: 1.9rem; }
.lemmata-report .failed strong { color: var(--lemmata-warn); }
.lemmata-report .assumptions { columns: 24rem 2; column-gap: 2.5rem; font-size: .94rem; }
.lemmata-report .assumptions article { break-inside: avoid; padding-bottom: .8rem; }
.lemmata-report .assumptions h3 { margin-top: 0; }
.lemmata-report .assumptions ul { padding-left: 1.2rem; margin: .3rem 0 .6rem; }
.lemmata-report .assumptions p { margin: .3rem 0; }
.lemmata-report code { font-family: ui-monospace, "SF Mono", Menlo, Consolas, monospace; font-size: .92em; }
.lemmata-report footer { margin-top: 3rem; padding-top: 1rem; border-top: 1px solid var(--lemmata-line); font-size: .86rem; }
@media (max-width: 44rem) {
  .lemmata-report { padding: 1.2rem 1rem 3rem; }
  .lemmata-report h1 { font-size: 1.5rem; }
  .lemmata-report .cards { grid-template-columns: 1fr 1fr; gap: .6rem; }
  .lemmata-report .cards > div { padding: .6rem .75rem; }
  .lemmata-report .cards dd { font-size: 1.35rem; }
  .lemmata-report .bounds li { grid-template-columns: minmax(0, 1fr) auto; }
  .lemmata-report .bounds .track { grid-column: 1 / -1; grid-row: 2; height: 1.5rem; }
  .lemmata-report .bounds .name { padding-bottom: 0; }
  .lemmata-report .bounds .axis span span:first-child { transform: none; }
  .lemmata-report .bounds .axis span span:last-child { transform: translateX(-100%); }
  .lemmata-report .bounds .axis span span:first-child::before { left: 0; }
  .lemmata-report .bounds .axis span span:last-child::before { left: 100%; }
  .lemmata-report .bounds .axis .between { display: none; }
  .lemmata-report .correlations .track { height: 1.2rem; }
}
@media print {
  .lemmata-report, [data-theme] .lemmata-report { color-scheme: light; ${light} }
  .lemmata-report { max-width: none; padding: 0; font-size: 10.5pt; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  .lemmata-report nav { display: none; }
  .lemmata-report .scroll { overflow: visible; }
  .lemmata-report .network .picture { overflow: visible; max-height: none; border: 0; }
  .lemmata-report .network svg, .lemmata-report .network.wide svg { max-width: 100%; max-height: 23cm; }
  .lemmata-report figure, .lemmata-report tr, .lemmata-report .bounds, .lemmata-report .cards, .lemmata-report .verdict { break-inside: avoid; }
  .lemmata-report h2, .lemmata-report h3, .lemmata-report caption { break-after: avoid; }
  .lemmata-report table { font-size: 8.5pt; }
  .lemmata-report th, .lemmata-report td { padding-right: .5rem; }
}
`;
/** The page of its own around a report. */
export const pageStyle = `
html { color-scheme: light dark; background: #ffffff; -webkit-text-size-adjust: 100%; }
@media (prefers-color-scheme: dark) { html { background: #14181d; } }
@media print { html { background: #ffffff; color-scheme: light; } }
body { margin: 0; }
@page { margin: 16mm 14mm; }
`;
